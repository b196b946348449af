import type { Values } from "../../../db/engine.ts";
import { type Column, hasIndex } from "../../../db/expressions.ts";
import {
  type AttributeOrder,
  hasRelativeDay,
  orderedAttribute,
  type SentFilter,
  sentAttributeFilters,
} from "../attributes/filters.ts";
import { dayOf } from "../timestamps.ts";
import { cursorDay } from "./cursor.ts";
import { type AnyList, countedBy } from "./definition.ts";
import { type Condition, filterConditions } from "./fields.ts";
import { offsetOf, type PageRequest, type SortOrder } from "./paging.ts";
import { hasChoice } from "./statements.ts";

/** All filters must match. */
export type ListRequest<Sort extends string> = PageRequest & {
  sortBy?: Sort | AttributeOrder | undefined;
  sortOrder?: SortOrder | undefined;
} & { readonly [parameter: string]: string | number | undefined };

export type ParsedRequest = {
  page: ListRequest<string>;
  /** The column of the order; the column of the default order for an order by an attribute. */
  column: Column;
  sortOrder: SortOrder;
  orderAttribute: string | undefined;
  /** In the order of their shapes. */
  conditions: readonly Condition[];
  sent: readonly SentFilter[];
  /** The UTC day of relative days, in days since 1970: of the first page. */
  today: number;
  /** `today` if a filter has a relative day, else undefined: a cursor keeps it. */
  day: number | undefined;
  /** The inputs of the stored total, if the list has one for the filters. */
  counted: Values | undefined;
  place: "serving" | "reader";
  /** Whether one statement reads the page and its total: the total of a first page without rows is 0. */
  isOneStatement: boolean;
};

type PlacelessRequest = Omit<ParsedRequest, "place" | "isOneStatement">;

/** Rows that the serving thread skips at most. */
const maxServedOffset = 500;

/** The request at a time, in milliseconds since 1970. Throws `invalid_request`. */
export function parseRequest(definition: AnyList, query: ListRequest<string>, now: number): ParsedRequest {
  const { attributes, defaultOrder } = definition;
  const sent = attributes ? sentAttributeFilters(query) : [];
  const orderAttribute = attributes && orderedAttribute(query.sortBy);
  const column = sortColumn(definition, orderAttribute === undefined ? query.sortBy : undefined);
  const sortOrder = query.sortOrder ?? defaultOrder[1];
  const today = cursorDay(query.cursor) ?? dayOf(now);
  const conditions: Condition[] = [];
  for (const parameter in query) {
    const value = query[parameter];
    if (value !== undefined) conditions.push(...conditionsOf(definition, parameter, String(value), today));
  }
  const day = conditions.some(({ isOfDay }) => isOfDay) || sent.some(hasRelativeDay) ? today : undefined;
  conditions.sort((a, b) => (a.shape < b.shape ? -1 : 1));
  const { storedTotal } = definition;
  const counted = storedTotal && sent.length === 0 ? countedBy(storedTotal, conditions) : undefined;
  const request = { page: query, column, sortOrder, orderAttribute, conditions, sent, today, day, counted };
  const place = placeOf(definition, request);
  return { ...request, place, isOneStatement: isOneStatement(definition, request, place) };
}

/** What a cursor of the request belongs to. It does not depend on the order of the parameters. */
export function cursorScope({ name, defaultOrder }: AnyList, request: ParsedRequest): unknown[] {
  const { page, sortOrder, conditions, sent, day } = request;
  const shapes = conditions.map(({ shape }) => shape);
  const scope: unknown[] = [name, page.sortBy ?? defaultOrder[0], sortOrder, valuesOf(conditions), shapes];
  if (sent.length > 0) scope.push(sent);
  if (day !== undefined) scope.push(day);
  return scope;
}

function isOneStatement(list: AnyList, request: PlacelessRequest, place: "serving" | "reader"): boolean {
  const { page, column, conditions, sent, orderAttribute, counted } = request;
  const hasTotal = counted !== undefined || place === "reader";
  const isFirst = page.cursor === undefined && offsetOf(page) === 0;
  const isOfAttributes = sent.length > 0 || orderAttribute !== undefined;
  if (!hasTotal || !isFirst || isOfAttributes || !column.notNull) return false;
  return !hasChoice({ list, conditions, column, attribute: undefined });
}

export function sortColumn({ name, sortBy, defaultOrder }: AnyList, order: string = defaultOrder[0]): Column {
  const column = sortBy[order];
  if (!column) throw new Error(`${name} has no order ${order}`);
  return column;
}

export function valuesOf(conditions: readonly Condition[]): Values {
  return Object.assign({}, ...conditions.map(({ values }) => values));
}

function conditionsOf({ filters }: AnyList, parameter: string, text: string, today: number): Condition[] {
  const [name = "", operator] = parameter.split(".");
  const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
  return filter ? filterConditions(filter, { name, operator: operator ?? "equal", text, today }) : [];
}

/**
 * Where a request is read: on the serving thread if its cost is bounded by its page, otherwise in a reader. Rows by unique
 * values, and pages near the beginning or after a cursor, in the order of an index that begins with the filters.
 */
function placeOf(definition: AnyList, request: PlacelessRequest): "serving" | "reader" {
  const { page, column, orderAttribute, conditions, sent, counted } = request;
  if (sent.length > 0 || orderAttribute !== undefined) return "reader";
  if (conditions.some(({ use }) => use === "unique")) return "serving";
  const isInOrder = column.notNull && hasIndex(definition.from, column);
  if (!isInOrder || !conditions.every(({ use }) => use === "partial")) return "reader";
  const isBounded = page.cursor !== undefined || (offsetOf(page) <= maxServedOffset && counted !== undefined);
  return isBounded ? "serving" : "reader";
}
