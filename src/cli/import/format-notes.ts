import { unescapeFormula } from "../../shared/cells.ts";
import { isDateOfFormat } from "../../shared/imports/formats/dates.ts";
import { normalizeNumber, signsIn } from "../../shared/imports/formats/numbers.ts";
import { quoteValue, valueKey } from "../../shared/imports/formats/values.ts";
import type { ImportTable } from "../../shared/imports/import-table.ts";
import { findUnknownChoices } from "../../shared/imports/row-cells.ts";
import type { ColumnReport } from "./columns.ts";

const maxPrintedValues = 8;

/** What is printed about the values of the first rows before an import. */
export function describeTable(
  table: ImportTable,
  samples: readonly (readonly string[])[],
  mapping: readonly ColumnReport[],
): string[] {
  return [
    ...describeFormats(table, samples),
    ...describeSigns(table, samples),
    ...describeUnknownChoices(table, samples, mapping),
    ...describeUnusedValues(table, samples, mapping),
  ];
}

/** How numbers and dates are read if no option chose it, and what to choose where the first rows do not show it. */
function describeFormats(
  { columns, formats, proposal }: ImportTable,
  samples: readonly (readonly string[])[],
): string[] {
  const notes: string[] = [];
  if (proposal.decimal === undefined && formats.decimal === "plain")
    notes.push(
      "Numbers such as 1.250 and 1,250 are rejected: the first rows do not show one meaning of commas and points. Add --decimal comma for 1.250,50, or --decimal point for 1,250.50.",
    );
  if (formats.decimal === "comma") notes.push("Numbers are read as 1.250,50 (--decimal comma).");
  if (formats.decimal === "point") notes.push("Numbers are read as 1,250.50 (--decimal point).");
  const hasDates = columns.some(
    ({ type, index }) => type === "date" && samples.some((cells) => isDateOfFormat(cells[index] ?? "")),
  );
  if (!hasDates) return notes;
  if (formats.dates === "iso")
    notes.push(
      "Dates such as 01.11.2026 are rejected: the first rows do not show one order of day and month. Add --dates dmy or --dates mdy.",
    );
  if (formats.dates === "dmy") notes.push("Dates are read as day, month, year (--dates dmy).");
  if (formats.dates === "mdy") notes.push("Dates are read as month, day, year (--dates mdy).");
  return notes;
}

/** The numbers of the first rows with different signs of currencies and of percent, which are removed. */
export function describeSigns(
  { columns, formats }: ImportTable,
  samples: readonly (readonly string[])[],
): string[] {
  return columns.flatMap(({ field, index, type }) => {
    const texts = samples.map((cells) => cells[index] ?? "");
    const numbers = texts.filter((text) => normalizeNumber(text, formats.decimal) !== undefined);
    const signs = new Set(numbers.map(signsIn).filter((sign) => sign !== ""));
    if (type !== "number" || signs.size < 2) return [];
    return `${field} has numbers with different signs, which are removed: ${[...signs].slice(0, maxPrintedValues).join(", ")}.`;
  });
}

/** The values of the first rows that a fixed list does not have, with the option that replaces them: the caller replaces `…`. */
export function describeUnknownChoices(
  { columns }: ImportTable,
  samples: readonly (readonly string[])[],
  mapping: readonly ColumnReport[],
): string[] {
  return columns.flatMap((column) => {
    const texts = samples.map((cells) => unescapeFormula(cells[column.index] ?? ""));
    const unknown = findUnknownChoices(column, texts);
    if (unknown.length === 0) return [];
    const { column: name = "" } = mapping.find(({ field }) => field === column.field) ?? {};
    const key = /[":;]/.test(name) ? `#${column.index + 1}` : name;
    const shown = unknown.slice(0, maxPrintedValues);
    const more = unknown.length > shown.length ? ", …" : "";
    const option = quoteArgument(`${key}: ${shown.map((value) => `${quoteValue(value)}=…`).join(", ")}`);
    return `${name} has values that are no ${column.field}: ${shown.join(", ")}${more}. Add --values ${option} with a value for each …: the values are ${column.choices?.join(", ")}.`;
  });
}

/** The values of `--values` that no first row has: they may be misspelt. */
function describeUnusedValues(
  { columns }: ImportTable,
  samples: readonly (readonly string[])[],
  mapping: readonly ColumnReport[],
): string[] {
  return columns.flatMap(({ field, index, values }) => {
    if (!values) return [];
    const used = new Set(samples.map((cells) => valueKey(unescapeFormula(cells[index] ?? ""))));
    const unused = [...values.keys()].filter((value) => !used.has(value));
    const { column = "" } = mapping.find((other) => other.field === field) ?? {};
    return unused.length === 0
      ? []
      : `No first row of ${column} has these values of --values: ${unused.join(", ")}.`;
  });
}

/** An argument of a shell. */
function quoteArgument(text: string): string {
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}
