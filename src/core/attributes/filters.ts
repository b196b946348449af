import { invalidParameter } from "../errors.ts";
import { rangeOperators, splitList } from "../lists/fields.ts";
import { isRelativeDay } from "../relative-days.ts";
import { attributeNamePattern, attributePrefix } from "./attributes.ts";

/** A query has filters of at most this many attributes. */
const maxAttributeFilters = 10;
/** The value of `sortBy` that orders by an attribute. */
export type AttributeOrder = `${typeof attributePrefix}${string}`;

export const attributeOrderPattern = `^attributes\\.${attributeNamePattern}$`;
const order = new RegExp(attributeOrderPattern);
/** The operators that compare texts folded as names are. */
const foldedOperators = ["contains", "ieq"] as const;
export type FoldedOperator = (typeof foldedOperators)[number];
/** The operators after the name of an attribute: `attributes.seats.gt`. */
export const attributeOperators = [...rangeOperators, "in", ...foldedOperators] as const;
const parameter = new RegExp(
  `^attributes\\.(${attributeNamePattern})(?:\\.(${attributeOperators.join("|")}))?$`,
);
export const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** Whether a query parameter is a filter by an attribute: `attributes.plan`, `attributes.seats.gt`. */
export function isAttributeFilter(name: string): boolean {
  return name.startsWith(attributePrefix) && parameter.test(name);
}

/** Whether the values of such a filter are a list. */
export function isAttributeList(name: string): boolean {
  return name.endsWith(".in") && parameter.exec(name)?.[2] === "in";
}

/** The name of the attribute that `sortBy` orders by; undefined for an order by a column. */
export function orderedAttribute(sortBy: string | undefined): string | undefined {
  return sortBy !== undefined && order.test(sortBy) ? sortBy.slice(attributePrefix.length) : undefined;
}

export type Operator = (typeof attributeOperators)[number] | "equal";

/** Whether a value of the filter is a relative day, if the attribute is a date. */
export function hasRelativeDay({ values }: SentFilter): boolean {
  return Object.values(values).some((text) => splitList(text).some(isRelativeDay));
}

export function isFolded(operator: Operator): operator is FoldedOperator {
  return operator === "contains" || operator === "ieq";
}

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
    // Safe: the pattern allows the operators only.
    filters.getOrInsertComputed(name, () => ({ name, values: {} })).values[operator as Operator] = value;
    if (filters.size > maxAttributeFilters)
      throw invalidParameter(
        key,
        "too_many",
        `must be one of at most ${maxAttributeFilters} attributes in a query`,
      );
  }
  return [...filters.values()];
}
