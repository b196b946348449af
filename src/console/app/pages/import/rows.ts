import { type MappedColumn, readCells } from "../../../../shared/cells.ts";
import type { CsvRecord } from "../../../../shared/csv.ts";
import type { CsvHeader } from "../../../../shared/csv-file.ts";
import { encodeText } from "../../../../shared/file-decoder.ts";
import { importedFields } from "../../../../shared/file-fields.ts";
import type { FileLine } from "../../../../shared/import-lines.ts";
import { RejectedText } from "../../../../shared/rejected-lines.ts";
import { fieldsOf } from "../../../../shared/resources.ts";
import { type ColumnMapping, nameOfTarget } from "./mapping.ts";

/** The row of a record, by the rules of `accountd import`: the server checks the values. */
export function readRow(targets: readonly ColumnMapping[], { line, cells, fault }: CsvRecord): FileLine {
  if (fault !== undefined) return { line, cells, fault };
  return { line, cells, ...readCells(columnsOf(targets), targets.length, cells) };
}

function columnsOf(targets: readonly ColumnMapping[]): MappedColumn[] {
  return targets.flatMap((target, index) => {
    if (!target) return [];
    const field = nameOfTarget(target);
    if ("attribute" in target) return { field, type: target.type, index };
    const { [field]: type = "string" } = importedFields.accounts;
    return { field, type, index, choices: fieldsOf("accounts")[field]?.values };
  });
}

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
