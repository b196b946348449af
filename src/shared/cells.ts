import { hasInvalidBytes } from "./file-decoder.ts";
import { attributePrefix, type ValueType } from "./file-fields.ts";

/** A number as spreadsheets and JSON write it. */
const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** A number without a plus sign, zeros before its digits, and an exponent. */
const plainNumber = /^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)$/;
/** Any two decimal numbers of so many digits are different as numbers of JSON. */
const maxDigits = 15;

export function isNumber(text: string): boolean {
  return numberText.test(text);
}

/** The finite number of a text in any notation. */
function readNumber(text: string): number | undefined {
  const value = isNumber(text) ? Number(text) : undefined;
  return Number.isFinite(value) ? value : undefined;
}

/** Whether a text is a number and nothing else: an id, a postal code or a phone number would not be the same text again. */
export function isPlainNumber(text: string): boolean {
  if (!plainNumber.test(text)) return false;
  const digits = digitsOf(text);
  // An overflow and an underflow change the digits.
  return digits.length <= maxDigits && digits === digitsOf(String(Number(text)));
}

/** The number of a plain text, or of one that an export writes for a fraction or an exponent. */
function readPlainNumber(text: string): number | undefined {
  const isExported = numberText.test(text) && text === String(Number(text)) && /[.e]/.test(text);
  return isPlainNumber(text) || isExported ? Number(text) : undefined;
}

/** The digits of a number without zeros at both ends. */
function digitsOf(text: string): string {
  return text
    .replace(/e.*/, "")
    .replace(/\D/g, "")
    .replace(/^0+|0+$/g, "");
}

/** The path of the first number in a value that JSON cannot have, such as `attributes.code`; undefined without one. */
export function pathOfInfinity(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "number" && !Number.isFinite(member)) return name;
    const path = pathOfInfinity(member);
    if (path !== undefined) return `${name}.${path}`;
  }
  return undefined;
}

/**
 * A formula, or a text in quotes with blanks after them, which readers take for blanks around a field; perhaps escaped.
 */
const escaped = /^'*(?:[=+\-@\t\r]|".*"[ \t]+$)/s;

/**
 * A text that a spreadsheet would run as a formula gets a leading `'` (OWASP, "CSV Injection"), and so does one that
 * looks escaped already: an import takes exactly one away.
 */
export function escapeFormula(text: string): string {
  return escaped.test(text) ? `'${text}` : text;
}

/** The text that `escapeFormula` escaped. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && escaped.test(text) ? text.slice(1) : text;
}

/** The field of a row, or one of its attributes such as `attributes.plan`. `choices` are all values of a fixed list. */
export type FieldType = { field: string; type: ValueType; choices?: readonly string[] | undefined };
/** A column of the file that is imported: `index` counts from 0. */
export type MappedColumn = FieldType & { index: number };
/** The fields of a row of a file, or the reason why it is rejected. */
export type ReadRow = { row: Record<string, unknown> } | { fault: string };

/** The row of the cells of a record. An empty cell is not sent, and neither is one that the record does not have. */
export function readCells(
  columns: readonly MappedColumn[],
  columnCount: number,
  cells: readonly string[],
): ReadRow {
  // Cells without a value after the last column are ignored.
  if (cells.slice(columnCount).some((cell) => cell !== ""))
    return { fault: `the line has ${cells.length} columns, the header ${columnCount}` };
  const row: Record<string, unknown> = {};
  for (const column of columns) {
    const text = unescapeFormula(cells[column.index] ?? "");
    if (text === "") continue;
    if (hasInvalidBytes(text)) return { fault: "the line has bytes that are not UTF-8: convert the file" };
    if (text.includes("\0")) return { fault: "the line has a NUL character" };
    const value = convertText(text, column);
    if (value === undefined) return { fault: describeNotConverted(text, column) };
    setField(row, column.field, choiceOf(text, column) ?? value);
  }
  return { row: joinName(row) };
}

/** The row of a contact with its name instead of `firstName` and `lastName`. A name of its own is used. */
export function joinName(row: Record<string, unknown>): Record<string, unknown> {
  const { firstName, lastName, ...others } = row;
  const parts = [firstName, lastName].filter((part) => (part ?? "") !== "");
  if (pathOfInfinity(parts) !== undefined) return row;
  if (parts.length === 0 || (others.name ?? "") !== "") return others;
  // A part that is no text is rejected as the name.
  return { ...others, name: parts.every((part) => typeof part === "string") ? parts.join(" ") : parts };
}

/** The value of a fixed list that a text has in any case. */
function choiceOf(text: string, { choices }: FieldType): string | undefined {
  return choices?.find((choice) => choice.toLowerCase() === text.toLowerCase());
}

const booleans = new Map([
  ["true", true],
  ["false", false],
]);

/** The value of a text: undefined if it has none of the type. A number of an attribute may be an id, so it must be plain. */
export function convertText(text: string, { field, type }: FieldType): string | number | boolean | undefined {
  if (type === "string") return text;
  const trimmed = text.trim();
  if (type === "boolean") return booleans.get(trimmed.toLowerCase());
  return isAttribute(field) ? readPlainNumber(trimmed) : readNumber(trimmed);
}

/** Why a text is rejected for the type. Without the text. */
export function describeNotConverted(text: string, { field, type }: FieldType): string {
  if (type !== "number") return `${field} must be true or false`;
  return `${field} must be a number${adviceOn(text.trim(), field)}`;
}

function adviceOn(text: string, field: string): string {
  if (/\d,\d/.test(text)) return " with a decimal point and without commas, such as 1250.5";
  if (field === "accountId")
    return ", the id that accountd assigned: your own ids of accounts are accountExternalId";
  return isAttribute(field) && isNumber(text)
    ? " without a plus sign, leading zeros and an exponent, of at most 15 digits"
    : "";
}

function isAttribute(field: string): boolean {
  return field.startsWith(attributePrefix);
}

export function setField(row: Record<string, unknown>, field: string, value: unknown): void {
  if (!isAttribute(field)) row[field] = value;
  else row.attributes = { ...asObject(row.attributes), [field.slice(attributePrefix.length)]: value };
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
