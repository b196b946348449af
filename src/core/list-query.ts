import { and, asc, count, desc, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Value, Values } from "../../db/sqlite/prepared.ts";
import { integerInput, isAfter, type Row, type SelectFields, textInput } from "../../db/statements.ts";
import { fold } from "./folding.ts";
import { offsetOf, type PageRequest, type Pagination, paginationOf, type SortOrder } from "./paging.ts";
import { inSubquery, select, type Tenant, type TenantStatement, type TenantTable } from "./tenant.ts";

/** Which lists there are of a table, and which index serves them. */
export type ListDefinition<F extends SelectFields, Sort extends string, Filter extends string> = {
  from: TenantTable;
  /** What ends every order, so that pages never overlap. */
  key: SQLiteColumn;
  fields: F;
  sortBy: Record<Sort, SQLiteColumn>;
  /** The order when none is asked for. */
  order: readonly [NoInfer<Sort>, SortOrder];
  /** Conditions, each with an input of its own name. One named `search` reads the index of `searched`. */
  filters: Record<Filter, SQL | undefined>;
  /** The filters whose values are compared case-folded. */
  folded?: readonly NoInfer<Filter>[];
  searched?: NoInfer<Sort>;
  /** A filter that leaves few rows: they are looked for first, and then put in order. */
  narrow?: NoInfer<Filter>;
};
/** What is asked of a list. All filters that are given must hold; an empty search is none. */
export type ListRequest<Sort extends string, Filter extends string> = PageRequest & {
  sortBy?: Sort | undefined;
  sortOrder?: SortOrder | undefined;
} & { readonly [Name in Filter]?: string | number | undefined };
export type Page<R> = { rows: R[]; pagination: Pagination };

/** From this row on a page's keys are skipped to in the index alone; before it, one statement costs less than two. */
const DEEP_PAGE_OFFSET = 1_000;

/**
 * A list that is paged, sorted and filtered. Its statements are made once for each combination of order and
 * filters. `stored` answers a total that is kept, or undefined when the rows have to be counted.
 */
export function defineList<F extends SelectFields, Sort extends string, Filter extends string>(
  plan: ListDefinition<F, Sort, Filter>,
) {
  const known = new Map<string, ListStatements<Row<F>>>();

  function statementsOf(sortBy: Sort, sortOrder: SortOrder, filters: Filter[]): ListStatements<Row<F>> {
    const key = `${sortBy} ${sortOrder} ${filters}`;
    const statements = known.get(key) ?? buildStatements(plan, sortBy, sortOrder, filters);
    known.set(key, statements);
    return statements;
  }

  function valuesOf(asked: ListRequest<Sort, Filter>): Values {
    const values: Record<string, Value> = {};
    // Safe: a plan's filters have their names.
    for (const name of Object.keys(plan.filters) as Filter[]) {
      const value = asked[name];
      if (value === undefined || (name === "search" && value === "")) continue;
      values[name] = plan.folded?.includes(name) ? fold(String(value)) : value;
    }
    return values;
  }

  return async (
    tenant: Tenant,
    asked: ListRequest<Sort, Filter>,
    stored?: () => Promise<number> | undefined,
  ): Promise<Page<Row<F>>> => {
    const [sortBy, sortOrder] = [asked.sortBy ?? plan.order[0], asked.sortOrder ?? plan.order[1]];
    const values = valuesOf(asked);
    // Safe: the names of the values are names of filters.
    const filters = Object.keys(values) as Filter[];
    const { page, keys, byKey, countAll, countAfter } = statementsOf(sortBy, sortOrder, filters);
    const offset = offsetOf(asked);
    const wanted = { ...values, limit: asked.pageSize, offset };
    if (offset >= DEEP_PAGE_OFFSET) return readDeepPage();
    const rows = await tenant.rows.all(page, wanted);
    const total = (await stored?.()) ?? (await countRows());
    return { rows, pagination: paginationOf(asked, total) };

    /** Counts first: of an order without an index all rows would be sorted, for a page that may lie past the end. */
    async function readDeepPage() {
      const total = (await stored?.()) ?? (await tenant.rows.first(countAll, values))?.count ?? 0;
      const found = offset < total ? await tenant.rows.all(keys, wanted) : [];
      const read = await Promise.all(found.map((one) => tenant.rows.first(byKey, one)));
      return { rows: read.flatMap((row) => row ?? []), pagination: paginationOf(asked, total) };
    }

    /** A search reads its index once: the page reads down to its last row, this the rest. */
    async function countRows(): Promise<number> {
      const last = rows.at(-1);
      if (rows.length < asked.pageSize && (last || offset === 0)) return offset + rows.length;
      if (!last || !countAfter) return (await tenant.rows.first(countAll, values))?.count ?? 0;
      const after = { lastValue: last.orderValue, lastKey: last.orderKey };
      const rest = await tenant.rows.first(countAfter, { ...values, ...after });
      return offset + rows.length + (rest?.count ?? 0);
    }
  };
}

type OrderedRow<R> = R & { orderValue: string; orderKey: number };
type ListStatements<R> = {
  page: TenantStatement<OrderedRow<R>>;
  keys: TenantStatement<{ key: number }>;
  byKey: TenantStatement<OrderedRow<R>>;
  countAll: TenantStatement<{ count: number }>;
  countAfter: TenantStatement<{ count: number }> | undefined;
};

function buildStatements<F extends SelectFields, Sort extends string, Filter extends string>(
  plan: ListDefinition<F, Sort, Filter>,
  sortBy: Sort,
  sortOrder: SortOrder,
  filters: Filter[],
): ListStatements<Row<F>> {
  const { from, key, searched, narrow } = plan;
  const column = plan.sortBy[sortBy];
  const direction = sortOrder === "asc" ? asc : desc;
  const where = and(...filters.map((name) => plan.filters[name]));
  const isSearch = searched !== undefined && filters.some((name) => name === "search");
  const isNarrow = filters.some((name) => name === narrow);
  const last: [SQL, SQL] = [textInput("lastValue"), integerInput("lastKey")];
  const afterLast = and(where, isAfter([column, key], last, sortOrder));
  const total = { count: count() };
  const fields = { ...plan.fields, orderValue: column, orderKey: key };
  const inOrder = {
    from,
    // In the order of the searched text its index is read as far as the page goes. In another order the
    // matches come first, from the same index: reading rows in that order would read all there are.
    where: !isNarrow && isSearch && searched !== sortBy ? inSubquery({ from, key, where }) : where,
    // No index is in the order of an expression: the filter's is read, and not a whole one in order.
    orderBy: [direction(isNarrow ? sql`coalesce(${column}, ${column})` : column), direction(key)],
    paged: true,
  };
  return {
    // Safe: the order's two columns are there beside the plan's own fields.
    page: select({ fields, ...inOrder }) as unknown as ListStatements<Row<F>>["page"],
    keys: select({ fields: { key }, ...inOrder }) as unknown as ListStatements<Row<F>>["keys"],
    byKey: select({ fields, from, where: eq(key, integerInput("key")) }) as unknown as ListStatements<
      Row<F>
    >["byKey"],
    countAll: select({ fields: total, from, where }),
    countAfter:
      isSearch && searched === sortBy ? select({ fields: total, from, where: afterLast }) : undefined,
  };
}
