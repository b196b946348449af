import { and, asc, count, desc, eq, type SQL } from "drizzle-orm";
import {
  type Column,
  hasIndex,
  integerInput,
  isAfter,
  textInput,
  withoutIndex,
} from "../../db/expressions.ts";
import type { Row, SelectFields, Statement } from "../../db/statements.ts";
import type { SortOrder } from "./paging.ts";
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
  /** Filters that match at most one row, within `scope` if there is one. */
  uniqueFilters?: readonly NoInfer<Filter>[];
  /** Filters by the second column of an index, with the columns that are the third one of such an index. */
  indexed?: { readonly [Name in NoInfer<Filter>]?: readonly [Column, ...Column[]] };
  /** The filter in `indexed` whose index is used for every order. */
  scope?: NoInfer<Filter>;
  /** A filter with few matches: its index is used, and the matches are sorted. */
  filterFirst?: NoInfer<Filter>;
  /** A literal condition that a partial index requires, added when the filter has a value other than `unlessValue`. */
  literal?: { filter: NoInfer<Filter>; unlessValue: string; condition: SQL };
};

/** A row of a page, with its sort column and its key. */
export type OrderedRow<R> = R & { orderValue: string; orderKey: number };
/** The statements of one combination of order and filters. */
export type ListStatements<R> = {
  page: TenantStatement<OrderedRow<R>>;
  /** For a search with many matches: reads rows in their order until the page is complete, not the matches. */
  pageInSortOrder: TenantStatement<OrderedRow<R>> | undefined;
  keys: TenantStatement<{ key: number }>;
  byKey: TenantStatement<OrderedRow<R>>;
  countAll: TenantStatement<{ count: number }>;
  countAfter: TenantStatement<{ count: number }> | undefined;
};

/** Stands for the condition `literal` among the filters of a variant. */
export const LITERAL = "literal";

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

/** Returns a function that builds the statements of a variant. It throws for an unknown variant. */
export function listStatements<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
): (variant: string) => ListStatements<Row<F>> {
  const { name, from, key } = definition;
  // Safe: the names of the definition's filters.
  const indexed = Object.keys(definition.indexed ?? {}) as Filter[];
  const scans = new Map<Filter | undefined, Statement<unknown>>(
    [undefined, ...indexed].map((filter) => {
      const scan = { fields: { key }, from, where: filter && definition.filters[filter], paged: true };
      return [filter, select(`${name}.scanned${filter ? `.${filter}` : ""}`, scan).statement];
    }),
  );
  return (variant) => {
    const [order, filters] = parseVariant(definition, variant);
    const isUnique = filters.some((filter) => definition.uniqueFilters?.includes(filter));
    const scanned = isUnique ? undefined : scans.get(indexed.find((filter) => filters.includes(filter)));
    return buildStatements(definition, variant, order, filters, scanned);
  };
}

/** The index that a variant reads: the filters on its first columns, and the columns after them. */
function rangesOf<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
  sortBy: Sort,
  filters: readonly Filter[],
  isCount: boolean,
): { filters: readonly Filter[]; by: [Column, Column] | [Column] } {
  const { from, key, literal, searchColumn, defaultOrder, scope } = definition;
  const column = definition.sortBy[sortBy];
  for (const filter of filters) {
    const columns = definition.indexed?.[filter];
    if (!columns || !(isCount || filter === scope || columns.includes(column))) continue;
    const first = columns.includes(column) ? column : columns[0];
    return { filters: [filter], by: first === key ? [key] : [first, key] };
  }
  const isLiteral = filters.some((filter) => filter === LITERAL);
  const isSearch = filters.some((filter) => filter === "search");
  const isIndexed = hasIndex(from, column) && !isSearch;
  const first = isIndexed ? column : definition.sortBy[searchColumn ?? defaultOrder[0]];
  const ofLiteral = filters.filter((filter) => filter === LITERAL || filter === literal?.filter);
  return { filters: isLiteral ? ofLiteral : [], by: [first, key] };
}

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
  const conditionOf = (name: Filter) => (name === LITERAL ? literal?.condition : definition.filters[name]);
  const where = and(...filters.map(conditionOf));
  const isSearch = searchColumn !== undefined && filters.some((name) => name === "search");
  const ranges = rangesOf(definition, sortBy, filters, false);
  const countRanges = rangesOf(definition, sortBy, filters, true);
  // Whether the range of the index contains exactly the matching rows, in page order.
  const isIndexOrder = ranges.by[0] === column && ranges.filters.length === filters.length;
  const isFilteredFirst = !isIndexOrder && filters.some((name) => name === filterFirst);
  const last: [SQL, SQL] = [textInput("lastValue"), integerInput("lastKey")];
  const afterLast = isAfter([column, key], last, sortOrder);
  const countFields = { count: count() };
  const fields = { ...definition.fields, orderValue: column, orderKey: key };
  const nameOf = (statement: string) => `${definition.name}/${statement}/${variant}`;
  // Safe: `fields` are the definition's fields and the two columns of the order.
  const selectRows = (statement: string, plan: Parameters<typeof select>[1]) =>
    select(nameOf(statement), plan) as unknown as TenantStatement<OrderedRow<Row<F>>>;
  const byKey = selectRows("byKey", { fields, from, where: eq(key, integerInput("key")) });
  const sliceOf = ({ filters, by }: typeof ranges) => scanned && { where: filters.map(conditionOf), by };
  const sliceBy = sliceOf(ranges);
  const sliceCountBy = sliceOf(countRanges);
  const order = { columns: [column, key], isDescending: sortOrder === "desc" };
  const slicePageBy = sliceBy && { ...sliceBy, matching: where, order };
  const isSearchInOtherOrder = isSearch && searchColumn !== sortBy;
  const inOrder = {
    from,
    // A search in the order of the searched column reads that index up to the end of the page. In another order, the
    // subquery finds the matches in that index first: otherwise every row would be read.
    where: !isFilteredFirst && isSearchInOtherOrder ? inSubquery({ from, key, where }) : where,
    // The index of the filter is read, and its few rows are sorted.
    orderBy: [direction(isFilteredFirst ? withoutIndex(column) : column), direction(key)],
    paged: true,
    scanned: isIndexOrder ? undefined : scanned,
  };
  const bounds = countRanges.by[0] === column ? afterLast : undefined;
  return {
    page: selectRows("page", {
      fields,
      ...inOrder,
      sliceBy: slicePageBy && { ...slicePageBy, rowByKey: byKey.statement },
    }),
    pageInSortOrder:
      isSearchInOtherOrder && !isFilteredFirst && hasIndex(from, column) && sliceBy
        ? selectRows("pageInSortOrder", {
            ...inOrder,
            fields,
            where,
            sliceBy: { ...sliceBy, by: [column, key], order },
          })
        : undefined,
    keys: select(nameOf("keys"), { fields: { key }, ...inOrder, sliceBy: slicePageBy }) as TenantStatement<{
      key: number;
    }>,
    byKey,
    countAll: select(nameOf("countAll"), {
      fields: countFields,
      from,
      where,
      scanned,
      sliceBy: sliceCountBy,
    }),
    countAfter:
      isSearch && searchColumn === sortBy
        ? select(nameOf("countAfter"), {
            fields: countFields,
            from,
            where: and(where, afterLast),
            scanned,
            sliceBy: sliceCountBy && { ...sliceCountBy, bounds },
          })
        : undefined,
  };
}
