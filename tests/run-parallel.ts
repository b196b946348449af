import { availableParallelism } from "node:os";
import { buildBinary, builtBinary } from "./binary/build.ts";

/** Runs the tests that can run next to each other in several processes, which use one binary. */
const child = Bun.spawn(
  [
    ...[process.execPath, "test", `--parallel=${availableParallelism() + 1}`, "--no-isolate"],
    ...["--timeout", "60000", "--path-ignore-patterns", "**/*.serial.test.ts", ...process.argv.slice(2)],
  ],
  {
    env: { ...Bun.env, [builtBinary]: await buildBinary() },
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  },
);
process.exit(await child.exited);
