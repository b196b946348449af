import type { Value } from "../../../db/engine.ts";
import type { SelectFields } from "../../../db/statements.ts";
import {
  type AttributeOrder,
  orderedAttribute,
  type SentFilter,
  sentAttributeFilters,
} from "../attributes/filters.ts";
import { LITERAL, type ListDefinition } from "./definition.ts";
import { type FieldFilters, isSingleValue, readFields } from "./filter-values.ts";
import type { PageRequest, SortOrder } from "./paging.ts";

/** All filters must match; an empty search is no filter. */
export type ListRequest<Sort extends string, Filter extends string> = PageRequest & {
  sortBy?: Sort | AttributeOrder | undefined;
  sortOrder?: SortOrder | undefined;
} & { readonly [Name in Filter]?: string | number | undefined };

/** A validated request of a list. */
export type ParsedRequest<Sort> = {
  /** The filters by attributes, and the attribute of the order, if it is one. */
  sent: readonly SentFilter[];
  orderAttribute: string | undefined;
  /** The column of the order; the default for an order by an attribute. */
  sortBy: Sort;
  sortOrder: SortOrder;
  fields: FieldFilters;
  /** The names of the conditions of `filters` of the definition. */
  filters: string[];
  /** The inputs of these conditions and of `fields`. */
  values: Record<string, Value>;
  /** What a cursor belongs to. It does not depend on the order of the parameters. */
  scope: readonly unknown[];
};

/** Returns the functions that read the requests of a list. They throw `invalid_request`. */
export function requestParser<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
) {
  const { name, literal, filterFields = {}, attributes, defaultOrder } = definition;
  type Query = ListRequest<Sort, Filter>;

  /** The filters of a query, and the inputs of their conditions. */
  function filtersOf(query: Query): { filters: string[]; values: Record<string, Value> } {
    const filters: string[] = [];
    const values: Record<string, Value> = {};
    // Safe: the names of the definition's filters.
    for (const filter of Object.keys(definition.filters) as Filter[]) {
      const value = query[filter];
      const field = filterFields[filter];
      // The condition of the field reads other values than single ones.
      if (value === undefined || (field && !isSingleValue(field, String(value)))) continue;
      if (filter === "search" && value === "") continue;
      const folded = definition.foldedInputs?.[filter]?.(String(value)) ?? value;
      Object.assign(values, typeof folded === "object" ? folded : { [filter]: folded });
      filters.push(filter);
    }
    return { filters, values };
  }

  const fieldsOf = (query: Query) =>
    readFields(filterFields, query, (filter) => Object.hasOwn(definition.filters, filter));
  const attributesOf = (query: Query) => ({
    sent: attributes ? sentAttributeFilters(query) : [],
    orderAttribute: attributes && orderedAttribute(query.sortBy),
  });

  function parse(query: Query): ParsedRequest<Sort> {
    const { sent, orderAttribute } = attributesOf(query);
    // Safe: without an attribute, a sort column.
    const sortBy =
      orderAttribute === undefined ? ((query.sortBy ?? defaultOrder[0]) as Sort) : defaultOrder[0];
    const sortOrder = query.sortOrder ?? defaultOrder[1];
    const { filters, values } = filtersOf(query);
    const fields = fieldsOf(query);
    if (fields.selected.length > 0) Object.assign(values, fields.inputs);
    if (literal && (values[literal.filter] ?? literal.unlessValue) !== literal.unlessValue)
      filters.push(LITERAL);
    const scope: unknown[] = [name, query.sortBy ?? sortBy, sortOrder, { ...values }, fields.selected];
    if (sent.length > 0) scope.push(sent);
    return { sent, orderAttribute, sortBy, sortOrder, fields, filters, values, scope };
  }

  /** Whether a query uses `filterFields` or attributes. */
  function hasFieldFilters(query: Query): boolean {
    const { sent, orderAttribute } = attributesOf(query);
    return sent.length > 0 || orderAttribute !== undefined || fieldsOf(query).selected.length > 0;
  }

  return { parse, hasFieldFilters };
}
