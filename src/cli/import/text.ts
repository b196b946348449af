import { statSync } from "node:fs";
import { errorCode } from "../../../db/errors.ts";
import { OperatorError, UsageError } from "../../core/settings/operator-error.ts";
import { describeBinary } from "../../shared/imports/binary-formats.ts";
import { NoTable } from "../../shared/imports/csv-file.ts";
import { type FileEncoding, markOf, NotUtf8 } from "../../shared/imports/encodings.ts";
import { FileDecoder, startBytes } from "../../shared/imports/file-decoder.ts";

const lineFeed = 0x0a;

/**
 * The bytes of a file in parts. Throws UsageError for a file that cannot be read or is no table, and OperatorError when
 * its rest cannot be read.
 */
export async function* readBytes(path: string): AsyncGenerator<Uint8Array, void> {
  let hasPart = false;
  try {
    assertFile(path);
    const format = describeBinary(await readStart(path), path);
    if (format !== undefined) throw new UsageError(`${path} ${format}`, "unreadable_file");
    for await (const bytes of Bun.file(path).stream()) {
      yield bytes;
      hasPart = true;
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = errorCode(error);
    if (hasPart) throw new OperatorError("unreadable_line", `The rest of ${path} cannot be read (${code}).`);
    throw new UsageError(`${path} ${describeFileError(code)}.`, "unreadable_file");
  }
}

/** The text of a file in parts, as `FileDecoder` decodes it. Throws like `readBytes`, and UsageError for another encoding. */
export async function* readText(path: string, encoding?: FileEncoding): AsyncGenerator<string, void> {
  const decoder = new FileDecoder(encoding);
  try {
    for await (const bytes of readBytes(path)) yield decoder.decode(bytes, false);
    yield decoder.decode(new Uint8Array(), true);
  } catch (error) {
    throw asUnreadable(path, error);
  }
}

/** The error as one of the command line, if it is of the file as a whole. */
export function asUnreadable(path: string, error: unknown): unknown {
  if (error instanceof NoTable) return new UsageError(`${path} ${error.message}`, "unreadable_file");
  if (!(error instanceof NotUtf8)) return error;
  const { message, encoding } = error;
  // Mac Roman and Windows-1250 look like it.
  const check = encoding === "windows-1252" ? ", and check letters such as ä and é after the import" : "";
  const advice = encoding === undefined ? "" : ` Add --encoding ${encoding}${check}.`;
  return new UsageError(`${path} ${message}${advice}`, "unreadable_file");
}

function readStart(path: string): Promise<Uint8Array> {
  return Bun.file(path).slice(0, startBytes).bytes();
}

export async function hasByteOrderMark(path: string): Promise<boolean> {
  return markOf(await readStart(path)) !== undefined;
}

/** Why a file cannot be opened, in words, after its path. */
export function describeFileError(code: string | undefined): string {
  if (code === "ENOENT") return "does not exist";
  if (code === "EISDIR" || code === "ERR_FS_EISDIR") return "is a folder";
  const denied = code === "EACCES" || code === "EPERM" || code === "EROFS";
  return denied ? `cannot be opened: permission denied (${code})` : `cannot be opened (${code})`;
}

/** Throws UsageError for a pipe or a device: a file is read more than once. */
function assertFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile() && !stats.isDirectory())
    throw new UsageError(
      `${path} is not a file. Write the rows to a file, or pipe them to accountd import -.`,
      "unreadable_file",
    );
}

/** The number of line feeds of a file: about its lines. */
export async function countLines(path: string): Promise<number> {
  let count = 0;
  for await (const bytes of readBytes(path))
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}
