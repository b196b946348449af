import { statSync } from "node:fs";
import { errorCode } from "../../db/errors.ts";
import { OperatorError, UsageError } from "../core/operator-error.ts";

/** The encodings that a file can name by a byte-order mark. Without one it is UTF-8. */
const marks: { bytes: readonly number[]; encoding: "utf-8" | "utf-16le" | "utf-16be" }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
];

/**
 * The text of a file in parts, without a byte-order mark. Bytes that are not valid in its encoding become U+FFFD. Throws
 * UsageError for a file that cannot be read or is compressed, and OperatorError when its rest cannot be read.
 */
export async function* readText(path: string): AsyncGenerator<string, void> {
  let hasPart = false;
  try {
    assertFile(path);
    const start = await Bun.file(path).slice(0, 3).bytes();
    assertUncompressed(path, start);
    const mark = markOf(start);
    const decoder = new TextDecoder(mark?.encoding ?? "utf-8");
    for await (const bytes of Bun.file(path).stream()) {
      yield decoder.decode(bytes, { stream: true });
      hasPart = true;
    }
    yield decoder.decode();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = errorCode(error);
    if (hasPart) throw new OperatorError("unreadable_line", `The rest of ${path} cannot be read (${code}).`);
    throw new UsageError(`${path} ${describeFileError(code)}.`, "unreadable_file");
  }
}

function markOf(start: Uint8Array) {
  return marks.find(({ bytes }) => bytes.every((byte, i) => start[i] === byte));
}

/** Whether a file that can be read begins with a byte-order mark. */
export async function hasByteOrderMark(path: string): Promise<boolean> {
  return markOf(await Bun.file(path).slice(0, 3).bytes()) !== undefined;
}

/** Why a file cannot be opened, in words, after its path. */
export function describeFileError(code: string | undefined): string {
  if (code === "ENOENT") return "does not exist";
  if (code === "EISDIR") return "is a folder";
  const denied = code === "EACCES" || code === "EPERM" || code === "EROFS";
  return denied ? `cannot be opened: permission denied (${code})` : `cannot be opened (${code})`;
}

/** Throws UsageError for the first bytes of gzip and of zip, which spreadsheet programs write. */
function assertUncompressed(path: string, [first, second]: Uint8Array): void {
  if (first === 0x1f && second === 0x8b)
    throw new UsageError(`${path} is compressed with gzip. Decompress it first.`, "unreadable_file");
  if (first === 0x50 && second === 0x4b)
    throw new UsageError(
      `${path} is a zip file, such as a spreadsheet (.xlsx). Save it as CSV UTF-8 first.`,
      "unreadable_file",
    );
}

/** Throws UsageError for a pipe or a device: a file is read more than once. */
function assertFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile() && !stats.isDirectory())
    throw new UsageError(
      `${path} is not a file. Write the rows to a file, and import that.`,
      "unreadable_file",
    );
}

/** The number of line feeds of a file: about its lines. */
export async function countLines(path: string): Promise<number> {
  let count = 0;
  for await (const text of readText(path))
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Whether a text has U+FFFD, which stands for bytes that are not valid in the encoding of the file. */
export function hasInvalidBytes(text: string): boolean {
  return text.includes("\uFFFD");
}
