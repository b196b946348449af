import type { AttributeType } from "../../db/schema.ts";
import { type FieldViolation, Problem } from "./errors.ts";
import { nextNumber, splitList } from "./filter-values.ts";
import { maxListedValues, NONE, type rangeOperators } from "./list-fields.ts";

/** A query has filters of at most this many attributes. */
export const maxAttributeFilters = 10;
/** The value of `sortBy` that orders by an attribute. */
export type AttributeOrder = `attributes.${string}`;

const attributeName = "[A-Za-z][A-Za-z0-9_]{0,63}";
/** The pattern of `AttributeOrder`. */
export const attributeOrderPattern = `^attributes\\.${attributeName}$`;
const order = new RegExp(attributeOrderPattern);
const parameter = new RegExp(`^attributes\\.(${attributeName})(?:\\[(gt|gte|lt|lte|in)\\])?$`);
/** A number as in JSON. */
export const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** Greater than every value of an attribute, and of a text that is compared with one. */
const lastText = "\u{10ffff}".repeat(501);

/** Whether a query parameter is a filter by an attribute: `attributes.plan`, `attributes.seats[gt]`. */
export function isAttributeFilter(name: string): boolean {
  return parameter.test(name);
}

/** The name of the attribute that `sortBy` orders by; undefined for an order by a column. */
export function orderedAttribute(sortBy: string | undefined): string | undefined {
  return sortBy !== undefined && order.test(sortBy) ? sortBy.slice("attributes.".length) : undefined;
}

type Operator = (typeof rangeOperators)[number] | "in" | "equal";
/** The values of the parameters of one attribute, by operator. */
export type SentFilter = { name: string; values: Partial<Record<Operator, string>> };

/** The filters by attributes of a query, in the order of their first parameters. Throws `invalid_request`. */
export function sentAttributeFilters(query: Readonly<Record<string, unknown>>): SentFilter[] {
  const filters = new Map<string, SentFilter>();
  for (const [key, value] of Object.entries(query)) {
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

/** What a filter compares: the rows without the attribute, or a column with a range and a list (an empty one is none). */
export type AttributeFilter = {
  /** Empty when nothing matches: no attribute has this name. */
  name: string;
  isNone: boolean;
  column: "text" | "number";
  low: number;
  high: number;
  textLow: string;
  textHigh: string;
  textAbove: string | null;
  textBelow: string | null;
  list: readonly (string | number)[];
};

/** The filter that matches every row with the attribute. */
const everyValue: AttributeFilter = {
  name: "",
  isNone: false,
  column: "text",
  low: -Number.MAX_VALUE,
  high: Number.MAX_VALUE,
  textLow: "",
  textHigh: lastText,
  textAbove: null,
  textBelow: null,
  list: [],
};

/**
 * The filter for an attribute of this type; without a type, no row has the attribute. A filter whose `name` is empty
 * matches nothing. Throws `invalid_request`.
 */
export function readAttributeFilter(
  { name, values }: SentFilter,
  type: AttributeType | undefined,
): AttributeFilter {
  const everything = { ...everyValue, name };
  if (values.equal === NONE) {
    // Together with another operator nothing matches.
    return Object.keys(values).length > 1 ? { ...everything, name: "" } : { ...everything, isNone: true };
  }
  const items = values.in === undefined ? [] : splitList(values.in);
  if (items.length > maxListedValues)
    throw invalid(`attributes.${name}[in]`, "too_many", `must have at most ${maxListedValues} values`);
  if (type === undefined) return { ...everything, name: "" };
  if (type === "string") return { ...everything, ...readTexts(values, items) };
  const parse = (operator: Operator, text: string) => {
    const number = type === "boolean" ? booleans.get(text) : parseNumber(text);
    const suffix = operator === "equal" ? "" : `[${operator}]`;
    const detail = type === "boolean" ? "must be true or false" : "must be a number as in JSON";
    if (number === undefined)
      throw invalid(`attributes.${name}${suffix}`, "wrong_type", `${detail}, as the attribute`);
    return number;
  };
  return { ...everything, column: "number", ...readNumbers(values, items, parse) };
}

const booleans = new Map([
  ["true", 1],
  ["false", 0],
]);

function parseNumber(text: string): number | undefined {
  const number = jsonNumber.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function readTexts({ equal, gt, gte, lt, lte }: SentFilter["values"], items: readonly string[]) {
  const isAfter = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0;
  let [textLow, textHigh] = ["", lastText];
  for (const low of [equal, gt, gte]) if (low !== undefined && isAfter(low, textLow)) textLow = low;
  for (const high of [equal, lt, lte]) if (high !== undefined && isAfter(textHigh, high)) textHigh = high;
  return { textLow, textHigh, textAbove: gt ?? null, textBelow: lt ?? null, list: [...new Set(items)] };
}

function readNumbers(
  values: SentFilter["values"],
  items: readonly string[],
  parse: (operator: Operator, text: string) => number,
) {
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
  return { low, high, list: [...new Set(items)].map((item) => parse("in", item)) };
}

function invalid(parameter: string, code: FieldViolation["code"], detail: string): Problem {
  return new Problem("invalid_request", { errors: [{ parameter, code, detail }] });
}
