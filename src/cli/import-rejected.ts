import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { stringify } from "csv-stringify/sync";
import { errorCode } from "../../db/errors.ts";
import { UsageError } from "../core/operator-error.ts";
import { escapeFormula, unescapeFormula } from "../exports/formats.ts";
import type { ImportSource } from "./import-source.ts";
import { describeFileError } from "./import-text.ts";
import { numberText } from "./import-values.ts";

/** The path of the file with the rejected lines of a file. */
export function rejectedPath(path: string): string {
  return `${path}.rejected.csv`;
}

/** The header of a file, and whether a byte-order mark precedes it. */
type FileStart = Pick<ImportSource, "header" | "hasByteOrderMark">;

/** A cell of a file as the cell of a CSV file with the same value. A number is no formula. */
function escapeCell(cell: string): string {
  const isSafe = unescapeFormula(cell) !== cell || numberText.test(cell);
  return isSafe ? cell : escapeFormula(cell);
}

/**
 * The file of rejected lines: the columns of the imported file, then the number of the line and the reason. Repaired, it
 * can be imported: its cells have the same values, and formulas are escaped. It begins with a byte-order mark if the
 * imported file does. It exists only if a line was rejected; that of an earlier import is removed. The constructor throws UsageError
 * if the file cannot be written: before the first row is stored.
 */
export class RejectedLines {
  readonly #path: string;
  readonly #start: FileStart;
  #file: number | undefined;

  constructor(path: string, start: FileStart) {
    this.#path = path;
    this.#start = start;
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
    const { header, hasByteOrderMark } = this.#start;
    if (this.#file === undefined) {
      this.#file = openSync(this.#path, "w", 0o600);
      if (hasByteOrderMark) writeSync(this.#file, "\uFEFF");
      this.#write([...header, "line", "reason"]);
    }
    const last = header.length - 1;
    const columns = header.map((_, i) => (i === last ? cells.slice(last).join(",") : (cells[i] ?? "")));
    this.#write([...columns, String(line), reason]);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #write(columns: readonly string[]): void {
    // An unquoted separator in the header could be taken for that of the file.
    const text = stringify([columns.map(escapeCell)], { quoted_match: [/[\r;\t]/, /^\s/, /\s$/] });
    if (this.#file !== undefined) writeSync(this.#file, text);
  }
}
