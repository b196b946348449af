import type { AttributeType } from "../../../db/schema.ts";
import { type FieldViolation, Problem } from "../errors.ts";
import { maxListedValues, NONE, rangeOperators, splitList } from "../lists/fields.ts";
import { attributeNamePattern, attributePrefix } from "./attributes.ts";

/** A query has filters of at most this many attributes. */
export const maxAttributeFilters = 10;
/** The value of `sortBy` that orders by an attribute. */
export type AttributeOrder = `${typeof attributePrefix}${string}`;

/** The pattern of `AttributeOrder`. */
export const attributeOrderPattern = `^attributes\\.${attributeNamePattern}$`;
const order = new RegExp(attributeOrderPattern);
/** The operators in brackets after the name of an attribute. */
export const attributeOperators = [...rangeOperators, "in"] as const;
const parameter = new RegExp(
  `^attributes\\.(${attributeNamePattern})(?:\\[(${attributeOperators.join("|")})\\])?$`,
);
/** A number as in JSON. */
export const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** Greater than every value of an attribute, and of a text that is compared with one. */
const lastText = "\u{10ffff}".repeat(501);

/** Whether a query parameter is a filter by an attribute: `attributes.plan`, `attributes.seats[gt]`. */
export function isAttributeFilter(name: string): boolean {
  return name.startsWith(attributePrefix) && parameter.test(name);
}

/** The name of the attribute that `sortBy` orders by; undefined for an order by a column. */
export function orderedAttribute(sortBy: string | undefined): string | undefined {
  return sortBy !== undefined && order.test(sortBy) ? sortBy.slice(attributePrefix.length) : undefined;
}

type Operator = (typeof attributeOperators)[number] | "equal";
/** The values of the parameters of one attribute, by operator. */
export type SentFilter = { name: string; values: Partial<Record<Operator, string>> };

/** The filters by attributes of a query, in the order of their parameters by name. Throws `invalid_request`. */
export function sentAttributeFilters(query: Readonly<Record<string, unknown>>): SentFilter[] {
  const keys = Object.keys(query).filter(isAttributeFilter);
  if (keys.length === 0) return [];
  const filters = new Map<string, SentFilter>();
  for (const key of keys.sort()) {
    const value = query[key];
    const [, name, operator = "equal"] = parameter.exec(key) ?? [];
    if (name === undefined || typeof value !== "string") continue;
    const filter = filters.get(name) ?? { name, values: {} };
    // Safe: the pattern allows the operators only.
    filter.values[operator as Operator] = value;
    filters.set(name, filter);
    if (filters.size > maxAttributeFilters)
      throw invalid(key, "too_many", `must be one of at most ${maxAttributeFilters} attributes in a query`);
  }
  return [...filters.values()];
}

/** What a filter compares: the rows without the attribute, or a range of values, which has a list or not. */
export type AttributeFilter = {
  name: string;
  isNone: boolean;
  column: "text" | "number";
  /** Both ends included. */
  low: number;
  high: number;
  /** The end is excluded. */
  textLow: string;
  textEnd: string;
  /** Values in the range, of which one must be equal. Empty: every value in the range matches. */
  list: readonly (string | number)[];
};
type ValueRange = Pick<AttributeFilter, "low" | "high" | "textLow" | "textEnd" | "list">;

const everyValue: ValueRange = {
  low: -Number.MAX_VALUE,
  high: Number.MAX_VALUE,
  textLow: "",
  textEnd: lastText,
  list: [],
};
const noValue: ValueRange = { low: 1, high: 0, textLow: "", textEnd: "", list: [] };

/** The filter for an attribute of this type; without a type, no row has the attribute. Throws `invalid_request`. */
export function readAttributeFilter(
  { name, values }: SentFilter,
  type: AttributeType | undefined,
): AttributeFilter {
  const filter = { name, isNone: false, column: type === "string" ? "text" : "number" } as const;
  if (values.equal === NONE) {
    const isNone = Object.keys(values).length === 1;
    return { ...filter, ...noValue, isNone };
  }
  const items = values.in === undefined ? undefined : splitList(values.in);
  if (items && items.length > maxListedValues)
    throw invalid(parameterOf(name, "in"), "too_many", `must have at most ${maxListedValues} values`);
  if (type === undefined) return { ...filter, ...noValue };
  if (type === "string") return { ...filter, ...everyValue, ...readTexts(values, items) };
  const parse = (operator: Operator, text: string) => {
    const number = type === "boolean" ? booleans.get(text) : parseNumber(text);
    const detail = type === "boolean" ? "must be true or false" : "must be a number as in JSON";
    if (number === undefined)
      throw invalid(parameterOf(name, operator), "wrong_type", `${detail}, as the attribute`);
    return number;
  };
  return { ...filter, ...everyValue, ...readNumbers(values, items, parse) };
}

function parameterOf(name: string, operator: Operator): string {
  return `${attributePrefix}${name}${operator === "equal" ? "" : `[${operator}]`}`;
}

const booleans = new Map([
  ["true", 1],
  ["false", 0],
]);

function parseNumber(text: string): number | undefined {
  const number = jsonNumber.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Texts are ordered by their bytes. */
function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The first text after another: no text has the character U+0000. */
function nextText(text: string): string;
function nextText(text: string | undefined): string | undefined;
function nextText(text: string | undefined): string | undefined {
  return text?.concat("\u0001");
}

function readTexts(
  { equal, gt, gte, lt, lte }: SentFilter["values"],
  items: readonly string[] | undefined,
): Partial<ValueRange> {
  const sorted = (texts: readonly (string | undefined)[]) =>
    texts.filter((text) => text !== undefined).toSorted(compareTexts);
  const textLow = sorted(["", equal, gte, nextText(gt)]).at(-1) ?? "";
  const textEnd = sorted([lastText, nextText(equal), nextText(lte), lt])[0] ?? lastText;
  if (!items) return { textLow, textEnd };
  const isInRange = (text: string) => compareTexts(text, textLow) >= 0 && compareTexts(text, textEnd) < 0;
  const list = sorted([...new Set(items)].filter(isInRange));
  const last = list.at(-1);
  return last === undefined ? noValue : { textLow: list[0] ?? last, textEnd: nextText(last), list };
}

function readNumbers(
  values: SentFilter["values"],
  items: readonly string[] | undefined,
  parse: (operator: Operator, text: string) => number,
): Partial<ValueRange> {
  let [low, high] = [-Number.MAX_VALUE, Number.MAX_VALUE];
  const narrow = (from: number, to: number) => {
    low = Math.max(low, from);
    high = Math.min(high, to);
  };
  const { equal, gt, gte, lt, lte } = values;
  if (equal !== undefined) narrow(parse("equal", equal), parse("equal", equal));
  if (gte !== undefined) narrow(parse("gte", gte), high);
  if (lte !== undefined) narrow(low, parse("lte", lte));
  if (gt !== undefined) narrow(nextNumber(parse("gt", gt)), high);
  if (lt !== undefined) narrow(low, -nextNumber(-parse("lt", lt)));
  if (!items) return { low, high };
  const list = [...new Set(items.map((item) => parse("in", item)))]
    .filter((number) => number >= low && number <= high)
    .sort((a, b) => a - b);
  const last = list.at(-1);
  return last === undefined ? noValue : { low: list[0] ?? last, high: last, list };
}

function invalid(parameter: string, code: FieldViolation["code"], detail: string): Problem {
  return new Problem("invalid_request", { errors: [{ parameter, code, detail }] });
}

/** The least number that is greater. */
function nextNumber(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}
