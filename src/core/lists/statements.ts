import { and, asc, count, desc, isNotNull, isNull, not, type SQL, sql } from "drizzle-orm";
import {
  type Column,
  compare,
  hasIndex,
  integerInput,
  withoutIndex,
  withoutIndexes,
  withoutSqliteIndex,
} from "../../../db/expressions.ts";
import { attributeValues } from "../../../db/schema.ts";
import { maxCachedStatements, type Row, type SelectFields } from "../../../db/statements.ts";
import type { OrderAttribute } from "../attributes/conditions.ts";
import { isAttribute } from "../attributes/value-index.ts";
import {
  aggregateOf,
  inSubquery,
  type OrderedRows,
  select,
  selectByKeys,
  type TenantStatement,
} from "../tenant/statements.ts";
import type { AnyList } from "./definition.ts";
import type { Condition } from "./fields.ts";
import type { SortOrder } from "./paging.ts";

/**
 * A part of a list in its order: all rows, or the rows with and without a value of a nullable order. After a cursor:
 * rows with its value, rows after its value, and rows without a value. SQLite does not compare two columns with an index
 * whose second column is the rowid.
 */
export type ListPart = "all" | "valued" | "missing" | "within" | "beyond" | "missingAfter";
/**
 * How the rows of a part are found. `planner`: its choice, where all filters are in the index of the order, or few rows
 * match. `sorted`: by an index of the filters. `ordered`: in the order, until enough rows match.
 */
export type Plan = "planner" | "sorted" | "ordered";
export type ListQuery = {
  list: AnyList;
  conditions: readonly Condition[];
  column: Column;
  sortOrder: SortOrder;
  attribute: OrderAttribute | undefined;
};
export type PageQuery = ListQuery & {
  part: ListPart;
  plan: Plan;
  /** Whether the keys of the page are found first, then its rows: other rows are not read where an index has the filters. */
  isByKeys: boolean;
  /** The total that each row has: the stored one of the list, or, on a full page, the number of all matches. */
  total: "stored" | "matches" | false;
  /** Whether each row has its sort column and its key: the next cursor has them. */
  hasPosition: boolean;
};
/** A row of a page with what its query adds. */
export type PageRow<R> = R & {
  orderValue?: string | number | null;
  orderKey?: number;
  total?: number | null;
};

/** A function that returns the statement of a shape, which is built at its first use. */
export function cacheByShape<R>() {
  const cache = new Map<string, TenantStatement<R>>();
  return (shape: string, build: () => TenantStatement<R>): TenantStatement<R> => {
    const cached = cache.get(shape);
    if (cached) return cached;
    const statement = build();
    if (cache.size === maxCachedStatements) cache.delete(cache.keys().next().value ?? "");
    cache.set(shape, statement);
    return statement;
  };
}

/** Two queries of a list with one shape differ in their values only. */
export function shapeOf({ conditions, column, sortOrder, attribute, ...page }: PageQuery): string {
  const shapes = conditions.map(({ shape }) => shape).join();
  const order = attribute ? `attributes ${attribute.column}` : column.name;
  return `${page.part} ${page.plan} ${page.isByKeys} ${page.total} ${page.hasPosition} ${sortOrder} ${order}: ${shapes}`;
}

/**
 * The statement of a page. Its inputs: `limit`, `offset` and the inputs of the conditions; after a cursor `cursorValue` and
 * `cursorKey`; in the order of an attribute `orderName`.
 */
export function pageStatement(query: PageQuery): TenantStatement<PageRow<unknown>> {
  const { from, key, storedTotal } = query.list;
  const total = query.total === "stored" ? storedTotal?.subquery : query.total && matchTotal(query);
  const fields = { ...query.list.fields, ...(total && { total }) };
  const source = sourceOf(query);
  const { value, where } = source;
  const direction = query.sortOrder === "asc" ? asc : desc;
  const orderValue = value && (query.plan === "sorted" ? withoutIndex(value) : value);
  const orderBy = [...(orderValue ? [direction(orderValue)] : []), direction(source.key)];
  const { hasPosition } = query;
  const position = hasPosition && { ...(value && { orderValue: value }), orderKey: key };
  const statement = query.isByKeys
    ? selectByKeys({ fields, from, key }, { keys: { ...source, orderBy }, direction, hasPosition })
    : select(undefined, { fields: { ...fields, ...position }, from, where, orderBy, paged: true });
  // Safe: the fields of the definition and the columns of the order.
  return statement as unknown as TenantStatement<PageRow<unknown>>;
}

/** The number of all matches on a full page: a page that is not full shows it, and need not look for more. */
function matchTotal(query: PageQuery): SQL<number | null> {
  const column = searchOrderOf(query.conditions) ?? query.column;
  const total = aggregateOf(count(), sourceOf({ ...query, column, plan: "planner" }));
  return sql`case when count(*) over () = ${integerInput("limit")} then ${total} end`;
}

/** The statement of the number of rows of a part, and of other aggregates over them. */
export function countStatement<F extends SelectFields>(query: PageQuery, aggregates?: F) {
  const { from, where } = sourceOf({ ...query, plan: "planner" });
  // Safe: `count` and the aggregates.
  return select(undefined, { fields: { count: count(), ...aggregates }, from, where }) as TenantStatement<
    { count: number } & Row<F>
  >;
}

/** The table that has the order of a part, and all conditions on its rows. */
function sourceOf(query: PageQuery): OrderedRows {
  const { list, part, attribute, column } = query;
  const { from, key } = list;
  const hasAttribute =
    list.attributes && attribute?.column && isAttribute(list.attributes, attribute.column, "order");
  const { rowId } = attributeValues;
  if (part === "missing" || part === "missingAfter") {
    const isWithout = attribute
      ? hasAttribute &&
        not(inSubquery({ from: attributeValues, key: rowId, column: key, where: hasAttribute }))
      : isNull(column);
    const isAfter = part === "missingAfter" ? compare(key, afterOf(query), "cursorKey") : undefined;
    return { from, key, value: undefined, where: and(matchesOf(query), isWithout || undefined, isAfter) };
  }
  if (!attribute?.column)
    return { from, key, value: column, where: and(matchesOf(query), positionOf(query, column, key)) };
  const value = attributeValues[attribute.column];
  const where = and(hasAttribute || undefined, positionOf(query, value, rowId), keyMatchesOf(query));
  return { from: attributeValues, key: rowId, value, where };
}

/** The rows of a part with a value. */
function positionOf({ part, plan, ...query }: PageQuery, value: Column, key: Column): SQL | undefined {
  const after = afterOf(query);
  const isAfter = compare(value, after, "cursorValue");
  const isWithin = and(compare(value, "=", "cursorValue"), compare(key, after, "cursorKey"));
  if (part === "all") return undefined;
  if (part === "valued") return isNotNull(value);
  const position = part === "within" ? isWithin : isAfter;
  return plan === "sorted" ? withoutIndexes(position) : position;
}

function afterOf({ sortOrder }: ListQuery): ">" | "<" {
  return sortOrder === "asc" ? ">" : "<";
}

/** The conditions on the table of the list. */
function matchesOf(query: PageQuery): SQL | undefined {
  const { conditions, plan, part, column, attribute } = query;
  const { from, key } = query.list;
  const isFirst = plan !== "ordered" && isSearchedFirst(query);
  const isKeyList = (condition: Condition) => condition.isOnKey || (isFirst && condition.use === "search");
  const keyList = conditions.find(isKeyList);
  const matches = (condition: Condition) => {
    const where = condition.sql(key);
    const matched = isFirst && condition.use === "search" ? inSubquery({ from, key, where }) : where;
    // SQLite would read each pair of two lists of keys.
    return isKeyList(condition) && condition !== keyList ? withoutSqliteIndex(matched) : matched;
  };
  const isOrdered = plan === "ordered";
  if (!isOrdered && !conditions.some(isNarrow)) return and(...conditions.map(matches));
  // The end of a range that is behind a cursor would be used instead of the cursor.
  const isRange = ({ rangeOf }: Condition) =>
    !attribute && rangeOf === column && (part === "all" || part === "valued");
  const isOfIndex = (condition: Condition) =>
    isOrdered ? isIndexed(condition) || isRange(condition) : isNarrow(condition);
  const others = conditions.filter((condition) => !isOfIndex(condition)).map(matches);
  return and(
    ...conditions.filter(isOfIndex).map(matches),
    others.length > 0 ? withoutIndexes(and(...others)) : undefined,
  );
}

/** `matchesOf` as conditions on the values of an attribute. */
function keyMatchesOf(query: PageQuery): SQL | undefined {
  const { from, key } = query.list;
  const { rowId } = attributeValues;
  const [onKey, inTable] = [true, false].map((isOnKey) =>
    query.conditions.filter((condition) => (condition.isOnKey ?? false) === isOnKey),
  );
  const where = matchesOf({ ...query, conditions: inTable ?? [], plan: "planner" });
  const lists = (onKey ?? []).map((condition) => condition.sql(rowId));
  if (where) lists.push(inSubquery({ from, key, where, column: rowId }));
  // As above.
  const matches = and(...lists.map((list, i) => (i > 0 ? withoutSqliteIndex(list) : list)));
  return matches && query.plan === "ordered" ? withoutIndexes(matches) : matches;
}

/** Whether the number of matches decides how rows are found: an index has the order, and another may have the filters. */
export function hasChoice(query: Pick<ListQuery, "list" | "conditions" | "column" | "attribute">): boolean {
  const { list, conditions, column, attribute } = query;
  if (conditions.some(isNarrow)) return false;
  const isOther = (condition: Condition) =>
    !isIndexed(condition) && (condition.use !== "search" || isSearchedFirst(query));
  return (attribute !== undefined || hasIndex(list.from, column)) && conditions.some(isOther);
}

/** Whether few rows match. */
export function isNarrow({ use }: Condition): boolean {
  return use === "unique" || use === "narrow";
}

/** Whether the index of every order, or an index of few rows, has the condition. */
function isIndexed({ use }: Condition): boolean {
  return use !== "other" && use !== "search";
}

/** The order whose index has the columns of the search. */
export function searchOrderOf(conditions: readonly Condition[]): Column | undefined {
  return conditions.find(({ use }) => use === "search")?.order;
}

/** Whether the matches of a search are found first: the index of the order, or of another filter, has not its columns. */
function isSearchedFirst(query: Pick<ListQuery, "conditions" | "column" | "attribute">): boolean {
  const { conditions, column, attribute } = query;
  if (conditions.some(isNarrow)) return false;
  if (conditions.some(({ use }) => use === "other")) return true;
  return attribute !== undefined || column !== searchOrderOf(conditions);
}
