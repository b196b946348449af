import { attributePrefix, type CellType, importedFields, limitsOfField } from "../file-fields.ts";
import type { FileRows } from "../resources.ts";
import type { ColumnScan } from "./column-scan.ts";
import type { CsvRecord } from "./csv.ts";
import { type FormatProposal, proposeFormats } from "./formats/propose.ts";
import type { ValueMap } from "./formats/values.ts";
import type { FileLine } from "./import-lines.ts";
import { type CellFormats, defaultFormats, type MappedColumn, readCells } from "./row-cells.ts";

/** A column that is imported. An attribute without a type gets its stored type, or else the type of all its values. */
type TargetColumn = {
  index: number;
  field: string;
  type?: CellType | undefined;
  values?: ValueMap | undefined;
};
/** The formats that were chosen; the others are proposed. */
export type ChosenFormats = { [Name in keyof CellFormats]?: CellFormats[Name] | undefined };
/** What is known of a file and of the organization. `scan`: of all rows. */
export type TableInput = {
  header: readonly string[];
  resource: FileRows;
  attributeTypes: Readonly<Record<string, CellType>>;
  samples: readonly (readonly string[])[];
  scan?: ColumnScan | undefined;
};
/** How the records of a file become rows. `isNew`: an attribute without a stored type. `proposal`: what the first rows show. */
export type ImportTable = {
  columns: readonly (MappedColumn & { isNew: boolean })[];
  columnCount: number;
  formats: CellFormats;
  proposal: FormatProposal;
};

export function createImportTable(
  { header, resource, attributeTypes, samples, scan }: TableInput,
  targets: readonly TargetColumn[],
  chosen: ChosenFormats = {},
): ImportTable {
  const typed = targets.map((target) => ({
    ...target,
    type: target.type ?? storedType(target.field, { resource, attributeTypes }),
  }));
  const proposal = proposeFormats({ header, resource }, typed, samples);
  const formats = formatsOf(chosen, proposal);
  const columns = typed.map(({ field, index, type, values }) => ({
    ...{ field, index, values, isNew: type === undefined },
    type: type ?? scan?.typeOf(index, formats.decimal, values) ?? "string",
    ...limitsOfField(resource, field),
  }));
  return { columns, columnCount: header.length, formats, proposal };
}

/** The chosen formats, else the proposed ones, else the defaults. */
export function formatsOf(chosen: ChosenFormats, proposal?: FormatProposal): CellFormats {
  return {
    decimal: chosen.decimal ?? proposal?.decimal ?? defaultFormats.decimal,
    dates: chosen.dates ?? proposal?.dates ?? defaultFormats.dates,
    isEmptyCleared: chosen.isEmptyCleared ?? false,
  };
}

/** The type of a field, or of an attribute in the organization. Undefined for a new attribute. */
export function storedType(
  field: string,
  { resource, attributeTypes }: Pick<TableInput, "resource" | "attributeTypes">,
): CellType | undefined {
  const name = field.slice(attributePrefix.length);
  if (!field.startsWith(attributePrefix)) return importedFields[resource][field];
  return Object.hasOwn(attributeTypes, name) ? attributeTypes[name] : undefined;
}

/** The row of a record, or the reason of its rejection. The server checks the values. */
export function readRecord(
  { columns, formats, columnCount }: ImportTable,
  { line, cells, fault }: CsvRecord,
): FileLine {
  const read = fault === undefined ? readCells(columns, formats, columnCount, cells) : { fault };
  return { line, cells, ...read };
}
