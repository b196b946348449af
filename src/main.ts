import "./production.ts";
import { readerArgument } from "../db/sqlite/readers/reader-process.ts";

const args = process.argv.slice(2);
if (args[0] === readerArgument) {
  const { runReader } = await import("../db/sqlite/readers/reader.ts");
  runReader();
} else {
  const { runCommandLine } = await import("./cli/run.ts");
  process.exit(await runCommandLine(args));
}
