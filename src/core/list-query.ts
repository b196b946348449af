import type { Value, Values } from "../../db/engine.ts";
import { defineFamily, type Row, type SelectFields } from "../../db/statements.ts";
import { type CursorPosition, readCursorPage } from "./cursor.ts";
import { type FieldFilters, isSingleValue, readFields } from "./filter-values.ts";
import { fold } from "./folding.ts";
import { chooseFieldConditions, countVariant } from "./list-choice.ts";
import { LITERAL, type ListDefinition, type OrderedRow } from "./list-definition.ts";
import type { ListFields } from "./list-fields.ts";
import { type PageRead, readPage } from "./list-pages.ts";
import { type ListStatements, listStatements } from "./list-statements.ts";
import {
  type CursorPagination,
  offsetOf,
  type PageRequest,
  type Pagination,
  paginationOf,
  type SortOrder,
} from "./paging.ts";
import type { TenantSnapshot } from "./tenant.ts";

/** All filters must match; an empty search is no filter. */
export type ListRequest<Sort extends string, Filter extends string> = PageRequest & {
  sortBy?: Sort | undefined;
  sortOrder?: SortOrder | undefined;
} & { readonly [Name in Filter]?: string | number | undefined };
export type Page<R> = { rows: R[]; pagination: Pagination | CursorPagination };
/** A list as its route reads it. The schema of its query is derived from the order and from `Filter`. */
export type List<R, Sort extends string, Filter extends string> = {
  sortColumns: readonly [Sort, ...Sort[]];
  defaultOrder: readonly [Sort, SortOrder];
  filterFields: ListFields;
  /** Whether a query uses `filterFields`. */
  hasFieldFilters(query: ListRequest<Sort, Filter>): boolean;
  /** `knownTotal` returns a stored total for the filters, or undefined when the rows have to be counted. */
  read(
    snapshot: TenantSnapshot,
    query: ListRequest<Sort, Filter>,
    knownTotal?: (fields: FieldFilters) => Promise<number> | undefined,
  ): Promise<Page<R>>;
};

/** Defines a list. Its statements are built at the first use of each combination of order and filters. */
export function defineList<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
): List<Row<F>, Sort, Filter> {
  const { name, literal, filterFields = {} } = definition;
  const { build, scanOf } = listStatements(definition);
  const cache = new Map<string, ListStatements<Row<F>>>();
  defineFamily(name, (variant) => {
    const [statement, ...rest] = variant.split("/");
    if (statement === "scanned") scanOf(rest.join("/"));
    else statementsOf(rest.join("/"));
  });

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
      const field = filterFields[filter];
      // The field takes what is not a single value.
      if (value === undefined || (field && !isSingleValue(field, String(value)))) continue;
      if (filter === "search" && value === "") continue;
      values[filter] = definition.caseInsensitive?.includes(filter) ? fold(String(value)) : value;
    }
    return values;
  }

  // Safe: a list has at least one sort column.
  const sortColumns = Object.keys(definition.sortBy) as [Sort, ...Sort[]];
  const fieldsOf = (query: ListRequest<Sort, Filter>) =>
    readFields(filterFields, query, (filter) => Object.hasOwn(definition.filters, filter));
  const hasFieldFilters = (query: ListRequest<Sort, Filter>) => fieldsOf(query).selected.length > 0;
  return { sortColumns, defaultOrder: definition.defaultOrder, filterFields, hasFieldFilters, read };

  async function read(
    snapshot: TenantSnapshot,
    query: ListRequest<Sort, Filter>,
    knownTotal?: (fields: FieldFilters) => Promise<number> | undefined,
  ): Promise<Page<Row<F>>> {
    const sortBy = query.sortBy ?? definition.defaultOrder[0];
    const sortOrder = query.sortOrder ?? definition.defaultOrder[1];
    const plainValues = valuesOf(query);
    const fields = fieldsOf(query);
    const values = fields.selected.length > 0 ? { ...plainValues, ...fields.inputs } : plainValues;
    const filters = Object.keys(plainValues);
    if (literal && (values[literal.filter] ?? literal.unlessValue) !== literal.unlessValue)
      filters.push(LITERAL);
    filters.push(
      ...(await chooseFieldConditions(snapshot, definition, { sortBy, filters, fields, values, scanOf })),
    );
    const statementsIn = (order: SortOrder) => statementsOf(`${sortBy}/${order}/${filters.join("+")}`);
    const statements = statementsIn(sortOrder);
    if (query.cursor !== undefined)
      return readCursorPage(snapshot, query, {
        query: [name, sortBy, sortOrder, values, fields.selected],
        // Safe: the columns of the order are not null.
        positionOf: ({ orderValue, orderKey }) => [orderValue as string | number, orderKey as number],
        readAfter: (after, limit) => readAfter(snapshot, statements, values, { after, limit }),
      });
    const page: PageRead<Row<F>> = {
      snapshot,
      statements,
      reversed: () => statementsIn(sortOrder === "asc" ? "desc" : "asc"),
      counts: statementsOf(
        countVariant(definition, filters, fields) ?? `${sortBy}/${sortOrder}/${filters.join("+")}`,
      ),
      values,
      limit: query.pageSize,
      offset: offsetOf(query),
    };
    const { rows, total } = await readPage(page, () => knownTotal?.(fields));
    return { rows, pagination: paginationOf(query, total) };
  }
}

/** The first rows after a position: those with the same sort value, then those after it. */
async function readAfter<R>(
  snapshot: TenantSnapshot,
  { page, within, beyond }: ListStatements<R>,
  filters: Values,
  { after, limit }: { after: CursorPosition | undefined; limit: number },
): Promise<OrderedRow<R>[]> {
  if (!after) return snapshot.all(page, { ...filters, limit, offset: 0 });
  const [cursorValue = null, cursorKey = null] = after;
  const values = { ...filters, cursorValue, cursorKey, offset: 0 };
  const same = await snapshot.all(within, { ...values, limit });
  if (same.length === limit) return same;
  return [...same, ...(await snapshot.all(beyond, { ...values, limit: limit - same.length }))];
}
