import { convertText, isInexact, isNumber, pathOfNumber, readNumber, unescapeFormula } from "../cells.ts";
import { attributePrefix, type CellType } from "../file-fields.ts";
import { hasInvalidBytes, invalidBytesFault } from "./encodings.ts";
import { type DateFormat, hasShortYear, isDateOfFormat, normalizeDate } from "./formats/dates.ts";
import { hasGroups, type NumberFormat, normalizeNumber, numberFormats } from "./formats/numbers.ts";
import { replaceValue, type ValueMap } from "./formats/values.ts";

/** How the cells of a file are read. `isEmptyCleared`: an empty cell of the record clears the value of a field that can be empty. */
export type CellFormats = { decimal: NumberFormat; dates: DateFormat; isEmptyCleared?: boolean };
export const defaultFormats: CellFormats = { decimal: "plain", dates: "iso" };

/** The field of a row, or one of its attributes such as `attributes.plan`. */
export type FieldType = {
  field: string;
  type: CellType;
  /** All values of a fixed list. */
  choices?: readonly string[] | undefined;
  /** Whether null clears the field. */
  isNullable?: boolean;
  /** What texts of the column are replaced by. */
  values?: ValueMap | undefined;
};
/** The id of a row of an export, which is sent next to the id of its account: that may be another account here. */
export const exportedIdType: FieldType = { field: "id", type: "string" };
/** A column of the file that is imported: `index` counts from 0. */
export type MappedColumn = FieldType & { index: number };
/** Why fields of a row cannot be read, by field. Without values. */
export type FieldFaults = Readonly<Record<string, string>>;
/** The fields of a row of a file, in which a field with a fault is `unreadable`, or the reason why it is no row. */
export type ReadRow = { row: Record<string, unknown>; faults?: FieldFaults } | { fault: string };

/** A value that the server rejects in every field, so that it reports the other faults of the row too. */
export const unreadable: readonly never[] = [];

/** The row of the cells of a record. A cell that the record does not have is empty. */
export function readCells(
  columns: readonly MappedColumn[],
  formats: CellFormats,
  columnCount: number,
  cells: readonly string[],
): ReadRow {
  // Cells without a value after the last column are ignored.
  if (cells.slice(columnCount).some((cell) => cell !== ""))
    return { fault: `the line has ${cells.length} columns, the header ${columnCount}` };
  const row: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const column of columns) {
    const text = replaceValue(unescapeFormula(cells[column.index] ?? ""), column.values);
    if (text === "") {
      const hasCell = column.index < cells.length;
      if (formats.isEmptyCleared && column.isNullable && hasCell) setField(row, column.field, null);
      continue;
    }
    if (hasInvalidBytes(text)) return { fault: invalidBytesFault };
    if (text.includes("\0")) return { fault: "the line has a NUL character" };
    const value = convertCell(text, column, formats);
    if (value === undefined) faults[column.field] = describeUnreadable(text, column, formats);
    setField(row, column.field, value ?? unreadable);
  }
  return rowOf(row, faults);
}

export function rowOf(row: Record<string, unknown>, faults: FieldFaults): ReadRow {
  return Object.keys(faults).length === 0 ? { row: joinName(row) } : { row: joinName(row), faults };
}

/**
 * The row of a contact with its name instead of `firstName` and `lastName`. A name of its own is used. Without one of both,
 * a stored contact keeps its name; null is no part of it.
 */
function joinName(row: Record<string, unknown>): Record<string, unknown> {
  const { firstName, lastName, ...others } = row;
  const parts = [firstName, lastName].filter((part) => (part ?? "") !== "");
  if (pathOfNumber(parts) !== undefined) return row;
  if (parts.length === 0 || (others.name ?? "") !== "") return others;
  // A part that is no text is rejected as the name.
  const name = parts.every((part) => typeof part === "string") ? parts.join(" ") : parts;
  const isNameKept = parts.length === 1 && firstName !== null && lastName !== null;
  return { ...others, name, ...(isNameKept && { isNameKept }) };
}

const booleans = new Map(
  [
    ["true", "yes", "y", "on", "1"],
    ["false", "no", "n", "off", "0"],
  ].flatMap((words, i) => words.map((word) => [word, i === 0] as const)),
);

/** A day of UTC: its date is the same time, and the value of a field with days. */
const midnight = /T00:00(?::00(?:\.0+)?)?Z?$/;

/** The value of a text that is not empty: undefined if it has none of the type. */
export function convertCell(
  text: string,
  { field, type, choices }: FieldType,
  { decimal, dates }: CellFormats,
): string | number | boolean | undefined {
  if (type === "boolean") return booleans.get(text.trim().toLowerCase());
  if (type === "date") {
    // A text that is no date in any format is rejected by the server, with what it must be.
    const date =
      normalizeDate(text, dates) ?? (isDateOfFormat(text) || hasShortYear(text) ? undefined : text);
    return date?.replace(midnight, "");
  }
  if (type === "string")
    return choices?.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? text;
  const number = normalizeNumber(text, decimal);
  if (!isAttribute(field) || number === undefined)
    return number === undefined ? undefined : readNumber(number);
  // A number of an attribute may be an id, or a phone number.
  return hasGroups(text) && decimal === "plain" ? undefined : convertText(number, type);
}

/** The different texts of a column that are none of its choices. */
export function findUnknownChoices({ choices, values }: FieldType, texts: readonly string[]): string[] {
  if (!choices) return [];
  const known = new Set(["", ...choices.map((choice) => choice.toLowerCase())]);
  return [...new Set(texts)].filter((text) => !known.has(replaceValue(text, values).toLowerCase()));
}

/** How the command chooses the format of dates. */
export const dateAdvice = "for day.month.year choose the dates dmy, for month/day/year mdy";

/** Why a text is rejected for the type. Without the text. */
export function describeUnreadable(
  text: string,
  { field, type }: FieldType,
  { decimal, dates }: CellFormats,
): string {
  if (type === "boolean") return `${field} must be true or false, yes or no, 1 or 0`;
  if (type === "date" && hasShortYear(text))
    return `${field} must be a date with a year of four digits, such as 2026-11-01`;
  if (type === "date" && dates !== "iso")
    return `${field} must be a date with the ${dates === "dmy" ? "day before the month" : "month before the day"}, or such as 2026-11-01`;
  if (type === "date") return `${field} must be a date such as 2026-11-01: ${dateAdvice}`;
  return `${field} must be a number${adviceOn(text.trim(), field, decimal)}`;
}

function adviceOn(text: string, field: string, decimal: NumberFormat): string {
  const isOfOther = numberFormats.some((format) => normalizeNumber(text, format) !== undefined);
  if (isOfOther && normalizeNumber(text, decimal) === undefined)
    return ": choose the decimal comma for numbers such as 1.250,50, or point for 1,250.50";
  if (field === "accountId")
    return ", the id that accountd assigned: your own ids of accounts are accountExternalId";
  if (!isNumber(text)) return "";
  if (isAttribute(field)) return " without a plus sign, leading zeros and an exponent, of at most 15 digits";
  return isInexact(text) ? " of at most 15 digits" : "";
}

function isAttribute(field: string): boolean {
  return field.startsWith(attributePrefix);
}

export function setField(row: Record<string, unknown>, field: string, value: unknown): void {
  if (!isAttribute(field)) row[field] = value;
  else {
    if (typeof row.attributes !== "object" || row.attributes === null) row.attributes = {};
    // Not an assignment: an attribute of JSON lines may have the name __proto__, which the server rejects.
    const property = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(row.attributes, field.slice(attributePrefix.length), property);
  }
}
