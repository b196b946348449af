import type { CsvHeader } from "../../../../shared/imports/csv-file.ts";
import { encodeText } from "../../../../shared/imports/encodings.ts";
import type { FileLine } from "../../../../shared/imports/import-lines.ts";
import { RejectedText } from "../../../../shared/imports/rejected-lines.ts";
import { dateAdvice } from "../../../../shared/imports/row-cells.ts";
import { labelOf, withTypeNames } from "../../editing/members.ts";
import { importing } from "../../messages/messages.ts";
import { members } from "./mapping.ts";

const maxShown = 50;
/** A field where a reason begins, as the API writes it: `mrr must be …; attributes.seats must be …`. */
const leadingField = new RegExp(`(?<=^|; )(?:attributes\\.\\w+|${members.join("|")})\\b`, "g");

/** A reason in the words of the page: the names of fields and types, and where the format of dates is chosen. */
export function withLabels(reason: string): string {
  return withTypeNames(reason)
    .replace(leadingField, labelOf)
    .replace(dateAdvice, importing.formats.dateAdvice)
    .replace(/\bexternalId\b/g, labelOf("externalId"));
}

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
    const labelled = withLabels(reason);
    this.#lines.push(encodeText(this.#text.line(cells, line, labelled)));
    if (this.shown.length < maxShown) this.shown.push({ line, reason: labelled });
  }

  /** With a byte-order mark, by which spreadsheets recognize UTF-8. */
  toFile(): Blob {
    return new Blob(["\uFEFF", ...this.#lines], { type: "text/csv;charset=utf-8" });
  }
}
