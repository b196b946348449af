import fc from "fast-check";
import type { Kind, Row } from "./model-rows.ts";
import { accountStatuses, requestStatuses } from "./model-values.ts";

type Filters = Record<string, string>;
type Compare = (value: number, bound: number) => boolean;

const comparisons: Record<string, Compare> = {
  "": (value, bound) => value === bound,
  "[gt]": (value, bound) => value > bound,
  "[gte]": (value, bound) => value >= bound,
  "[lt]": (value, bound) => value < bound,
  "[lte]": (value, bound) => value <= bound,
};

const one = (name: string, ...values: string[]): fc.Arbitrary<Filters> =>
  fc.constantFrom(...values).map((value) => ({ [name]: value }));
const range = (name: string, ...values: string[]): fc.Arbitrary<Filters> =>
  fc.constantFrom(...Object.keys(comparisons)).chain((operator) => one(name + operator, ...values));
const listOf = (name: string, words: readonly string[]): fc.Arbitrary<Filters> =>
  fc.subarray([...words], { minLength: 2 }).map((some) => ({ [name]: some.join(",") }));

const attributeFilters = [
  one("attributes.plan", "pro", "free", "none"),
  listOf("attributes.plan[in]", ["pro", "free", "other"]),
  range("attributes.seats", "5", "7", "10.5"),
  one("attributes.trial", "true", "false", "none"),
];
const filters: Record<Kind, readonly fc.Arbitrary<Filters>[]> = {
  accounts: [
    range("mrr", "-3", "0", "10", "10.5", "1000"),
    listOf("mrr[in]", ["-3", "10.5", "7"]),
    listOf("status", [...accountStatuses, "inactive"]),
    ...attributeFilters,
  ],
  contacts: [one("lastSeenAt", "none"), ...attributeFilters],
  meetings: [],
  requests: [
    range("severity", "1", "3", "5"),
    listOf("severity[in]", ["1", "2", "4"]),
    listOf("status", requestStatuses),
    one("resolvedAt", "none"),
  ],
};

/** One filter with an operator, a list or `none` for lists of the kind. */
export function anyFilter(kind: Kind): fc.Arbitrary<Filters> {
  return fc.oneof(one("hasExternalId", "true", "false"), ...filters[kind]);
}

/** Whether a row matches the filters of `anyFilter`, and `status`, in a query. */
export function matches(row: Row, query: Filters): boolean {
  return Object.entries(query).every(([parameter, text]) => {
    const [, name = "", operator = ""] = /^((?:attributes\.)?\w+)(.*)$/.exec(parameter) ?? [];
    const attributes = (row.attributes ?? {}) as Record<string, unknown>;
    const isAttribute = name.startsWith("attributes.");
    const value = isAttribute ? (attributes[name.slice("attributes.".length)] ?? null) : row[name];
    if (name === "hasExternalId") return String(row.externalId !== null) === text;
    if (text === "none") return value === null;
    if (name === "status" || operator === "[in]")
      return value !== null && text.split(",").includes(String(value));
    if (isAttribute && name !== "attributes.seats") return String(value) === text;
    if (isAttribute) return value !== null && comparisons[operator]?.(Number(value), Number(text)) === true;
    if (name !== "mrr" && name !== "severity") return true;
    return comparisons[operator]?.(Number(value), Number(text)) === true;
  });
}
