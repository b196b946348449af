import { maxNumberLength } from "../../cells.ts";
import { currencies } from "../../currencies.ts";

/** Which of `.` and `,` begins the fraction of a number. `plain`: not known, so that `1.250` and `1,250` are no numbers. */
export const numberFormats = ["plain", "point", "comma"] as const;
export type NumberFormat = (typeof numberFormats)[number];

const currency = `(?:(?:US|[AC])?\\p{Sc}|\\b(?:${currencies.join("|")})\\b)`;
const leading = new RegExp(`^(-?)\\s*${currency}\\s*`, "u");
const trailing = new RegExp(`\\s*(?:${currency}|%)$`, "u");
/** `5.-` is written in Switzerland, and `12,50-` by SAP. */
const dashes = /^(-?)(\d.*?)(?:[.,]-|(-))$/s;
const accounting = /^\((.*)\)$/;

/** Groups of three digits, divided by one and the same character. Blanks and apostrophes are never a decimal mark. */
function grouped(mark: string, fraction: string): RegExp {
  return new RegExp(`^[+-]?\\d{1,3}(?:([${mark}'’\\s])\\d{3})(?:\\1\\d{3})*(?:${fraction}\\d*)?$`, "u");
}
const groupedBy: Record<NumberFormat, RegExp> = {
  plain: grouped("", "\\."),
  point: grouped(",", "\\."),
  comma: grouped(".", ","),
};
const ungrouped: Record<NumberFormat, RegExp> = {
  plain: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/,
  point: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/,
  comma: /^[+-]?(?:\d+(?:,\d*)?|,\d+)(?:[eE][+-]?\d+)?$/,
};

/**
 * The number of a cell with a decimal point and without groups, signs of currencies and percent signs, such as `1250.5` for
 * `$1,250.50` or `1.250,50 €`. A number in parentheses is negative. Undefined for a text that is no number of the format.
 */
export function normalizeNumber(text: string, format: NumberFormat): string | undefined {
  const bare = withoutSigns(text);
  const inParentheses = accounting.exec(bare)?.[1];
  const number = inParentheses === undefined ? bare : `-${withoutSigns(inParentheses)}`;
  const isGrouped = groupedBy[format].test(number);
  if (!isGrouped && !ungrouped[format].test(number)) return undefined;
  if (format === "plain" && fractionOrThousands.test(number)) return undefined;
  if (format === "comma") return number.replace(/[.'’\s]/gu, "").replace(",", ".");
  return isGrouped ? number.replace(/[,'’\s]/gu, "") : number;
}

/** The sign of a currency or of percent in a text such as `$900`: empty without one. Undefined for other signs and words. */
export function signOf(text: string): string | undefined {
  const sign = text.replace(/[+\d.,'’\s\u2212]|-(?!$)/gu, "");
  return /^(?:\p{Sc}|%|)$/u.test(sign) ? sign : undefined;
}

/** The signs and codes of currencies and of percent in a number. */
export function signsIn(text: string): string {
  return (text.match(/\p{Sc}|%|[A-Z]{3}/gu) ?? []).join("");
}

/** Whether a text is digits in groups, without a decimal mark and the sign of a currency: it may be a phone number. */
export function hasGroups(text: string): boolean {
  const bare = text.trim();
  return bare.length <= maxNumberLength && /^[+-]?\d+(?:['’\s]\d+)+$/u.test(bare);
}

/** The text without the sign of a currency, a percent sign and blanks around it. Empty if it is too long for a number. */
function withoutSigns(text: string): string {
  const bare = text.trim();
  if (bare.length > maxNumberLength) return "";
  return bare
    .replaceAll("\u2212", "-")
    .replace(leading, "$1")
    .replace(trailing, "")
    .replace(dashes, "$1$3$2");
}

/** A number that is a fraction in one format, and has a thousands separator in the other one. */
const fractionOrThousands = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;
/** A text that is a number in one of the formats, and not in the other one. */
const evidence: Record<"point" | "comma", RegExp> = {
  point: /^[+-]?(?:\d{1,3}(?:,\d{3})+\.\d*|\d{1,3}(?:,\d{3}){2,}|\d*\.\d+)$/,
  comma: /^[+-]?(?:\d{1,3}(?:\.\d{3})+,\d*|\d{1,3}(?:\.\d{3}){2,}|\d*,\d+)$/,
};

/**
 * The format that the texts of a column show: `plain` for numbers without commas and points. Undefined if they do not show
 * what these mean, or contradict each other.
 */
export function proposeNumberFormat(texts: Iterable<string>): NumberFormat | undefined {
  const shown = { point: false, comma: false };
  let isUnclear = false;
  for (const text of texts) {
    const number = withoutSigns(text).replace(/(?<=\d)['’\s](?=\d)/gu, "");
    const hasMark = fractionOrThousands.test(number);
    isUnclear ||= hasMark;
    shown.point ||= !hasMark && evidence.point.test(number);
    shown.comma ||= !hasMark && evidence.comma.test(number);
  }
  if (shown.point === shown.comma) return shown.point || isUnclear ? undefined : "plain";
  return shown.point ? "point" : "comma";
}
