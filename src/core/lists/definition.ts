import type { SQL } from "drizzle-orm";
import type { Values } from "../../../db/engine.ts";
import type { Column } from "../../../db/expressions.ts";
import type { AttributeResource } from "../../../db/schema.ts";
import type { SelectFields } from "../../../db/statements.ts";
import type { TenantStatement, TenantTable } from "../tenant/statements.ts";
import type { Condition, ListFilters } from "./fields.ts";
import type { SortOrder } from "./paging.ts";

/** A stored number of the rows of a list, for requests without other filters than `filters`. */
export type StoredTotal = {
  filters: readonly string[];
  /** The number as a subquery, and as a statement. Their inputs: `countedValues`. */
  subquery: SQL<number>;
  statement: TenantStatement<{ count: number }>;
};

/** The possible values of a filter, by its name. A row has one value. */
type ListedValues = Readonly<Record<string, readonly string[]>>;

/** For each filter, the input `counted_NAME`: its possible values as a JSON list, or null for any. */
export function countedValues({ filters }: StoredTotal, listed: ListedValues): Values {
  const textOf = (name: string) => (listed[name] ? JSON.stringify(listed[name]) : null);
  return Object.fromEntries(filters.map((name) => [`counted_${name}`, textOf(name)]));
}

/** The inputs of the stored total for these conditions; undefined if it counts other rows. */
export function countedBy(total: StoredTotal, conditions: readonly Condition[]): Values | undefined {
  const values: Record<string, readonly string[]> = {};
  for (const { filter, listed } of conditions) {
    if (filter === undefined || !listed || !total.filters.includes(filter)) return undefined;
    values[filter] = listed;
  }
  return countedValues(total, values);
}

/** A list: its rows, sort columns and filters. */
export type ListDefinition<F extends SelectFields, Sort extends string> = {
  /** Unique: cursors belong to it. */
  name: string;
  from: TenantTable;
  /** The last sort column of every order, so that pages of unchanged data do not overlap. */
  key: Column;
  fields: F;
  sortBy: Record<Sort, Column>;
  defaultOrder: readonly [NoInfer<Sort>, SortOrder];
  filters: ListFilters;
  /** The resource whose attributes the list filters and orders by. */
  attributes?: AttributeResource;
  storedTotal?: StoredTotal;
  /** Aggregates over all matches, for `readTotals`. */
  aggregates?: Record<string, SQL<number>>;
};

/** A list of any rows, sort columns and filters. */
export type AnyList = ListDefinition<SelectFields, string>;
/** What the schema of the query of a list is derived from. */
export type ListSchema<Sort extends string> = Pick<
  ListDefinition<SelectFields, Sort>,
  "sortBy" | "defaultOrder" | "filters" | "attributes"
>;
