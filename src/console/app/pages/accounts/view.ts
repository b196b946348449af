import type { operations } from "../../../../../clients/typescript/src/schema.ts";
import { accountFields } from "../../../../shared/fields/accounts.ts";
import type { ResourceFields } from "../../../../shared/fields/field.ts";
import {
  type AddressCheck,
  checkParameters,
  orderParameter,
  readView,
  type SortOrder,
  searchParameter,
  type TableOrder,
} from "../../address.ts";
import { hasLabel } from "../../editing/members.ts";
import {
  type AttributeCondition,
  type Comparison,
  describeCondition,
  type ListedAttribute,
} from "./attribute-text.ts";
import {
  apiFilterOf,
  describeFilter,
  type FilterValues,
  filters,
  isWholeFilter,
  parseFilter,
} from "./filters.ts";

/** The condition of a parameter of the address and its value; undefined for another parameter. */
function attributeConditionOf(parameter: string, value: string): AttributeCondition | undefined {
  const [, name, operator] =
    /^attributes\.([A-Za-z]\w{0,63})(?:\.(gte?|lte?|in|contains))?$/.exec(parameter) ?? [];
  if (name === undefined) return undefined;
  if (operator === undefined && value === "none") return { name, operator: "none", value: "" };
  // Safe: the operators of the expression.
  return { name, operator: (operator ?? "eq") as Comparison, value };
}

/** The parameter and its value. The text `none` is found by a list: `=none` finds rows without the attribute. */
export function parameterOf({ name, operator, value }: AttributeCondition): [string, string] {
  const parameter = `attributes.${name}`;
  if (operator === "none") return [parameter, "none"];
  if (operator === "eq" && value !== "none") return [parameter, value];
  return [`${parameter}.${operator === "eq" ? "in" : operator}`, value];
}

/** The filters and the order of the table of accounts. They are the query of its address. */
export type View = TableOrder & {
  search: string;
  filters: FilterValues;
  /** Of the page; undefined for the first. */
  cursor: string | undefined;
  /** The ids of the columns; undefined: those that this browser stores. */
  columns: readonly string[] | undefined;
};

const attributeOrder = /^attributes\.[A-Za-z]\w{0,63}$/;
const fields: ResourceFields = accountFields;
const sortColumns = [...Object.keys(fields).filter((name) => fields[name]?.isSortable), "healthScore"];
const columnNames = [...Object.keys(fields).filter(hasLabel), "healthScore"];
const filterParameters = filters.flatMap(({ parameters }) => parameters);
export const maxAttributeFilters = 10;

type AccountOrder = NonNullable<NonNullable<operations["listAccounts"]["parameters"]["query"]>["sortBy"]>;

/** The order of a view, as parameters of the API. */
export function apiOrderOf({ sortBy, sortOrder }: View): { sortBy: AccountOrder; sortOrder: SortOrder } {
  // Safe: `parseView` has checked the name.
  return { sortBy: sortBy as AccountOrder, sortOrder };
}

const parameters = {
  ...searchParameter,
  sortBy: { isValue: isSortable, read: (name: string) => (isSortable(name) ? name : "name") },
  sortOrder: orderParameter("asc"),
};

/** The view of an address. Parameters that are not valid are left out: `checkAddress` returns them. */
export function parseView(query: URLSearchParams): View {
  const values = filterParameters.map((name) => [name, parseFilter(name, query.get(name) ?? "")]);
  return {
    ...readView(query, parameters),
    // Safe: values without those that are undefined.
    filters: Object.fromEntries([
      ...values.filter(([, value]) => value !== undefined),
      ...attributeEntries(query),
    ]) as FilterValues,
    cursor: query.get("cursor") ?? undefined,
    columns: columnsOf(query.get("columns")),
  };
}

/** `ignored`: the parameters that the page does not read completely. `rest`: the query of the view. */
export function checkAddress(query: URLSearchParams): AddressCheck {
  const { ignored } = checkParameters(query, {
    ...parameters,
    cursor: { isValue: () => true },
    columns: { isValue: (text) => text === "" || text.split(",").every(isColumn) },
    ...Object.fromEntries(
      filterParameters.map((name) => [name, { isValue: (text: string) => isWholeFilter(name, text) }]),
    ),
    ...Object.fromEntries(attributeEntries(query).map(([name]) => [name, { isValue: () => true }])),
  });
  return { ignored, rest: queryOfView(parseView(query)) };
}

/** Whether the id may be one of a column; the attribute of it may be gone. */
export const isColumn = (id: string) => columnNames.includes(id) || attributeOrder.test(id);

/** The ids of a list; none of an empty one. Undefined without a valid id. */
function columnsOf(text: string | null): string[] | undefined {
  if (text === "") return [];
  const ids = text?.split(",").filter(isColumn) ?? [];
  return ids.length === 0 ? undefined : ids;
}

function isSortable(name: string): boolean {
  return sortColumns.includes(name) || attributeOrder.test(name);
}

/** The filters by attributes: the first of each parameter, and no more than the API accepts. */
function attributeEntries(query: URLSearchParams): [string, string][] {
  const names = [...new Set(query.keys())].filter((name) => attributeConditionOf(name, "") !== undefined);
  return names.slice(0, maxAttributeFilters).map((name) => [name, query.get(name) ?? ""]);
}

export function attributeFiltersOf(view: View): [parameter: string, condition: AttributeCondition][] {
  return Object.entries(view.filters).flatMap(([parameter, value]) => {
    const condition = attributeConditionOf(parameter, value);
    return condition ? [[parameter, condition]] : [];
  });
}

export function queryOfView({ search, filters, sortBy, sortOrder, cursor, columns }: View): URLSearchParams {
  const query = new URLSearchParams({ ...(search !== "" && { search }), ...filters });
  if (sortBy !== "name" || sortOrder !== "asc") query.set("sortBy", sortBy);
  if (sortOrder === "desc") query.set("sortOrder", sortOrder);
  if (columns !== undefined) query.set("columns", columns.join());
  if (cursor !== undefined) query.set("cursor", cursor);
  return query;
}

/** The filters as parameters of the API. */
export function apiFiltersOf({ search, filters }: View): Record<string, string> {
  const entries = Object.entries(filters).map(apiFilterOf);
  return { ...(search !== "" && { search }), ...Object.fromEntries(entries) };
}

/** The filters in effect in words, each with its parameters. The search is left out: its field shows it. */
export function activeFilters(
  view: View,
  attributes: readonly ListedAttribute[] = [],
): { text: string; names: readonly string[] }[] {
  const byField = filters.map((filter) => [describeFilter(filter, view.filters), filter.parameters] as const);
  const byAttribute = attributeFiltersOf(view).map(
    ([parameter, condition]) =>
      [
        describeCondition(
          condition,
          attributes.find(({ name }) => name === condition.name),
        ),
        [parameter],
      ] as const,
  );
  return [...byField, ...byAttribute].flatMap(([text, names]) =>
    text === undefined ? [] : [{ text, names }],
  );
}
