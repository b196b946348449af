import { and, asc, count, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Value, Values } from "../../db/engine.ts";
import { type Column, hasIndex, integerInput, isAfter, textInput } from "../../db/expressions.ts";
import { defineFamily, type Row, type SelectFields, type Statement } from "../../db/statements.ts";
import { fold } from "./folding.ts";
import { offsetOf, type PageRequest, type Pagination, paginationOf, type SortOrder } from "./paging.ts";
import type { TenantSnapshot } from "./tenant.ts";
import { inSubquery, select, type TenantStatement, type TenantTable } from "./tenant-statements.ts";

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
  /** The filters whose values are folded. */
  caseInsensitive?: readonly NoInfer<Filter>[];
  searchColumn?: NoInfer<Sort>;
  /** A filter by a unique column. */
  uniqueFilter?: NoInfer<Filter>;
  /** A filter that every statement finds its rows by. */
  scope?: NoInfer<Filter>;
  /** A filter with few matches: its index is used, and the matches are sorted. */
  filterFirst?: NoInfer<Filter>;
  /** A literal condition that a partial index requires, added when the filter has a value other than `unlessValue`. */
  literal?: { filter: NoInfer<Filter>; unlessValue: string; condition: SQL };
};
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
const LITERAL = "literal";

/** Defines a list. Its statements are built at the first use of each combination of order and filters. */
export function defineList<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
): List<Row<F>, Sort, Filter> {
  const { name, from, key, scope, literal } = definition;
  const scan = { fields: { key }, from, paged: true };
  const scannedAll = select(`${name}.scanned`, scan).statement;
  const where = scope && definition.filters[scope];
  const scannedOfScope = where && select(`${name}.scannedOfScope`, { ...scan, where }).statement;
  const cache = new Map<string, ListStatements<Row<F>>>();
  defineFamily(name, (variant) => statementsOf(variant.slice(variant.indexOf("/") + 1)));

  /** `variant` is `sortBy/sortOrder/filter+filter`. */
  function statementsOf(variant: string): ListStatements<Row<F>> {
    const cached = cache.get(variant);
    if (cached) return cached;
    const [order, filters] = parseVariant(definition, variant);
    const statements = buildStatements(definition, variant, order, filters, scannedBy(filters));
    cache.set(variant, statements);
    return statements;
  }

  function scannedBy(filters: readonly Filter[]): Statement<unknown> | undefined {
    if (filters.some((filter) => filter === definition.uniqueFilter)) return undefined;
    return (filters.some((filter) => filter === scope) && scannedOfScope) || scannedAll;
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
    const statements = statementsOf(`${sortBy}/${sortOrder}/${filters.join("+")}`);
    const offset = offsetOf(query);
    const pageValues = { ...values, limit: query.pageSize, offset };
    if (offset >= DEEP_PAGE_OFFSET) return readDeepPage();
    const rows = await snapshot.all(statements.page, pageValues);
    const total = (await knownTotal?.()) ?? (await countRows(snapshot, statements, rows, query, values));
    return { rows, pagination: paginationOf(query, total) };

    /** Counts first, because the page may be past the end and reading its keys may sort every row. */
    async function readDeepPage(): Promise<Page<Row<F>>> {
      const total = (await knownTotal?.()) ?? (await snapshot.first(statements.countAll, values))?.count ?? 0;
      const keys = offset < total ? await snapshot.all(statements.keys, pageValues) : [];
      const rows = await Promise.all(keys.map((key) => snapshot.first(statements.byKey, key)));
      return { rows: rows.flatMap((row) => row ?? []), pagination: paginationOf(query, total) };
    }
  }
}

/** The parts of `sortBy/sortOrder/filter+filter`. Throws for a part that the list does not have. */
function parseVariant<F extends SelectFields, Sort extends string, Filter extends string>(
  { name, sortBy, filters, literal }: ListDefinition<F, Sort, Filter>,
  variant: string,
): [[Sort, SortOrder], Filter[]] {
  const [column = "", order, list = ""] = variant.split("/");
  const chosen = list === "" ? [] : list.split("+");
  const isKnown =
    Object.hasOwn(sortBy, column) &&
    (order === "asc" || order === "desc") &&
    chosen.every((filter) => (filter === LITERAL && literal) || Object.hasOwn(filters, filter));
  if (!isKnown) throw new Error(`${name} has no variant ${variant}`);
  // Safe: checked above.
  return [[column as Sort, order], chosen as Filter[]];
}

/** The total of a list. A search reads its index once: the page reads it up to its last row, `countAfter` the rest. */
async function countRows<R>(
  snapshot: TenantSnapshot,
  { countAll, countAfter }: ListStatements<R>,
  rows: OrderedRow<R>[],
  query: PageRequest,
  values: Values,
): Promise<number> {
  const offset = offsetOf(query);
  const last = rows.at(-1);
  if (rows.length < query.pageSize && (last || offset === 0)) return offset + rows.length;
  if (!last || !countAfter) return (await snapshot.first(countAll, values))?.count ?? 0;
  const after = { lastValue: last.orderValue, lastKey: last.orderKey };
  const following = await snapshot.first(countAfter, { ...values, ...after });
  return offset + rows.length + (following?.count ?? 0);
}

/** Whether a page is read in the order of an index, without a row that is not on it or before it. */
function isIndexOrder<F extends SelectFields, Sort extends string, Filter extends string>(
  { from, literal }: ListDefinition<F, Sort, Filter>,
  column: Column,
  filters: readonly string[],
): boolean {
  const isLiteral = filters.includes(LITERAL);
  const indexed = filters.filter((name) => isLiteral && (name === LITERAL || name === literal?.filter));
  return hasIndex(from, column) && indexed.length === filters.length;
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
  definition: ListDefinition<F, Sort, Filter>,
  variant: string,
  [sortBy, sortOrder]: [Sort, SortOrder],
  filters: Filter[],
  scanned: Statement<unknown> | undefined,
): ListStatements<Row<F>> {
  const { from, key, searchColumn, filterFirst, literal } = definition;
  const column = definition.sortBy[sortBy];
  const direction = sortOrder === "asc" ? asc : desc;
  const where = and(
    ...filters.map((name) => (name === LITERAL ? literal?.condition : definition.filters[name])),
  );
  const isSearch = searchColumn !== undefined && filters.some((name) => name === "search");
  const isFilteredFirst = filters.some((name) => name === filterFirst);
  const last: [SQL, SQL] = [textInput("lastValue"), integerInput("lastKey")];
  const afterLast = and(where, isAfter([column, key], last, sortOrder));
  const countFields = { count: count() };
  const fields = { ...definition.fields, orderValue: column, orderKey: key };
  const inOrder = {
    from,
    // A search in the order of the searched column reads that index up to the end of the page. In another order, the
    // subquery finds the matches in that index first: otherwise every row would be read.
    where: !isFilteredFirst && isSearch && searchColumn !== sortBy ? inSubquery({ from, key, where }) : where,
    // `coalesce` stops SQLite from choosing the ORDER BY index: it uses the filter's index and sorts the few rows.
    orderBy: [direction(isFilteredFirst ? sql`coalesce(${column}, ${column})` : column), direction(key)],
    paged: true,
    scanned: isIndexOrder(definition, column, filters) ? undefined : scanned,
  };
  const nameOf = (statement: string) => `${definition.name}/${statement}/${variant}`;
  // Safe: `fields` are the definition's fields and the two columns of the order.
  const selectRows = (statement: string, plan: Parameters<typeof select>[1]) =>
    select(nameOf(statement), plan) as unknown as TenantStatement<OrderedRow<Row<F>>>;
  return {
    page: selectRows("page", { fields, ...inOrder }),
    keys: select(nameOf("keys"), { fields: { key }, ...inOrder }) as TenantStatement<{ key: number }>,
    byKey: selectRows("byKey", { fields, from, where: eq(key, integerInput("key")) }),
    countAll: select(nameOf("countAll"), { fields: countFields, from, where, scanned }),
    countAfter:
      isSearch && searchColumn === sortBy
        ? select(nameOf("countAfter"), { fields: countFields, from, where: afterLast, scanned })
        : undefined,
  };
}
