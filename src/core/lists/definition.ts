import type { SQL } from "drizzle-orm";
import type { Values } from "../../../db/engine.ts";
import type { Column } from "../../../db/expressions.ts";
import type { AttributeResource } from "../../../db/schema.ts";
import type { SelectFields } from "../../../db/statements.ts";
import type { TenantTable } from "../tenant/statements.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import type { ListFields } from "./fields.ts";
import type { SortOrder } from "./paging.ts";

/** A list: its rows, sort columns and filters. */
export type ListDefinition<F extends SelectFields, Sort extends string, Filter extends string> = {
  /** Unique: cursors belong to it. */
  name: string;
  from: TenantTable;
  /** The last sort column of every order, so that pages of unchanged data do not overlap. */
  key: Column;
  fields: F;
  sortBy: Record<Sort, Column>;
  defaultOrder: readonly [NoInfer<Sort>, SortOrder];
  /** Filters by a single value. Each condition has an input of the filter's name. */
  filters: Record<Filter, SQL | undefined>;
  /** Filters with operators. One with the name of a filter takes what is not a single value. */
  filterFields?: ListFields;
  /** How the text of a filter is folded: the input of the filter's name, or all inputs of its condition. */
  foldedInputs?: { readonly [Name in NoInfer<Filter>]?: (text: string) => string | Values };
  /** The filters that match few rows, whose index is used in every order, and the order that this index has, if any. */
  narrow?: { readonly [Name in NoInfer<Filter>]?: NoInfer<Sort> | null };
  /** The filters by a column that the index of every order has. */
  inOrder?: readonly NoInfer<Filter>[];
  /** Partial indexes in every order begin with this filter. SQLite uses them if the query has their condition. */
  partial?: { filter: NoInfer<Filter>; unlessValue: string; condition: SQL };
  /** The order whose index has the columns of the filter `search`. */
  searchOrder?: NoInfer<Sort>;
  /** The resource whose attributes the list filters and orders by. */
  attributes?: AttributeResource;
  /** The stored number of rows, of a request without other filters than these. */
  storedTotal?: {
    filters: readonly string[];
    read: (snapshot: TenantSnapshot, values: ListedValues) => Promise<number>;
  };
};

/** The possible values of a filter, by its name. A row has one value. */
export type ListedValues = Readonly<Record<string, readonly string[]>>;
/** A list of any rows, sort columns and filters. */
export type AnyList = ListDefinition<SelectFields, string, string>;
