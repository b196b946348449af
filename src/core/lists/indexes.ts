import { type Column, hasIndex } from "../../../db/expressions.ts";
import type { SlicePlan } from "../../../db/slices.ts";
import { ATTRIBUTE_IDS } from "../attributes/conditions.ts";
import {
  type AnyList,
  conditionsOf,
  LITERAL,
  type ListVariant,
  listName,
  parseFieldCondition,
  rangeName,
} from "./definition.ts";
import { isRange, rangeCondition } from "./fields.ts";

/** The first range of a field among filters. */
export function findRange({ filterFields = {} }: AnyList, filters: readonly string[]) {
  return filters
    .map((filter) => parseFieldCondition(filterFields, filter))
    .find((condition) => condition?.kind === "range");
}

/** Whether at most one row matches. */
export function isUnique(
  { uniqueFilters, uniqueInScope, scope }: AnyList,
  filters: readonly string[],
): boolean {
  const isScoped = scope !== undefined && filters.includes(scope);
  const unique: readonly string[] = [...(uniqueFilters ?? []), ...((isScoped && uniqueInScope) || [])];
  return filters.some((filter) => unique.includes(filter));
}

/** Whether the filters match few rows, whose index is used for every order. */
export function isNarrow(definition: AnyList, filters: readonly string[]): boolean {
  const first: readonly string[] = [
    ...(definition.filterFirst ?? []),
    ...(definition.scope ? [definition.scope] : []),
  ];
  return isUnique(definition, filters) || filters.some((filter) => first.includes(filter));
}

/** Whether the filters include a search. */
export function isSearch(filters: readonly string[]): boolean {
  return filters.includes("search");
}

/** Whether a variant has no other conditions than those of the range of an index that is in its order. */
export function isRangeInOrder(definition: AnyList, variant: ListVariant<string, string>): boolean {
  const { where, by, bounds } = indexRange(definition, variant, false);
  const count = where.length + (bounds ? 1 : 0);
  return by[0] === definition.sortBy[variant.sortBy] && count === variant.filters.length;
}

/** Whether an index of another column has the few rows of a variant, which are then sorted. */
export function isSortedLast(definition: AnyList, { sortBy, filters }: ListVariant<string, string>): boolean {
  const { filterFields = {} } = definition;
  if (filters.includes(ATTRIBUTE_IDS)) return true;
  return filters.some((filter) => {
    const condition = parseFieldCondition(filterFields, filter);
    return (
      condition !== undefined &&
      condition.kind !== "field" &&
      condition.field.column !== definition.sortBy[sortBy]
    );
  });
}

/** The index that a variant reads: the conditions on its first columns, and the columns after them. */
export function indexRange(
  definition: AnyList,
  { sortBy, filters }: ListVariant<string, string>,
  isCount: boolean,
): Pick<SlicePlan, "where" | "by" | "bounds"> {
  const { from, key, literal, searchColumn, defaultOrder, scope } = definition;
  const column = sortColumn(definition, sortBy);
  for (const filter of filters) {
    const columns = definition.indexed?.[filter];
    if (!columns || !(isCount || filter === scope || columns.includes(column))) continue;
    const first = columns.includes(column) ? column : columns[0];
    return { where: conditionsOf(definition, [filter]), by: first === key ? [key] : [first, key] };
  }
  const isLiteral = filters.includes(LITERAL);
  const range = findRange(definition, filters);
  const bounds = range && rangeCondition(range);
  if (range && range.field.column !== column) return { where: [], by: [range.field.column, key], bounds };
  const isIndexed = hasIndex(from, column) && !isSearch(filters);
  const first = isIndexed ? column : sortColumn(definition, searchColumn ?? defaultOrder[0]);
  const ofLiteral = filters.filter((filter) => filter === LITERAL || filter === literal?.filter);
  return { where: conditionsOf(definition, isLiteral ? ofLiteral : []), by: [first, key], bounds };
}

/** The names of the conditions of one field for which an index can be used. */
export function indexedConditions({ filterFields = {}, from }: AnyList): string[] {
  return Object.entries(filterFields).flatMap(([name, field]) => {
    if (!isRange(field)) return field.falseIfNull ? [listName(name)] : [];
    return field.isNullable || !hasIndex(from, field.column) ? [] : [rangeName(name), listName(name)];
  });
}

/** Whether rows are read in the order of an index of the sort column. Otherwise the index of a filter has few rows. */
export function hasOrderedIndex(definition: AnyList, variant: ListVariant<string, string>): boolean {
  return (
    !isNarrow(definition, variant.filters) &&
    !isSortedLast(definition, variant) &&
    hasIndex(definition.from, sortColumn(definition, variant.sortBy))
  );
}

function sortColumn({ name, sortBy }: AnyList, order: string): Column {
  const column = sortBy[order];
  if (!column) throw new Error(`${name} has no order ${order}`);
  return column;
}
