import type { SQL } from "drizzle-orm";
import type { Values } from "../../../db/engine.ts";
import { type Column, withoutIndexes } from "../../../db/expressions.ts";
import type { AttributeResource } from "../../../db/schema.ts";
import type { SelectFields } from "../../../db/statements.ts";
import { attributeCondition } from "../attributes/conditions.ts";
import type { TenantTable } from "../tenant/statements.ts";
import type { TenantSnapshot } from "../tenant/tenant.ts";
import {
  conditionOfAll,
  isRange,
  type ListField,
  type ListFields,
  listCondition,
  type RangeField,
  rangeCondition,
} from "./fields.ts";
import type { SortOrder } from "./paging.ts";

/** A list: its rows, sort columns and filters, and how its indexes are used. */
export type ListDefinition<F extends SelectFields, Sort extends string, Filter extends string> = {
  /** Unique: the prefix of the names of its statements. */
  name: string;
  from: TenantTable;
  /** The last sort column of every order, so that pages of unchanged data do not overlap. */
  key: Column;
  fields: F;
  sortBy: Record<Sort, Column>;
  defaultOrder: readonly [NoInfer<Sort>, SortOrder];
  /** Each condition has an input of the filter's name. The one named `search` reads the index of `searchColumn`. */
  filters: Record<Filter, SQL | undefined>;
  /** The filters with operators. One with the name of a filter takes what is not a single value. */
  filterFields?: ListFields;
  /** How the text of a filter is folded: the input of the filter's name, or all inputs of its condition. */
  foldedInputs?: { readonly [Name in NoInfer<Filter>]?: (text: string) => string | Values };
  searchColumn?: NoInfer<Sort>;
  /** Filters that match at most one row. */
  uniqueFilters?: readonly NoInfer<Filter>[];
  /** Filters that match few rows within `scope`. */
  uniqueInScope?: readonly NoInfer<Filter>[];
  /** Filters by the second column of an index, with the columns that follow the matched ones in such an index. */
  indexed?: { readonly [Name in NoInfer<Filter>]?: readonly [Column, ...Column[]] };
  /** The filter in `indexed` whose index is used for every order. */
  scope?: NoInfer<Filter>;
  /** Filters with few matches: their index is used, and the matches are sorted. */
  filterFirst?: readonly NoInfer<Filter>[];
  /** A literal condition that a partial index requires, added when the filter has a value other than `unlessValue`. */
  literal?: { filter: NoInfer<Filter>; unlessValue: string; condition: SQL };
  /** The resource whose attributes the list filters and orders by. */
  attributes?: AttributeResource;
  /** The stored number of all rows of the organization. */
  countAll?: (snapshot: TenantSnapshot) => Promise<number>;
};

/** A row of a page, with its sort column and its key. */
export type OrderedRow<R> = R & { orderValue: string; orderKey: number };
/** The name of the condition `literal` among the filters of a variant. */
export const LITERAL = "literal";
/** The name of the condition of all `filterFields`, for which no index is used. */
export const FIELDS = "fields";
/** The name of the same condition for one of them: with all, each row that is read would take twice the time. */
export const fieldName = (field: string) => `field:${field}`;
/** The names of the conditions of one field: see `parseFieldCondition`. */
export const rangeName = (field: string) => `range:${field}`;
export const listName = (field: string) => `list:${field}`;

export type ListVariant<Sort extends string, Filter extends string> = {
  /** `sortBy/sortOrder/filter+filter`. */
  name: string;
  sortBy: Sort;
  sortOrder: SortOrder;
  filters: readonly Filter[];
};

/** A list of any rows, sort columns and filters. */
export type AnyList = ListDefinition<SelectFields, string, string>;

/** The conditions of filters, in their order. */
export function conditionsOf(
  { key, filters: conditions, literal, filterFields = {}, attributes }: AnyList,
  filters: readonly string[],
): (SQL | undefined)[] {
  return filters.map((filter) => {
    if (filter === LITERAL) return literal?.condition;
    if (filter === FIELDS) return withoutIndexes(conditionOfAll(filterFields));
    const ofAttributes = attributes && attributeCondition(attributes, key, filter);
    if (ofAttributes) return ofAttributes;
    const condition = parseFieldCondition(filterFields, filter);
    if (!condition) return conditions[filter];
    if (condition.kind === "range") return rangeCondition(condition);
    const { name, field } = condition;
    return condition.kind === "list"
      ? listCondition(condition)
      : withoutIndexes(conditionOfAll({ [name]: field }));
  });
}

/** A condition of one field. An index of its column is used for a range and a list. */
export type FieldCondition = { name: string } & (
  | { kind: "range"; field: RangeField }
  | { kind: "list" | "field"; field: ListField }
);

/** The condition with a name such as `range:mrr`, `list:externalId` or `field:mrr`; undefined for other names. */
export function parseFieldCondition(fields: ListFields, filter: string): FieldCondition | undefined {
  const [kind, name = ""] = filter.split(":");
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field && kind === "range" && isRange(field)) return { kind, name, field };
  return field && (kind === "list" || kind === "field") ? { kind, name, field } : undefined;
}
