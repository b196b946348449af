import { formatCsvLine } from "./csv.ts";
import type { FileRow } from "./rows.ts";

const maxShown = 50;

/** The rejected rows of an import: as the lines of a CSV file, and the first ones to show. */
export class RejectedRows {
  readonly #header: readonly string[];
  readonly #lines: string[];
  readonly shown: { line: number; reason: string }[] = [];

  constructor(header: readonly string[]) {
    this.#header = header;
    this.#lines = [formatCsvLine([...header, "line", "reason"])];
  }

  /** Cells that the header has no column for are appended to its last column. */
  add({ line, cells }: FileRow, reason: string): void {
    const last = this.#header.length - 1;
    const columns = this.#header.map((_, i) => (i === last ? cells.slice(last).join(",") : (cells[i] ?? "")));
    this.#lines.push(formatCsvLine([...columns, String(line), reason]));
    if (this.shown.length < maxShown) this.shown.push({ line, reason });
  }

  /** With a byte-order mark, by which spreadsheets recognize UTF-8. */
  toFile(): Blob {
    return new Blob(["\uFEFF", ...this.#lines], { type: "text/csv;charset=utf-8" });
  }
}
