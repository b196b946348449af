import { convertText, isPlainNumber, unescapeFormula } from "../cells.ts";
import { attributeOf, type ValueType } from "../file-fields.ts";
import { hasGroups, type NumberFormat, normalizeNumber, numberFormats, signOf } from "./formats/numbers.ts";
import { type ValueMap, valueKey } from "./formats/values.ts";

/** What all values of a column can be, as bits: a number of each format, a number and a boolean as an export writes them. */
const kinds = { plain: 1, point: 2, comma: 4, exportedNumber: 8, boolean: 16, exportedBoolean: 32 };
const allKinds = 63;
/** Digits, which are a number in every format. */
const digits = /^(?:0|[1-9]\d{0,14})$/;
/** A column with more different values has no list of them. */
const maxValues = 50;
const maxValueLength = 1_000;

/**
 * `kinds`: of the values that have any. `others`: those that have none, if they are few. `sign`: of the currency or of
 * percent, which all numbers have.
 */
type ColumnState = {
  kinds: number;
  sign?: string | undefined;
  values: Set<string> | undefined;
  others: Set<string> | undefined;
};

/** Reads all rows of a file to find the types of its columns, and their values if they are few. */
export class ColumnScan {
  readonly #header: readonly string[];
  readonly #columns: ColumnState[];

  constructor(header: readonly string[]) {
    this.#header = header;
    this.#columns = header.map(() => ({ kinds: allKinds, values: new Set(), others: new Set() }));
  }

  add(cells: readonly string[]): void {
    for (const [i, column] of this.#columns.entries()) {
      const text = (cells[i] ?? "").trim();
      if (text === "") continue;
      // Long values are not of a list, and would fill the memory.
      if (text.length > maxValueLength) column.values = column.others = undefined;
      if (column.values && column.values.add(text).size > maxValues) column.values = undefined;
      if (column.kinds === 0 || !column.others) continue;
      // A number is never escaped: `'-5` of an export is a text.
      const found = kindsOf(text);
      if (found === 0 && column.others.add(text).size > maxValues) column.others = undefined;
      if (found === 0) continue;
      const sign = signOf(text);
      column.sign ??= sign;
      column.kinds &= found & (column.sign === sign ? allKinds : kinds.exportedNumber);
    }
  }

  /**
   * The type that all values of a column have. A column such as `attributes.plan` may be of an export: its values must be as
   * an export writes them. A column without values has no type. `replaced`: what values are replaced by before.
   */
  typeOf(index: number, decimal: NumberFormat, replaced?: ValueMap): ValueType | undefined {
    const { kinds: ofValues = 0, values, others } = this.#columns[index] ?? {};
    if (values?.size === 0) return undefined;
    const hasTexts = !others || [...others].some((text) => !replaced?.has(valueKey(unescapeFormula(text))));
    const targets = [...(replaced?.values() ?? [])].filter((text) => text !== "");
    const found = targets.reduce((kind, text) => kind & kindsOf(text), hasTexts ? 0 : ofValues);
    const isExported = attributeOf(this.#header[index] ?? "") !== undefined;
    if (found & (isExported ? kinds.exportedNumber : kinds[decimal])) return "number";
    return found & (isExported ? kinds.exportedBoolean : kinds.boolean) ? "boolean" : "string";
  }

  /** The different values of a column in their order. Undefined if they are more than 50. */
  valuesOf(index: number): readonly string[] | undefined {
    const values = this.#columns[index]?.values;
    return values && [...values];
  }
}

function kindsOf(text: string): number {
  if (digits.test(text)) return kinds.plain | kinds.point | kinds.comma | kinds.exportedNumber;
  if (/^(?:true|false)$/i.test(text))
    return kinds.boolean | (text === text.toLowerCase() ? kinds.exportedBoolean : 0);
  const isExported = convertText(text, "number") !== undefined && text === String(Number(text));
  return numberFormats.reduce(
    (found, format) => (isNumberOf(text, format) ? found | kinds[format] : found),
    isExported ? kinds.exportedNumber : 0,
  );
}

/** Whether a text is a number of a format, perhaps with a sign of a currency or of percent: no id, and no phone number. */
export function isNumberOf(text: string, format: NumberFormat): boolean {
  const isBare = signOf(text) !== undefined && !hasGroups(text);
  const number = isBare ? normalizeNumber(text, format) : undefined;
  return number !== undefined && isPlainNumber(number);
}
