import type { ColumnScan } from "../../../../shared/column-scan.ts";
import type { CsvRecord } from "../../../../shared/csv.ts";
import { type CellType, importedFields, limitsOfField } from "../../../../shared/file-fields.ts";
import type { DateFormat } from "../../../../shared/formats/dates.ts";
import type { NumberFormat } from "../../../../shared/formats/numbers.ts";
import { type FormatProposal, proposeFormats } from "../../../../shared/formats/propose.ts";
import type { ValueMap } from "../../../../shared/formats/values.ts";
import type { FileLine } from "../../../../shared/import-lines.ts";
import {
  type CellFormats,
  defaultFormats,
  findUnknownChoices,
  type MappedColumn,
  readCells,
} from "../../../../shared/row-cells.ts";
import {
  type AttributeTypes,
  type ColumnMapping,
  type ColumnTypes,
  guessTargets,
  nameOfTarget,
} from "./mapping.ts";

/** What was chosen for a file. Formats that were not chosen are proposed. `values` are by the index of the column. */
export type ImportChoices = {
  targets: readonly ColumnMapping[];
  formats: { decimal?: NumberFormat | undefined; dates?: DateFormat | undefined; isEmptyCleared?: boolean };
  values: Readonly<Record<number, ValueMap>>;
};
/** How the records of a file become rows. */
export type ImportTable = {
  columns: readonly MappedColumn[];
  columnCount: number;
  formats: CellFormats;
  proposal: FormatProposal;
};

export function tableOf(
  { targets, formats, values }: ImportChoices,
  types: AttributeTypes,
  samples: readonly (readonly string[])[],
): ImportTable {
  const columns = targets.flatMap((target, index): MappedColumn[] => {
    if (!target) return [];
    const field = nameOfTarget(target);
    return [
      {
        field,
        index,
        type: typeOf(target, types),
        values: values[index],
        ...limitsOfField("accounts", field),
      },
    ];
  });
  const isNew = (target: ColumnMapping) =>
    target && "attribute" in target && !Object.hasOwn(types, target.attribute);
  const proposal = proposeFormats(
    targets.map((target, index) => ({
      index,
      type: target && !isNew(target) ? typeOf(target, types) : undefined,
    })),
    samples,
  );
  const decimal = formats.decimal ?? proposal.decimal ?? defaultFormats.decimal;
  const dates = formats.dates ?? proposal.dates ?? defaultFormats.dates;
  const { isEmptyCleared = false } = formats;
  return { columns, columnCount: targets.length, proposal, formats: { decimal, dates, isEmptyCleared } };
}

/** The types of the values of the columns, with numbers in this format. */
export function columnTypesOf(columnCount: number, scan: ColumnScan, decimal: NumberFormat): ColumnTypes {
  return Array.from({ length: columnCount }, (_, index) => scan.typeOf(index, decimal));
}

/** The choices that are proposed for a file. */
export function guessChoices(
  header: readonly string[],
  scan: ColumnScan,
  types: AttributeTypes,
  samples: readonly (readonly string[])[],
): ImportChoices {
  const choices = { targets: guessTargets(header, [], types, samples), formats: {}, values: {} };
  const { decimal } = tableOf(choices, types, samples).formats;
  const columnTypes = columnTypesOf(header.length, scan, decimal);
  return { ...choices, targets: guessTargets(header, columnTypes, types, samples) };
}

/** The texts of a declared date are in the format of the dates. */
function typeOf(target: NonNullable<ColumnMapping>, types: AttributeTypes): CellType {
  if ("member" in target) return importedFields.accounts[target.member] ?? "string";
  const isDate =
    target.type === "string" && Object.hasOwn(types, target.attribute) && types[target.attribute] === "date";
  return isDate ? "date" : target.type;
}

/** The row of a record, by the rules of `accountd import`: the server checks the values. */
export function readRow(
  { columns, formats, columnCount }: ImportTable,
  { line, cells, fault }: CsvRecord,
): FileLine {
  if (fault !== undefined) return { line, cells, fault };
  return { line, cells, ...readCells(columns, formats, columnCount, cells) };
}

/** The values of a column with a fixed list that the list does not have: of the whole file, if they are few. */
export function unknownValues(
  { targets }: ImportChoices,
  scan: ColumnScan,
  samples: readonly (readonly string[])[],
): { index: number; field: string; choices: readonly string[]; values: readonly string[] }[] {
  return targets.flatMap((target, index) => {
    if (!target || !("member" in target)) return [];
    const { choices } = limitsOfField("accounts", target.member);
    const texts = scan.valuesOf(index) ?? samples.map((cells) => cells[index] ?? "");
    const values = findUnknownChoices({ field: target.member, type: "string", choices }, texts);
    return choices && values.length > 0 ? [{ index, field: target.member, choices, values }] : [];
  });
}
