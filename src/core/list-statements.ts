import { and, asc, count, desc, eq, type SQL } from "drizzle-orm";
import {
  type Column,
  hasIndex,
  integerInput,
  isAfter,
  textInput,
  withoutIndex,
} from "../../db/expressions.ts";
import type { SlicePlan } from "../../db/slices.ts";
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

/** The name of the condition `literal` among the filters of a variant. */
export const LITERAL = "literal";

type Variant<Sort extends string, Filter extends string> = {
  /** `sortBy/sortOrder/filter+filter`. */
  name: string;
  sortBy: Sort;
  sortOrder: SortOrder;
  filters: readonly Filter[];
};

/** Throws for a part of the name that the list does not have. */
function parseVariant<F extends SelectFields, Sort extends string, Filter extends string>(
  { name: list, sortBy, filters, literal }: ListDefinition<F, Sort, Filter>,
  name: string,
): Variant<Sort, Filter> {
  const [column = "", sortOrder, chosen = ""] = name.split("/");
  const chosenFilters = chosen === "" ? [] : chosen.split("+");
  const isKnown =
    Object.hasOwn(sortBy, column) &&
    (sortOrder === "asc" || sortOrder === "desc") &&
    chosenFilters.every((filter) => (filter === LITERAL && literal) || Object.hasOwn(filters, filter));
  if (!isKnown) throw new Error(`${list} has no variant ${name}`);
  // Safe: checked above.
  return { name, sortBy: column as Sort, sortOrder, filters: chosenFilters as Filter[] };
}

/** Returns a function that builds the statements of a variant. It throws for an unknown variant. */
export function listStatements<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
): (variantName: string) => ListStatements<Row<F>> {
  const { name, from, key } = definition;
  // Safe: the names of the definition's filters.
  const indexed = Object.keys(definition.indexed ?? {}) as Filter[];
  const scans = new Map<Filter | undefined, Statement<unknown>>(
    [undefined, ...indexed].map((filter) => {
      const scan = { fields: { key }, from, where: filter && definition.filters[filter], paged: true };
      return [filter, select(`${name}.scanned${filter ? `.${filter}` : ""}`, scan).statement];
    }),
  );
  return (variantName) => {
    const variant = parseVariant(definition, variantName);
    const { filters } = variant;
    const isUnique = filters.some((filter) => definition.uniqueFilters?.includes(filter));
    const scanned = isUnique ? undefined : scans.get(indexed.find((filter) => filters.includes(filter)));
    return {
      ...pageStatements(definition, variant, scanned),
      ...countStatements(definition, variant, scanned),
    };
  };
}

function conditionsOf<F extends SelectFields, Sort extends string, Filter extends string>(
  { filters: conditions, literal }: ListDefinition<F, Sort, Filter>,
  filters: readonly Filter[],
): (SQL | undefined)[] {
  return filters.map((name) => (name === LITERAL ? literal?.condition : conditions[name]));
}

function isSearch(filters: readonly string[]): boolean {
  return filters.includes("search");
}

/** The index that a variant reads: the conditions on its first columns, and the columns after them. */
function rangesOf<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
  { sortBy, filters }: Variant<Sort, Filter>,
  isCount: boolean,
): Pick<SlicePlan, "where" | "by"> {
  const { from, key, literal, searchColumn, defaultOrder, scope } = definition;
  const column = definition.sortBy[sortBy];
  for (const filter of filters) {
    const columns = definition.indexed?.[filter];
    if (!columns || !(isCount || filter === scope || columns.includes(column))) continue;
    const first = columns.includes(column) ? column : columns[0];
    return { where: conditionsOf(definition, [filter]), by: first === key ? [key] : [first, key] };
  }
  const isLiteral = filters.some((filter) => filter === LITERAL);
  const isIndexed = hasIndex(from, column) && !isSearch(filters);
  const first = isIndexed ? column : definition.sortBy[searchColumn ?? defaultOrder[0]];
  const ofLiteral = filters.filter((filter) => filter === LITERAL || filter === literal?.filter);
  return { where: conditionsOf(definition, isLiteral ? ofLiteral : []), by: [first, key] };
}

function pageStatements<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
  variant: Variant<Sort, Filter>,
  scanned: Statement<unknown> | undefined,
): Pick<ListStatements<Row<F>>, "page" | "pageInSortOrder" | "keys" | "byKey"> {
  const { from, key, searchColumn, filterFirst } = definition;
  const { sortBy, sortOrder, filters } = variant;
  const column = definition.sortBy[sortBy];
  const where = and(...conditionsOf(definition, filters));
  const ranges = rangesOf(definition, variant, false);
  // Whether the range of the index contains exactly the matching rows, in page order.
  const isIndexOrder = ranges.by[0] === column && ranges.where.length === filters.length;
  const isFilteredFirst = !isIndexOrder && filters.some((name) => name === filterFirst);
  const isSearchInOtherOrder = isSearch(filters) && searchColumn !== undefined && searchColumn !== sortBy;
  const direction = sortOrder === "asc" ? asc : desc;
  const order = { columns: [column, key], isDescending: sortOrder === "desc" };
  const sliceBy = scanned && { ...ranges, matching: where, order };
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
  const fields = { ...definition.fields, orderValue: column, orderKey: key };
  const nameOf = (statement: string) => `${definition.name}/${statement}/${variant.name}`;
  // Safe: `fields` are the definition's fields and the two columns of the order.
  const selectRows = (statement: string, plan: Omit<Parameters<typeof select>[1], "fields">) =>
    select(nameOf(statement), { ...plan, fields }) as unknown as TenantStatement<OrderedRow<Row<F>>>;
  const byKey = selectRows("byKey", { from, where: eq(key, integerInput("key")) });
  return {
    byKey,
    page: selectRows("page", { ...inOrder, sliceBy: sliceBy && { ...sliceBy, rowByKey: byKey.statement } }),
    pageInSortOrder:
      isSearchInOtherOrder && !isFilteredFirst && hasIndex(from, column) && sliceBy
        ? selectRows("pageInSortOrder", {
            ...inOrder,
            where,
            sliceBy: { where: ranges.where, by: [column, key], order },
          })
        : undefined,
    keys: select(nameOf("keys"), { fields: { key }, ...inOrder, sliceBy }) as TenantStatement<{
      key: number;
    }>,
  };
}

function countStatements<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
  variant: Variant<Sort, Filter>,
  scanned: Statement<unknown> | undefined,
): Pick<ListStatements<Row<F>>, "countAll" | "countAfter"> {
  const { from, key, searchColumn } = definition;
  const { sortBy, sortOrder, filters } = variant;
  const column = definition.sortBy[sortBy];
  const where = and(...conditionsOf(definition, filters));
  const ranges = rangesOf(definition, variant, true);
  const sliceBy = scanned && ranges;
  const plan = { fields: { count: count() }, from, scanned };
  const afterLast = isAfter([column, key], [textInput("lastValue"), integerInput("lastKey")], sortOrder);
  const bounds = ranges.by[0] === column ? afterLast : undefined;
  const nameOf = (statement: string) => `${definition.name}/${statement}/${variant.name}`;
  return {
    countAll: select(nameOf("countAll"), { ...plan, where, sliceBy }),
    countAfter:
      isSearch(filters) && searchColumn === sortBy
        ? select(nameOf("countAfter"), {
            ...plan,
            where: and(where, afterLast),
            sliceBy: sliceBy && { ...sliceBy, bounds },
          })
        : undefined,
  };
}
