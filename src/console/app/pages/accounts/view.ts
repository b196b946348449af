import {
  type AddressCheck,
  checkParameters,
  isSearch,
  isSortOrder,
  type ParameterRules,
  searchOf,
} from "../../address.ts";
import { type Status, statuses } from "../../statuses.ts";

/** The filters and the order of the table of accounts. They are the query of its address. */
export const tierNames = ["healthy", "attention", "at_risk", "critical", "none"] as const;
export type TierFilter = (typeof tierNames)[number];
export const operators = ["eq", "gt", "gte", "lt", "lte", "in", "none"] as const;
export type Comparison = (typeof operators)[number];

/** `over`: the last contact was more than `days` days ago; `within`: at most. */
export type LastContact = { kind: "never" } | { kind: "over" | "within"; days: number };
export type AttributeCondition = { name: string; operator: Comparison; value: string };

export type View = {
  search: string;
  statuses: Status[];
  tiers: TierFilter[];
  mrrFrom: number | undefined;
  mrrTo: number | undefined;
  lastContact: LastContact | undefined;
  attributes: AttributeCondition[];
  sortBy: string;
  sortOrder: "asc" | "desc";
  /** Of the page; undefined for the first. */
  cursor: string | undefined;
};

const attributeParameter = /^attributes\.([A-Za-z]\w{0,63})(?:\[(gte?|lte?|in)\])?$/;
const attributeOrder = /^attributes\.[A-Za-z]\w{0,63}$/;
const sortColumns = ["name", "mrr", "createdAt", "updatedAt", "contactActivityAt", "healthScore"];
export const maxAttributeFilters = 10;
const maxDays = 3650;

/** The view of an address. Parameters that are not valid are left out: `checkAddress` returns them. */
export function parseView(query: URLSearchParams): View {
  const sortBy = query.get("sortBy") ?? "";
  return {
    search: searchOf(query),
    statuses: listOf(query, "status", statuses),
    tiers: listOf(query, "tier", tierNames),
    mrrFrom: numberOf(query.get("mrr[gte]")),
    mrrTo: numberOf(query.get("mrr[lte]")),
    lastContact: parseLastContact(query.get("lastContact") ?? ""),
    attributes: attributeEntries(query).flatMap(parseAttribute),
    sortBy: isSortable(sortBy) ? sortBy : "name",
    sortOrder: query.get("sortOrder") === "desc" ? "desc" : "asc",
    cursor: query.get("cursor") ?? undefined,
  };
}

/** The parameters that a view reads completely. */
function parametersOf(query: URLSearchParams): ParameterRules {
  const attributes = attributeEntries(query).map(([parameter]) => [parameter, () => true] as const);
  return { ...ownParameters, ...Object.fromEntries(attributes) };
}

const ownParameters: ParameterRules = {
  search: isSearch,
  status: (value) => isListOf(value, statuses),
  tier: (value) => isListOf(value, tierNames),
  "mrr[gte]": (value) => numberOf(value) !== undefined,
  "mrr[lte]": (value) => numberOf(value) !== undefined,
  lastContact: (value) => parseLastContact(value) !== undefined,
  sortBy: isSortable,
  sortOrder: isSortOrder,
  cursor: () => true,
};

/** `ignored`: the parameters that the page does not read. `rest`: the query of the view. */
export function checkAddress(query: URLSearchParams): AddressCheck {
  const { ignored } = checkParameters(query, parametersOf(query));
  return { ignored, rest: queryOfView(parseView(query)) };
}

function isSortable(name: string): boolean {
  return sortColumns.includes(name) || attributeOrder.test(name);
}

function isListOf(text: string, names: readonly string[]): boolean {
  return text.split(",").every((value) => names.includes(value));
}

function listOf<Name extends string>(query: URLSearchParams, name: string, names: readonly Name[]): Name[] {
  const values = (query.get(name) ?? "").split(",");
  return names.filter((candidate) => values.includes(candidate));
}

/** The number of a text; undefined if it has none. */
export function numberOf(text: string | null): number | undefined {
  if (text === null || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function parseLastContact(text: string): LastContact | undefined {
  if (text === "never") return { kind: "never" };
  const [, kind, days] = /^(over|within)-(\d{1,4})$/.exec(text) ?? [];
  if (kind === undefined || Number(days) > maxDays) return undefined;
  return { kind: kind === "over" ? "over" : "within", days: Number(days) };
}

/** The filters by attributes: the first of each parameter, and no more than the API accepts. */
function attributeEntries(query: URLSearchParams): [string, string][] {
  const entries = [...query].filter(([parameter]) => attributeParameter.test(parameter));
  const isFirst = ([parameter]: [string, string], i: number) =>
    entries.findIndex(([other]) => other === parameter) === i;
  return entries.filter(isFirst).slice(0, maxAttributeFilters);
}

function parseAttribute([parameter, value]: [string, string]): AttributeCondition[] {
  const [, name, operator] = attributeParameter.exec(parameter) ?? [];
  if (name === undefined) return [];
  if (operator === undefined && value === "none") return [{ name, operator: "none", value: "" }];
  return [{ name, operator: operators.find((candidate) => candidate === operator) ?? "eq", value }];
}

/** The query of the address of a view. */
export function queryOfView(view: View): URLSearchParams {
  const query = filterParameters(view);
  if (view.lastContact) query.set("lastContact", textOfLastContact(view.lastContact));
  if (view.sortBy !== "name" || view.sortOrder !== "asc") query.set("sortBy", view.sortBy);
  if (view.sortOrder === "desc") query.set("sortOrder", "desc");
  if (view.cursor !== undefined) query.set("cursor", view.cursor);
  return query;
}

function textOfLastContact(filter: LastContact): string {
  return filter.kind === "never" ? "never" : `${filter.kind}-${filter.days}`;
}

/** The filters that the address and the API have in the same form. */
function filterParameters(view: View): URLSearchParams {
  const query = new URLSearchParams();
  if (view.search !== "") query.set("search", view.search);
  if (view.statuses.length > 0) query.set("status", view.statuses.join(","));
  if (view.tiers.length > 0) query.set("tier", view.tiers.join(","));
  if (view.mrrFrom !== undefined) query.set("mrr[gte]", String(view.mrrFrom));
  if (view.mrrTo !== undefined) query.set("mrr[lte]", String(view.mrrTo));
  for (const filter of view.attributes) query.set(...attributeParameterOf(filter));
  return query;
}

/** The text `none` as a value is found by a list: `=none` finds rows without the attribute. */
function attributeParameterOf({ name, operator, value }: AttributeCondition): [string, string] {
  if (operator === "none") return [`attributes.${name}`, "none"];
  if (operator === "eq")
    return value === "none" ? [`attributes.${name}[in]`, "none"] : [`attributes.${name}`, value];
  return [`attributes.${name}[${operator}]`, value];
}

/**
 * The filters as parameters of the API. `dayBefore` returns the UTC day a number of days ago: a day rather than a time,
 * because a cursor is valid for equal filters only.
 */
export function apiFiltersOf(view: View, dayBefore: (days: number) => string): Record<string, string> {
  const filters: Record<string, string> = Object.fromEntries(filterParameters(view));
  const { lastContact } = view;
  if (lastContact?.kind === "never") filters.contactActivityAt = "none";
  else if (lastContact)
    filters[`contactActivityAt[${lastContact.kind === "over" ? "lt" : "gte"}]`] = dayBefore(lastContact.days);
  return filters;
}

/** Why no account can match the range of the revenue; undefined if one can. */
export function rangeFault({ mrrFrom, mrrTo }: Pick<View, "mrrFrom" | "mrrTo">): string | undefined {
  return mrrFrom !== undefined && mrrTo !== undefined && mrrFrom > mrrTo
    ? "MRR from is larger than MRR to: no account matches."
    : undefined;
}

/** The view with other filters or another order: at its first page. */
export function changeView(view: View, changes: Partial<View>): View {
  return { ...view, cursor: undefined, ...changes };
}

/** The view without filters. */
export function clearFilters(view: View): View {
  const { sortBy, sortOrder } = view;
  return { ...parseView(new URLSearchParams()), sortBy, sortOrder };
}
