import type { CsvHeader } from "../../../../shared/csv-file.ts";
import { encodeText } from "../../../../shared/encodings.ts";
import type { FileLine } from "../../../../shared/import-lines.ts";
import { RejectedText } from "../../../../shared/rejected-lines.ts";

const maxShown = 50;

/** The rejected rows of an import: as the lines of a CSV file, and the first ones to show. */
export class RejectedRows {
  readonly #text: RejectedText;
  readonly #lines: Uint8Array<ArrayBuffer>[];
  readonly shown: { line: number; reason: string }[] = [];

  constructor(header: CsvHeader) {
    this.#text = new RejectedText(header);
    this.#lines = [encodeText(this.#text.header())];
  }

  add({ line, cells }: FileLine, reason: string): void {
    this.#lines.push(encodeText(this.#text.line(cells, line, reason)));
    if (this.shown.length < maxShown) this.shown.push({ line, reason });
  }

  /** With a byte-order mark, by which spreadsheets recognize UTF-8. */
  toFile(): Blob {
    return new Blob(["\uFEFF", ...this.#lines], { type: "text/csv;charset=utf-8" });
  }
}
