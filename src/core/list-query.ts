import type { Value, Values } from "../../db/engine.ts";
import { defineFamily, type Row, type SelectFields } from "../../db/statements.ts";
import { fold } from "./folding.ts";
import {
  LITERAL,
  type ListDefinition,
  type ListStatements,
  listStatements,
  type OrderedRow,
} from "./list-statements.ts";
import { offsetOf, type PageRequest, type Pagination, paginationOf, type SortOrder } from "./paging.ts";
import type { TenantSnapshot } from "./tenant.ts";

/** All filters must match; an empty search is no filter. */
export type ListRequest<Sort extends string, Filter extends string> = PageRequest & {
  sortBy?: Sort | undefined;
  sortOrder?: SortOrder | undefined;
} & { readonly [Name in Filter]?: string | number | undefined };
export type Page<R> = { rows: R[]; pagination: Pagination };
/** A list as its route reads it. The schema of its query is derived from the order and from `Filter`. */
export type List<R, Sort extends string, Filter extends string> = {
  sortColumns: readonly [Sort, ...Sort[]];
  defaultOrder: readonly [Sort, SortOrder];
  /** `knownTotal` returns a stored total, or undefined when the rows have to be counted. */
  read(
    snapshot: TenantSnapshot,
    query: ListRequest<Sort, Filter>,
    knownTotal?: () => Promise<number> | undefined,
  ): Promise<Page<R>>;
};

/** From this offset on, the keys of a page are read from an index alone, then its rows by key. */
const DEEP_PAGE_OFFSET = 1_000;
/** Assumed row count n. A page of m matches reads m rows, or in sort order about n / m for each of its rows. */
const LARGE_ROW_COUNT = 1_000_000;

/** Defines a list. Its statements are built at the first use of each combination of order and filters. */
export function defineList<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
): List<Row<F>, Sort, Filter> {
  const { name, literal } = definition;
  const build = listStatements(definition);
  const cache = new Map<string, ListStatements<Row<F>>>();
  defineFamily(name, (variant) => statementsOf(variant.slice(variant.indexOf("/") + 1)));

  /** `variant` is `sortBy/sortOrder/filter+filter`. */
  function statementsOf(variant: string): ListStatements<Row<F>> {
    const statements = cache.get(variant) ?? build(variant);
    cache.set(variant, statements);
    return statements;
  }

  function valuesOf(query: ListRequest<Sort, Filter>): Record<string, Value> {
    const values: Record<string, Value> = {};
    // Safe: the names of the definition's filters.
    for (const filter of Object.keys(definition.filters) as Filter[]) {
      const value = query[filter];
      if (value === undefined || (filter === "search" && value === "")) continue;
      values[filter] = definition.caseInsensitive?.includes(filter) ? fold(String(value)) : value;
    }
    return values;
  }

  // Safe: a list has at least one sort column.
  const sortColumns = Object.keys(definition.sortBy) as [Sort, ...Sort[]];
  return { sortColumns, defaultOrder: definition.defaultOrder, read };

  async function read(
    snapshot: TenantSnapshot,
    query: ListRequest<Sort, Filter>,
    knownTotal?: () => Promise<number> | undefined,
  ): Promise<Page<Row<F>>> {
    const sortBy = query.sortBy ?? definition.defaultOrder[0];
    const sortOrder = query.sortOrder ?? definition.defaultOrder[1];
    const values = valuesOf(query);
    const filters = Object.keys(values);
    if (literal && (values[literal.filter] ?? literal.unlessValue) !== literal.unlessValue)
      filters.push(LITERAL);
    const statementsIn = (order: SortOrder) => statementsOf(`${sortBy}/${order}/${filters.join("+")}`);
    const statements = statementsIn(sortOrder);
    const offset = offsetOf(query);
    const page: PageRead<Row<F>> = {
      snapshot,
      statements,
      reversed: () => statementsIn(sortOrder === "asc" ? "desc" : "asc"),
      values,
      limit: query.pageSize,
      offset,
    };
    if (offset >= DEEP_PAGE_OFFSET || statements.pageInSortOrder) {
      // The total decides how the page is read.
      const total = (await knownTotal?.()) ?? (await countMatches(page));
      const rows = offset < total ? await readRows(page, total) : [];
      return { rows, pagination: paginationOf(query, total) };
    }
    const rows = await snapshot.all(statements.page, { ...values, limit: query.pageSize, offset });
    const total = (await knownTotal?.()) ?? (await countWithPage(page, rows));
    return { rows, pagination: paginationOf(query, total) };
  }
}

type PageRead<R> = {
  snapshot: TenantSnapshot;
  statements: ListStatements<R>;
  /** Returns the statements of the opposite order. */
  reversed: () => ListStatements<R>;
  /** The values of the filters. */
  values: Values;
  limit: number;
  offset: number;
};

async function readRows<R>(page: PageRead<R>, total: number): Promise<OrderedRow<R>[]> {
  const { snapshot, statements, values, limit, offset } = page;
  const isFasterInSortOrder = total ** 2 > (offset + limit) * LARGE_ROW_COUNT;
  if (statements.pageInSortOrder && isFasterInSortOrder)
    return snapshot.all(statements.pageInSortOrder, { ...values, limit, offset });
  if (offset < DEEP_PAGE_OFFSET) return snapshot.all(statements.page, { ...values, limit, offset });
  const keys = await readKeys(page, total);
  const rows = await Promise.all(keys.map((key) => snapshot.first(statements.byKey, key)));
  return rows.flatMap((row) => row ?? []);
}

/** Reads the keys of a page in the second half from the end of the list: fewer rows are before it. */
async function readKeys<R>(page: PageRead<R>, total: number): Promise<{ key: number }[]> {
  const { snapshot, statements, reversed, values, offset } = page;
  const limit = Math.min(page.limit, total - offset);
  const rowsAfter = total - offset - limit;
  if (rowsAfter >= offset) return snapshot.all(statements.keys, { ...values, limit: page.limit, offset });
  return (await snapshot.all(reversed().keys, { ...values, limit, offset: rowsAfter })).reverse();
}

async function countMatches<R>({ snapshot, statements, values }: PageRead<R>): Promise<number> {
  return (await snapshot.first(statements.countAll, values))?.count ?? 0;
}

/** The total of a list. A search reads its index once: the page reads it up to its last row, `countAfter` the rest. */
async function countWithPage<R>(page: PageRead<R>, rows: OrderedRow<R>[]): Promise<number> {
  const { snapshot, statements, values, limit, offset } = page;
  const last = rows.at(-1);
  if (rows.length < limit && (last || offset === 0)) return offset + rows.length;
  if (!last || !statements.countAfter) return countMatches(page);
  const after = { lastValue: last.orderValue, lastKey: last.orderKey };
  const following = await snapshot.first(statements.countAfter, { ...values, ...after });
  return offset + rows.length + (following?.count ?? 0);
}
