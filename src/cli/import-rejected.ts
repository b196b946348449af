import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { stringify } from "csv-stringify/sync";
import { errorCode } from "../../db/errors.ts";
import { UsageError } from "../core/operator-error.ts";
import { describeFileError } from "./import-text.ts";

/** The path of the file with the rejected lines of a file. */
export function rejectedPath(path: string): string {
  return `${path}.rejected.csv`;
}

/**
 * The file of rejected lines: the columns of the imported file as they are there, then the number of the line and the
 * reason. It exists only if a line was rejected; that of an earlier import is removed. The constructor throws UsageError
 * if the file cannot be written: before the first row is stored.
 */
export class RejectedLines {
  readonly #path: string;
  readonly #header: readonly string[];
  #file: number | undefined;

  constructor(path: string, header: readonly string[]) {
    this.#path = path;
    this.#header = header;
    try {
      closeSync(openSync(path, "w", 0o600));
      rmSync(path);
    } catch (error) {
      const reason = describeFileError(errorCode(error));
      throw new UsageError(
        `${path}, the file for rejected lines, ${reason}. Move the imported file to a folder that you can write to.`,
        "unwritable_file",
      );
    }
  }

  /** Whether the file exists. */
  get hasLines(): boolean {
    return this.#file !== undefined;
  }

  /** Cells that the header has no column for are appended to its last column. */
  add(cells: readonly string[], line: number, reason: string): void {
    if (this.#file === undefined) {
      this.#file = openSync(this.#path, "w", 0o600);
      this.#write([...this.#header, "line", "reason"]);
    }
    const last = this.#header.length - 1;
    const columns = this.#header.map((_, i) => (i === last ? cells.slice(last).join(",") : (cells[i] ?? "")));
    this.#write([...columns, String(line), reason]);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #write(columns: readonly string[]): void {
    const text = stringify([[...columns]], { quoted_match: [/\r/, /^\s/, /\s$/] });
    if (this.#file !== undefined) writeSync(this.#file, text);
  }
}
