import { renameSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCode } from "../../../db/errors.ts";
import { OperatorError, UsageError } from "../../core/settings/operator-error.ts";
import { startBytes } from "../../shared/imports/file-decoder.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";

/** A brace after blanks and a byte-order mark, in every encoding of an import. */
const jsonStart = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*\{/;

/** The file to import, and the path that the name of the file of rejected lines begins with. */
type InputFile = { path: string; rejectedPath: string };

/**
 * Calls `work` with the file of an argument. Standard input, `-`, is copied to a private temporary file first, because an
 * import reads a file more than once. The copy is removed at the end, also after a failure and a signal. Throws UsageError
 * when it cannot be written, and what `work` throws.
 */
export async function withInputFile(
  argument: string,
  work: (file: InputFile) => Promise<void>,
): Promise<void> {
  if (argument !== "-") return work({ path: argument, rejectedPath: argument });
  let path = "";
  try {
    await withTemporaryFolder(async (folder) => {
      path = await copyInput(join(folder, "stdin.csv"));
      await work({ path, rejectedPath: "stdin" });
    });
  } catch (error) {
    if (path !== "") throw withoutPath(error, path);
    const reason = `cannot be copied to ${tmpdir()} (${errorCode(error)})`;
    throw new UsageError(`Standard input ${reason}. Set TMPDIR to another folder.`, "unreadable_file");
  }
}

/** Copies standard input. Returns the path, which ends in `.jsonl` if the first character that is not blank is `{`. */
async function copyInput(path: string): Promise<string> {
  const file = await open(path, "wx", 0o600);
  try {
    for await (const bytes of Bun.stdin.stream()) await file.writeFile(bytes);
  } finally {
    await file.close();
  }
  const start = Buffer.from(await Bun.file(path).slice(0, startBytes).bytes()).toString("latin1");
  if (!jsonStart.test(start)) return path;
  const jsonPath = path.replace(/csv$/, "jsonl");
  renameSync(path, jsonPath);
  return jsonPath;
}

/** The error with a message that does not name the copy. */
function withoutPath(error: unknown, path: string): unknown {
  if (!(error instanceof UsageError || error instanceof OperatorError)) return error;
  error.message = error.message.replaceAll(path, "Standard input");
  return error;
}
