import type { Values } from "../../../db/engine.ts";
import { hasIndex } from "../../../db/expressions.ts";
import { defineFamily, type Row, type SelectFields } from "../../../db/statements.ts";
import {
  type AttributeConditions,
  noAttributes,
  readAttributeConditions,
  valueFilterOf,
  withIds,
} from "../attributes/choice.ts";
import { type AttributeOrderRequest, attributeOrder } from "../attributes/order.ts";
import { readAttributePage } from "../attributes/pages.ts";
import { countByAttribute } from "../attributes/totals.ts";
import type { TenantSnapshot } from "../tenant/tenant.ts";
import { allFieldConditions, chooseFieldConditions, countVariant } from "./choice.ts";
import { type CursorPosition, readCursorPage } from "./cursor.ts";
import type { ListDefinition, OrderedRow } from "./definition.ts";
import type { ListFields } from "./fields.ts";
import type { FieldFilters } from "./filter-values.ts";
import { isNarrow, isSearch } from "./indexes.ts";
import { readPage } from "./pages.ts";
import {
  type CursorPagination,
  offsetOf,
  type PageRequest,
  type Pagination,
  paginationOf,
  type SortOrder,
} from "./paging.ts";
import { type ListRequest, type ParsedRequest, requestParser } from "./request.ts";
import { type ListStatements, listStatements } from "./statements.ts";

export type Page<R> = { rows: R[]; pagination: Pagination | CursorPagination };
/** Returns a stored total for the filters, or undefined when the rows have to be counted. */
type KnownTotal = (fields: FieldFilters) => Promise<number> | undefined;
/** Results that the caller computed before the read. */
type ListHints = { total?: KnownTotal; searchIds?: readonly number[] | undefined };
/** A list as its route reads it. The schema of its query is derived from the order and from `Filter`. */
export type List<R, Sort extends string, Filter extends string> = {
  sortColumns: readonly [Sort, ...Sort[]];
  defaultOrder: readonly [Sort, SortOrder];
  filterFields: ListFields;
  /** Whether a query uses `filterFields` or attributes. */
  hasFieldFilters(query: ListRequest<Sort, Filter>): boolean;
  /** `searchIds` are the ids of the rows that the search matches, if they are few and known. */
  read(snapshot: TenantSnapshot, query: ListRequest<Sort, Filter>, hints?: ListHints): Promise<Page<R>>;
};

/** A request of a list, with its conditions. */
type ListRead<Sort> = {
  snapshot: TenantSnapshot;
  page: PageRequest;
  request: ParsedRequest<Sort>;
  conditions: AttributeConditions;
  /** The inputs of all conditions. */
  values: Values;
  /** The names of the conditions, without and with those of attributes. */
  otherFilters: readonly string[];
  filters: readonly string[];
};
/** The numbers of rows of a request. */
type Totals<R> = {
  isUnfiltered: boolean;
  /** The statements that count the matching rows. */
  counts: ListStatements<R>;
  /** The number of all rows of the organization, read once. */
  countAll: () => Promise<number>;
  /** The stored number of matching rows, or that in the index of an attribute. Undefined: the rows have to be counted. */
  readKnown: () => Promise<number | undefined> | undefined;
  readTotal: () => Promise<number>;
};

/** Defines a list. Its statements are built at the first use of each combination of order and filters. */
export function defineList<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
): List<Row<F>, Sort, Filter> {
  const { name, from, key, filterFields = {}, attributes, defaultOrder } = definition;
  const { parse, hasFieldFilters } = requestParser(definition);
  const byAttribute = attributes && attributeOrder(definition, attributes);
  const { build, scanOf } = listStatements(definition);
  const hasKeyIndex = hasIndex(from, key);
  const cache = new Map<string, ListStatements<Row<F>>>();
  defineFamily(name, (variant) => {
    const [statement, ...rest] = variant.split("/");
    if (statement === "scanned") scanOf(rest.join("/"));
    else statementsOf(rest.join("/"));
  });
  // Safe: a list has at least one sort column.
  const sortColumns = Object.keys(definition.sortBy) as [Sort, ...Sort[]];
  return { sortColumns, defaultOrder, filterFields, hasFieldFilters, read };

  /** `variant` is `sortBy/sortOrder/filter+filter`. */
  function statementsOf(variant: string): ListStatements<Row<F>> {
    const statements = cache.get(variant) ?? build(variant);
    cache.set(variant, statements);
    return statements;
  }

  /** The conditions for the attributes of a request. */
  async function readConditions(
    snapshot: TenantSnapshot,
    { sent, orderAttribute, filters }: ParsedRequest<Sort>,
    searchIds: readonly number[] | undefined,
  ): Promise<AttributeConditions> {
    const conditions =
      !attributes || (sent.length === 0 && orderAttribute === undefined)
        ? noAttributes
        : await readAttributeConditions(snapshot, attributes, {
            sent,
            order: orderAttribute,
            // For a list of ids, SQLite would read all rows of the organization without this index.
            isNarrow: isNarrow(definition, filters) || isSearch(filters) || !hasKeyIndex,
          });
    return searchIds ? withIds(conditions, searchIds) : conditions;
  }

  async function read(
    snapshot: TenantSnapshot,
    query: ListRequest<Sort, Filter>,
    { total: knownTotal, searchIds }: ListHints = {},
  ): Promise<Page<Row<F>>> {
    const parsed = parse(query);
    const { orderAttribute, sortBy, fields } = parsed;
    const conditions = await readConditions(snapshot, parsed, searchIds);
    const withoutSearch = parsed.filters.filter((filter) => filter !== "search");
    const request = searchIds ? { ...parsed, filters: withoutSearch } : parsed;
    const values = { ...request.values, ...conditions.values };
    const isFew = conditions.ids !== undefined || orderAttribute !== undefined;
    const filtered = { sortBy, filters: request.filters, fields, values, scanOf };
    const chosen = isFew
      ? allFieldConditions(fields)
      : await chooseFieldConditions(snapshot, definition, filtered);
    const otherFilters = [...request.filters, ...chosen];
    const filters = [...otherFilters, ...conditions.names];
    const read: ListRead<Sort> = {
      snapshot,
      page: query,
      request,
      conditions,
      values,
      otherFilters,
      filters,
    };
    const totals = totalsOf(read, knownTotal);
    return orderAttribute !== undefined && byAttribute
      ? readByAttribute(byAttribute, orderAttribute, read, totals)
      : readByColumn(read, totals);
  }

  function variantIn(direction: SortOrder, { request, filters }: ListRead<Sort>): string {
    return `${request.sortBy}/${direction}/${filters.join("+")}`;
  }

  function totalsOf(read: ListRead<Sort>, knownTotal: KnownTotal | undefined): Totals<Row<F>> {
    const { snapshot, request, conditions, values, otherFilters, filters } = read;
    const { sent, sortBy, sortOrder, fields } = request;
    const isUnfiltered = filters.length === 0 && !conditions.orderFilter;
    const counts = statementsOf(countVariant(definition, filters, fields) ?? variantIn(sortOrder, read));
    const countWith = async ({ countAll }: ListStatements<Row<F>>) =>
      (await snapshot.first(countAll, values))?.count ?? 0;
    let all: Promise<number> | undefined;
    const countAll = () => {
      all ??= definition.countAll?.(snapshot) ?? countWith(statementsOf(`${sortBy}/${sortOrder}/`));
      return all;
    };
    const readKnown = () => {
      if (isUnfiltered && definition.countAll) return countAll();
      if (!attributes || !byAttribute || sent.length === 0) return knownTotal?.(fields);
      const { countValued } = byAttribute;
      const isNarrowed = isNarrow(definition, request.filters) || isSearch(request.filters);
      const counted = { snapshot, resource: attributes, conditions, otherFilters, values, countAll };
      return countByAttribute({ ...counted, isNarrow: isNarrowed, countValued });
    };
    const readTotal = async () => (await readKnown()) ?? countWith(counts);
    return { isUnfiltered, counts, countAll, readKnown, readTotal };
  }

  function readByAttribute(
    reads: NonNullable<typeof byAttribute>,
    name: string,
    { snapshot, page, request, conditions, values, filters }: ListRead<Sort>,
    { isUnfiltered, countAll, readTotal }: Totals<Row<F>>,
  ): Promise<Page<Row<F>>> {
    const { ordered, orderFilter } = conditions;
    const isNone = conditions.filters.some((filter) => filter.name === name && filter.isNone);
    const inOrder: AttributeOrderRequest = {
      ...{ snapshot, name, order: request.sortOrder, filters, values },
      column: ordered?.type === "string" ? "text" : "number",
      valueFilter: valueFilterOf(orderFilter),
      valuedCount: isUnfiltered ? ordered?.count : undefined,
      canHaveValue: ordered !== undefined && !isNone,
      canBeMissing: async () =>
        !orderFilter && (!definition.countAll || (await countAll()) !== (ordered?.count ?? 0)),
    };
    return readAttributePage(reads, inOrder, page, { scope: request.scope, readTotal });
  }

  async function readByColumn(
    read: ListRead<Sort>,
    { counts, readKnown }: Totals<Row<F>>,
  ): Promise<Page<Row<F>>> {
    const { snapshot, page, request, values } = read;
    const statements = statementsOf(variantIn(request.sortOrder, read));
    if (page.cursor !== undefined)
      return readCursorPage(snapshot, page, {
        query: request.scope,
        // Safe: the columns of the order are not null.
        positionOf: ({ orderValue, orderKey }) => [orderValue as string | number, orderKey as number],
        readAfter: (after, limit) => readAfter(snapshot, statements, values, { after, limit }),
      });
    const reversed = () => statementsOf(variantIn(request.sortOrder === "asc" ? "desc" : "asc", read));
    const place = { limit: page.pageSize, offset: offsetOf(page) };
    const { rows, total } = await readPage(
      { snapshot, statements, reversed, counts, values, ...place },
      readKnown,
    );
    return { rows, pagination: paginationOf(page, total) };
  }
}

/** The first rows after a position: those with the same sort value, then those after it. */
async function readAfter<R>(
  snapshot: TenantSnapshot,
  { positionedPage, within, beyond }: ListStatements<R>,
  filters: Values,
  { after, limit }: { after: CursorPosition | undefined; limit: number },
): Promise<OrderedRow<R>[]> {
  if (!after) return snapshot.all(positionedPage, { ...filters, limit, offset: 0 });
  const [cursorValue = null, cursorKey = null] = after;
  const values = { ...filters, cursorValue, cursorKey, offset: 0 };
  const same = await snapshot.all(within, { ...values, limit });
  if (same.length === limit) return same;
  return [...same, ...(await snapshot.all(beyond, { ...values, limit: limit - same.length }))];
}
