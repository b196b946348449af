import { attributeOf, type CellType } from "../../file-fields.ts";
import { type FileRows, fieldsOf } from "../../resources.ts";
import { isNumberOf } from "../column-scan.ts";
import { type DateFormat, proposeDateFormat } from "./dates.ts";
import { type NumberFormat, numberFormats, proposeNumberFormat } from "./numbers.ts";
import { replaceValue, type ValueMap } from "./values.ts";

/** The formats of a file. Undefined if its values do not show them, or contradict each other. */
export type FormatProposal = { decimal: NumberFormat | undefined; dates: DateFormat | undefined };
type ProposedColumn = { index: number; type: CellType | undefined; values?: ValueMap | undefined };

/** Numbers and dates as an export writes them. */
const exportFormats: FormatProposal = { decimal: "point", dates: "iso" };

/** Whether a file has all columns of an export, which are more than callers can set. */
function isExportHeader(header: readonly string[], resource: FileRows): boolean {
  const fields = Object.entries(fieldsOf(resource));
  return (
    header.includes("id") &&
    fields.every(([name, { kind }]) => kind === "flag" || kind === "attributes" || header.includes(name))
  );
}

/**
 * The formats that the first rows of a file show in the imported columns: one for all numbers, and one for all dates. A
 * column without a type counts if all its values are numbers, except for one such as `attributes.plan`, which may be of
 * an export.
 */
export function proposeFormats(
  { header, resource }: { header: readonly string[]; resource: FileRows },
  columns: readonly ProposedColumn[],
  samples: readonly (readonly string[])[],
): FormatProposal {
  if (isExportHeader(header, resource)) return exportFormats;
  const textsOf = ({ index, values }: ProposedColumn) =>
    samples.map((cells) => replaceValue(cells[index] ?? "", values).trim()).filter((text) => text !== "");
  const hasNumbers = (column: ProposedColumn) =>
    column.type === "number" ||
    (column.type === undefined &&
      !attributeOf(header[column.index] ?? "") &&
      textsOf(column).every((text) => numberFormats.some((format) => isNumberOf(text, format))));
  return {
    decimal: proposeNumberFormat(columns.filter(hasNumbers).flatMap(textsOf)),
    dates: proposeDateFormat(columns.filter(({ type }) => type === "date").flatMap(textsOf)),
  };
}
