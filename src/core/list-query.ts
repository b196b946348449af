import type { Value, Values } from "../../db/engine.ts";
import { hasIndex } from "../../db/expressions.ts";
import { defineFamily, type Row, type SelectFields } from "../../db/statements.ts";
import { noAttributes, readAttributeConditions } from "./attribute-choice.ts";
import { type AttributeOrder, orderedAttribute, sentAttributeFilters } from "./attribute-filters.ts";
import { attributeOrder } from "./attribute-order.ts";
import { readAttributePage } from "./attribute-pages.ts";
import { countByAttribute } from "./attribute-totals.ts";
import { type CursorPosition, readCursorPage } from "./cursor.ts";
import { type FieldFilters, isSingleValue, readFields } from "./filter-values.ts";
import { fold } from "./folding.ts";
import { allFieldConditions, chooseFieldConditions, countVariant } from "./list-choice.ts";
import { LITERAL, type ListDefinition, type OrderedRow } from "./list-definition.ts";
import type { ListFields } from "./list-fields.ts";
import { isNarrow, isSearch } from "./list-index.ts";
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
  sortBy?: Sort | AttributeOrder | undefined;
  sortOrder?: SortOrder | undefined;
} & { readonly [Name in Filter]?: string | number | undefined };
export type Page<R> = { rows: R[]; pagination: Pagination | CursorPagination };
/** A list as its route reads it. The schema of its query is derived from the order and from `Filter`. */
export type List<R, Sort extends string, Filter extends string> = {
  sortColumns: readonly [Sort, ...Sort[]];
  defaultOrder: readonly [Sort, SortOrder];
  filterFields: ListFields;
  /** Whether a query uses `filterFields` or attributes. */
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
  const { name, literal, filterFields = {}, attributes } = definition;
  const byAttribute = attributes && attributeOrder(definition, attributes);
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
  const attributesOf = (query: ListRequest<Sort, Filter>) => ({
    sent: attributes ? sentAttributeFilters(query) : [],
    order: attributes && orderedAttribute(query.sortBy),
  });
  const hasFieldFilters = (query: ListRequest<Sort, Filter>) => {
    const { sent, order } = attributesOf(query);
    return fieldsOf(query).selected.length > 0 || sent.length > 0 || order !== undefined;
  };
  const { defaultOrder } = definition;
  return { sortColumns, defaultOrder, filterFields, hasFieldFilters, read };

  async function read(
    snapshot: TenantSnapshot,
    query: ListRequest<Sort, Filter>,
    knownTotal?: (fields: FieldFilters) => Promise<number> | undefined,
  ): Promise<Page<Row<F>>> {
    const { sent, order } = attributesOf(query);
    // Safe: without an attribute, a sort column.
    const sortBy = order === undefined ? ((query.sortBy ?? defaultOrder[0]) as Sort) : defaultOrder[0];
    const sortOrder = query.sortOrder ?? defaultOrder[1];
    const plainValues = valuesOf(query);
    const fields = fieldsOf(query);
    const filters = Object.keys(plainValues);
    const values: Record<string, Value> = { ...plainValues };
    if (fields.selected.length > 0) Object.assign(values, fields.inputs);
    if (literal && (values[literal.filter] ?? literal.unlessValue) !== literal.unlessValue)
      filters.push(LITERAL);
    const scope: unknown[] = [name, query.sortBy ?? sortBy, sortOrder, { ...values }, fields.selected];
    const isNarrowed = isNarrow(definition, filters) || isSearch(filters);
    const own =
      attributes && (sent.length > 0 || order !== undefined)
        ? await readAttributeConditions(snapshot, attributes, {
            sent,
            order,
            // For a list of ids, SQLite would read all rows of the organization without this index.
            isNarrow: isNarrowed || !hasIndex(definition.from, definition.key),
          })
        : noAttributes;
    if (own !== noAttributes) scope.push(sent, own.ordered?.type);
    Object.assign(values, own.values);
    const isFew = own.ids !== undefined || order !== undefined;
    filters.push(
      ...(isFew
        ? allFieldConditions(fields)
        : await chooseFieldConditions(snapshot, definition, { sortBy, filters, fields, values, scanOf })),
    );
    const otherFilters = [...filters];
    filters.push(...own.names);
    const variantIn = (direction: SortOrder) => `${sortBy}/${direction}/${filters.join("+")}`;
    const counts = statementsOf(countVariant(definition, filters, fields) ?? variantIn(sortOrder));
    const countWith = async ({ countAll }: ListStatements<Row<F>>) =>
      (await snapshot.first(countAll, values))?.count ?? 0;
    const countAll = () =>
      definition.countAll?.(snapshot) ?? countWith(statementsOf(`${sortBy}/${sortOrder}/`));
    /** A stored total, or one from the index of an attribute. */
    const readTotal = () => {
      if (!attributes || !byAttribute || sent.length === 0) return knownTotal?.(fields);
      const { countValued } = byAttribute;
      const request = { snapshot, resource: attributes, conditions: own, otherFilters, values };
      return countByAttribute({ ...request, isNarrow: isNarrowed, countAll, countValued });
    };
    if (order !== undefined && byAttribute) {
      const isMissing = own.filters.some(({ name, isNone }) => name === order && isNone);
      const request = {
        snapshot,
        name: order,
        column: own.ordered?.type === "string" ? "text" : "number",
        isFiltered: own.orderFilter !== undefined,
        order: sortOrder,
        filters,
        values,
        valuedCount: filters.length === 0 && !own.orderFilter ? own.ordered?.count : undefined,
        canHaveValue: own.ordered !== undefined && !isMissing,
        canBeMissing:
          !own.orderFilter && (await definition.countAll?.(snapshot)) !== (own.ordered?.count ?? 0),
      } as const;
      const readCounted = async () => (await readTotal()) ?? countWith(counts);
      return readAttributePage(byAttribute, request, query, { scope, readTotal: readCounted });
    }
    const statements = statementsOf(variantIn(sortOrder));
    if (query.cursor !== undefined)
      return readCursorPage(snapshot, query, {
        query: scope,
        // Safe: the columns of the order are not null.
        positionOf: ({ orderValue, orderKey }) => [orderValue as string | number, orderKey as number],
        readAfter: (after, limit) => readAfter(snapshot, statements, values, { after, limit }),
      });
    const page: PageRead<Row<F>> = {
      snapshot,
      statements,
      reversed: () => statementsOf(variantIn(sortOrder === "asc" ? "desc" : "asc")),
      counts,
      values,
      limit: query.pageSize,
      offset: offsetOf(query),
    };
    const { rows, total } = await readPage(page, readTotal);
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
