import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/** Builds the console's files, which the app imports, unless `bun install` built them. Throws when the build fails. */
export function buildConsoleOnce(): void {
  if (
    ["console/dist/main.js.gz", "reference/dist/start.js.gz"].every((path) =>
      existsSync(join(root, "src", path)),
    )
  )
    return;
  const result = Bun.spawnSync([process.execPath, "run", "build:console"], { cwd: root });
  if (result.exitCode !== 0) throw new Error(`the console's build failed: ${result.stderr}`);
}
