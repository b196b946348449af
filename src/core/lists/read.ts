import type { Values } from "../../../db/engine.ts";
import { readAttributeRequest } from "../attributes/conditions.ts";
import { Problem } from "../errors.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import { type CursorPage, type CursorPosition, readCursorPage } from "./cursor.ts";
import type { AnyList } from "./definition.ts";
import { type CursorPagination, offsetOf, type Pagination, paginationOf } from "./paging.ts";
import { cursorScope, type ParsedRequest, sortColumn, valuesOf } from "./request.ts";
import {
  type cacheByShape,
  countStatement,
  hasChoice,
  isNarrow,
  type ListPart,
  type ListQuery,
  type PageQuery,
  type PageRow,
  type Plan,
  pageStatement,
  searchOrderOf,
  shapeOf,
} from "./statements.ts";

export type Page<R> = { rows: R[]; pagination: Pagination | CursorPagination } & Partial<
  Pick<CursorPage<R>, "firstRows">
>;
/** The number of all matches, and the aggregates of the definition, null without a match. */
export type Totals = { count: number } & Record<string, number | null>;
/** Of a statement that counts. */
const countedPlan = { plan: "planner", isByKeys: false, total: false, hasPosition: false } as const;
/** Assumed row count n. Of m matches, a page reads m rows by an index of the filters, or n / m for each row in order. */
const assumedRowCount = 100_000;

export type StatementCaches = {
  pages: ReturnType<typeof cacheByShape<PageRow<unknown>>>;
  counts: ReturnType<typeof cacheByShape<{ count: number }>>;
  totals: ReturnType<typeof cacheByShape<Totals>>;
};
/** The row of a cursor: its sort value, if it has one, and its key. */
type Position = { value: string | number | undefined; key: number };
type PageRange = { limit: number; offset: number; position?: Position | undefined };

/** One read of a list on a snapshot. */
type ListRead = {
  snapshot: TenantSnapshot;
  caches: StatementCaches;
  request: ParsedRequest;
  query: ListQuery;
  /** The inputs of all statements. */
  values: Values;
};

/** Reads the conditions and the order by attributes, which depend on the stored types, if the request has any. */
export async function beginRead(
  snapshot: TenantSnapshot,
  list: AnyList,
  caches: StatementCaches,
  request: ParsedRequest,
): Promise<ListRead> {
  const { column, sortOrder, sent, orderAttribute, conditions, today } = request;
  const query: ListQuery = { list, conditions, column, sortOrder, attribute: undefined };
  if (list.attributes && (sent.length > 0 || orderAttribute !== undefined)) {
    const ofAttributes = await readAttributeRequest(snapshot, list.attributes, {
      ...{ sent, orderAttribute, today },
    });
    query.conditions = [...conditions, ...ofAttributes.conditions];
    query.attribute = ofAttributes.order;
  }
  const order = query.attribute && { orderName: query.attribute.name };
  const values: Values = { ...valuesOf(query.conditions), ...order, ...request.counted };
  return { snapshot, caches, request, query, values };
}

export async function readPage(read: ListRead): Promise<Page<unknown>> {
  const { query } = read;
  const { page, day } = read.request;
  if (page.cursor !== undefined)
    return readCursorPage<PageRow<unknown>>(read.snapshot, page, {
      ...{ query: cursorScope(query.list, read.request), day },
      positionOf: ({ orderValue, orderKey = 0 }) =>
        orderValue == null ? [orderKey] : [orderValue, orderKey],
      readAfter: async (after, limit) => {
        const position = after && parsePosition(after, query);
        // Few matches are all on the first page.
        const plan = after && hasChoice(query) ? "ordered" : await choosePlan(read, limit);
        return readRows(read, plan, { limit, offset: 0, position });
      },
    });
  const range = { limit: page.pageSize, offset: offsetOf(page) };
  if (hasChoice(query)) {
    const total = await readTotal(read);
    const plan = planFor(total, range.offset + range.limit);
    const rows = total > range.offset ? await readRows(read, plan, range) : [];
    return { rows, pagination: paginationOf(page, total) };
  }
  const rows = await readRows(read, fixedPlan(query), range);
  const isLast = rows.length < range.limit && (rows.length > 0 || range.offset === 0);
  const total = isLast ? range.offset + rows.length : (rows[0]?.total ?? (await readTotal(read)));
  return { rows, pagination: paginationOf(page, total) };
}

async function choosePlan(read: ListRead, rowCount: number): Promise<Plan> {
  return hasChoice(read.query) ? planFor(await readTotal(read), rowCount) : fixedPlan(read.query);
}

function fixedPlan({ conditions, column, attribute }: ListQuery): Plan {
  const narrow = conditions.find(isNarrow);
  return !narrow || (narrow.order === column && !attribute) ? "planner" : "sorted";
}

async function readTotal(read: ListRead): Promise<number> {
  const { storedTotal } = read.query.list;
  if (storedTotal && read.request.counted)
    return (await read.snapshot.first(storedTotal.statement, read.values))?.count ?? 0;
  return countRows(read, allMatches(read.query));
}

/** The query of all matches, for totals: independent of the order and page of the request. */
function allMatches(query: ListQuery): PageQuery {
  const countedColumn = searchOrderOf(query.conditions) ?? sortColumn(query.list);
  return { ...query, column: countedColumn, attribute: undefined, part: "all", ...countedPlan };
}

export async function readTotals({ snapshot, caches, query, values }: ListRead): Promise<Totals> {
  const page = allMatches(query);
  const statement = caches.totals(shapeOf(page), () => countStatement(page, query.list.aggregates));
  return (await snapshot.first(statement, values)) ?? { count: 0 };
}

async function countRows({ snapshot, caches, values }: ListRead, page: PageQuery): Promise<number> {
  const statement = caches.counts(shapeOf(page), () => countStatement(page));
  return (await snapshot.first(statement, values))?.count ?? 0;
}

/** Reads the parts of the list until the page is complete. */
async function readRows(
  read: ListRead,
  plan: Plan,
  { position, limit, offset }: PageRange,
): Promise<PageRow<unknown>[]> {
  const { snapshot, caches, request, query } = read;
  const cursor = position && { cursorValue: position.value ?? null, cursorKey: position.key };
  const rows: PageRow<unknown>[] = [];
  const parts = partsOf(query, position);
  const isByKeys = request.place === "reader";
  const totalKind = request.counted ? "stored" : isByKeys && "matches";
  const hasPosition = request.page.cursor !== undefined;
  let skipped = offset;
  for (const part of parts) {
    const total = part === "all" && !hasPosition && !hasChoice(query) && totalKind;
    const page: PageQuery = { ...query, part, plan, isByKeys, total, hasPosition };
    const statement = caches.pages(shapeOf(page), () => pageStatement(page));
    const range = { limit: limit - rows.length, offset: skipped };
    const found = await snapshot.all(statement, { ...read.values, ...cursor, ...range });
    rows.push(...found);
    if (rows.length === limit || part === parts.at(-1)) break;
    skipped = found.length > 0 || skipped === 0 ? 0 : skipped - (await countRows(read, page));
  }
  return rows;
}

function planFor(total: number, rowCount: number): Plan {
  return total ** 2 > rowCount * assumedRowCount ? "ordered" : "sorted";
}

/** Rows without a value are last in ascending order, and first in descending order. */
function partsOf(
  { sortOrder, attribute, column }: ListQuery,
  position: Position | undefined,
): readonly ListPart[] {
  if (!attribute && column.notNull) return position ? ["within", "beyond"] : ["all"];
  const isAmongMissing = position && position.value === undefined;
  const valued: ListPart[] = position && !isAmongMissing ? ["within", "beyond"] : ["valued"];
  const missing: ListPart = isAmongMissing ? "missingAfter" : "missing";
  const hasPassedFirst = position && isAmongMissing === (sortOrder === "asc");
  const [first, second] = sortOrder === "asc" ? [valued, [missing]] : [[missing], valued];
  const parts = hasPassedFirst ? second : [...first, ...second];
  return attribute && !attribute.column ? parts.filter((part) => part === missing) : parts;
}

/** Throws `invalid_cursor` when the values of the attribute of the order have another type now. */
function parsePosition([first = 0, key]: CursorPosition, { attribute }: ListQuery): Position {
  if (key === undefined) return { value: undefined, key: Number(first) };
  if (attribute?.column && (typeof first === "string") !== (attribute.column === "text"))
    throw new Problem("invalid_cursor");
  return { value: first, key: Number(key) };
}
