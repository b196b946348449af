import type { ValueType } from "./file-fields.ts";

/** A number as spreadsheets and JSON write it. */
const numberText = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** A number without a plus sign, zeros before its digits, and an exponent. */
const plainNumber = /^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)$/;
/** A longer text is no number: its digits would be compared in quadratic time. */
export const maxNumberLength = 64;
/** Any two decimal numbers of so many digits are different as numbers of JSON. */
const maxDigits = 15;

export function isNumber(text: string): boolean {
  return text.length <= maxNumberLength && numberText.test(text);
}

/** The finite number of a text in any notation. Undefined for a whole number that would get other digits. */
export function readNumber(text: string): number | undefined {
  const value = isNumber(text) && !isInexact(text) ? Number(text) : undefined;
  return Number.isFinite(value) ? value : undefined;
}

/** Whether a number of JSON or of a file is over 2^53, and has other digits as a number. */
export function isInexact(text: string): boolean {
  const value = Number(text);
  const isUnsafe = Number.isFinite(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return isUnsafe && digitsOf(text) !== digitsOf(String(value));
}

/** Whether a text is a number and nothing else: an id, a postal code or a phone number would not be the same text again. */
export function isPlainNumber(text: string): boolean {
  if (text.length > maxNumberLength || !plainNumber.test(text)) return false;
  const digits = digitsOf(text);
  // An overflow and an underflow change the digits.
  return digits.length <= maxDigits && digits === digitsOf(String(Number(text)));
}

/** The number of a plain text, or of one that an export writes for a fraction or an exponent. */
function readPlainNumber(text: string): number | undefined {
  const isExported = isNumber(text) && text === String(Number(text)) && /[.e]/.test(text);
  return isPlainNumber(text) || isExported ? Number(text) : undefined;
}

/** The digits of a number without zeros at both ends. */
function digitsOf(text: string): string {
  return text
    .replace(/e.*/i, "")
    .replace(/\D/g, "")
    .replace(/^0+|0+$/g, "");
}

/** The path of the first number in a value that `isFault`, such as `attributes.code`; undefined without one. */
export function pathOfNumber(
  value: unknown,
  isFault: (number: number) => boolean = (number) => !Number.isFinite(number),
): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "number" && isFault(member)) return name;
    const path = pathOfNumber(member, isFault);
    if (path !== undefined) return `${name}.${path}`;
  }
  return undefined;
}

/**
 * A formula, or a text in quotes with blanks after them, which readers take for blanks around a field; perhaps escaped.
 */
const escaped = /^'*(?:[=+\-@\t\r]|".*"[ \t]+$)/s;
/** A number, or a telephone number of 5 to 15 digits: a spreadsheet can at most calculate it. */
const harmless = /^[+-]\d+(?:\.\d+)?$|^\+(?=(?:\D*\d){5,15}\D*$)[\d(][\d ()./-]*\d$/;

/**
 * A text that a spreadsheet would run as a formula gets a leading `'` (OWASP, "CSV Injection"), and so does one that
 * looks escaped already: an import takes exactly one away. Numbers such as `-5` and telephone numbers stay as they are.
 */
export function escapeFormula(text: string): string {
  return escaped.test(text) && !harmless.test(text) ? `'${text}` : text;
}

/** The text without one `'` before a formula, which also precedes numbers and telephone numbers with a sign in some files. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && escaped.test(text) ? text.slice(1) : text;
}

/** The value of the type that a text of an attribute has: undefined without one. A number may be an id, so it must be plain. */
export function convertText(text: string, type: ValueType): string | number | boolean | undefined {
  if (type === "string") return text;
  const trimmed = text.trim();
  if (type === "number") return readPlainNumber(trimmed);
  const lower = trimmed.toLowerCase();
  return lower === "true" || lower === "false" ? lower === "true" : undefined;
}
