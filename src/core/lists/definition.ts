import type { SQL } from "drizzle-orm";
import type { Column } from "../../../db/expressions.ts";
import type { AttributeResource } from "../../../db/schema.ts";
import type { SelectFields } from "../../../db/statements.ts";
import type { TenantTable } from "../tenant/statements.ts";
import type { ListFilters } from "./fields.ts";
import type { SortOrder } from "./paging.ts";
import type { StoredTotal } from "./stored-total.ts";

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
