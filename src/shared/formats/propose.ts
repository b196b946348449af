import { isNumberOf } from "../column-scan.ts";
import type { CellType } from "../file-fields.ts";
import type { FileRows } from "../resources.ts";
import { type DateFormat, proposeDateFormat } from "./dates.ts";
import { type NumberFormat, numberFormats, proposeNumberFormat } from "./numbers.ts";

/** The formats of a file. Undefined if its values do not show them, or contradict each other. */
export type FormatProposal = { decimal: NumberFormat | undefined; dates: DateFormat | undefined };
type ProposedColumn = { index: number; type: CellType | undefined };

/**
 * The formats that the first rows of a file show in the imported columns: one for all numbers, and one for all dates. A
 * column without a type counts if all its values are numbers.
 */
export function proposeFormats(
  _file: { header: readonly string[]; resource: FileRows },
  columns: readonly ProposedColumn[],
  samples: readonly (readonly string[])[],
): FormatProposal {
  const textsOf = ({ index }: ProposedColumn) =>
    samples.map((cells) => (cells[index] ?? "").trim()).filter((text) => text !== "");
  const hasNumbers = (column: ProposedColumn) =>
    column.type === "number" ||
    (column.type === undefined &&
      textsOf(column).every((text) => numberFormats.some((format) => isNumberOf(text, format))));
  return {
    decimal: proposeNumberFormat(columns.filter(hasNumbers).flatMap(textsOf)),
    dates: proposeDateFormat(columns.filter(({ type }) => type === "date").flatMap(textsOf)),
  };
}
