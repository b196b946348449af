import type { Values } from "../../../db/engine.ts";
import type { Row, SelectFields } from "../../../db/statements.ts";
import { readAttributeRequest } from "../attributes/conditions.ts";
import { Problem } from "../errors.ts";
import type { Tenant } from "../tenant/tenant.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import { type CursorPage, type CursorPosition, readCursorPage } from "./cursor.ts";
import type { AnyList, ListDefinition } from "./definition.ts";
import { type CursorPagination, offsetOf, type Pagination, paginationOf } from "./paging.ts";
import { type ListRequest, type ParsedRequest, parseRequest, sortColumn, valuesOf } from "./request.ts";
import {
  cacheByShape,
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
type Totals = { count: number } & Record<string, number | null>;
/** A validated request of a page, and where `read` has to run. `readTotals` needs a reader. */
type PageReader<R> = Pick<ParsedRequest, "place" | "isOneStatement"> & {
  read(snapshot: TenantSnapshot): Promise<Page<R>>;
  readTotals(snapshot: TenantSnapshot): Promise<Totals>;
};
/** A list as its route reads it. */
export type List<R, Sort extends string> = {
  definition: ListDefinition<SelectFields, Sort>;
  /** A request at a time, in milliseconds since 1970. Throws `invalid_request`. */
  request(query: ListRequest<Sort>, now: number): PageReader<R>;
  /**
   * Reads a page on its own snapshot. `findOwner` resolves with filters, for which the query has any value, and throws if
   * there is no such list.
   */
  readFor(
    tenant: Tenant,
    query: ListRequest<Sort>,
    findOwner?: (snapshot: TenantSnapshot) => Promise<Record<string, number>>,
  ): Promise<Page<R>>;
};

/** Of a statement that counts. */
const countedPlan = { plan: "planner", isByKeys: false, total: false, hasPosition: false } as const;
/** Assumed row count n. Of m matches, a page reads m rows by an index of the filters, or n / m for each row in order. */
const assumedRowCount = 100_000;

type Caches = {
  pages: ReturnType<typeof cacheByShape<PageRow<unknown>>>;
  counts: ReturnType<typeof cacheByShape<{ count: number }>>;
  totals: ReturnType<typeof cacheByShape<Totals>>;
};
/** The row of a cursor: its sort value, if it has one, and its key. */
type Position = { value: string | number | undefined; key: number };
type PageRange = { limit: number; offset: number; position?: Position | undefined };

/** Defines a list. Its statements are built at the first use of each shape of a request. */
export function defineList<F extends SelectFields, Sort extends string>(
  definition: ListDefinition<F, Sort>,
): List<Row<F>, Sort> {
  const caches: Caches = { pages: cacheByShape(), counts: cacheByShape(), totals: cacheByShape() };
  const list: List<Row<F>, Sort> = {
    definition,
    request(query, now) {
      const request = parseRequest(definition, query, now);
      const readOn = async (snapshot: TenantSnapshot) =>
        createListRead(snapshot, caches, request, await readQuery(snapshot, definition, request));
      return {
        place: request.place,
        isOneStatement: request.isOneStatement,
        // Safe: the rows have the fields of the definition.
        read: async (snapshot) => (await readOn(snapshot)).page() as Promise<Page<Row<F>>>,
        readTotals: async (snapshot) => (await readOn(snapshot)).totals(),
      };
    },
    readFor(tenant, query, findOwner) {
      const { place, isOneStatement, read } = list.request(query, tenant.now);
      const hints = { place, isOneStatement: isOneStatement && !findOwner };
      return tenant.readList({ cursor: query.cursor, ...hints }, async (snapshot) =>
        findOwner
          ? list.request({ ...query, ...(await findOwner(snapshot)) }, tenant.now).read(snapshot)
          : read(snapshot),
      );
    },
  };
  return list;
}

/** The conditions and the order of a request, with those by attributes, which depend on the stored types. */
async function readQuery(
  snapshot: TenantSnapshot,
  list: AnyList,
  { column, sortOrder, sent, orderAttribute, conditions, today }: ParsedRequest,
): Promise<ListQuery> {
  const query = { list, conditions, column, sortOrder, attribute: undefined };
  if (!list.attributes || (sent.length === 0 && orderAttribute === undefined)) return query;
  const ofAttributes = await readAttributeRequest(snapshot, list.attributes, {
    ...{ sent, orderAttribute, today },
  });
  return {
    ...query,
    conditions: [...conditions, ...ofAttributes.conditions],
    attribute: ofAttributes.order,
  };
}

function createListRead(snapshot: TenantSnapshot, caches: Caches, request: ParsedRequest, query: ListQuery) {
  const { list, conditions, column, attribute } = query;
  const order = attribute && { orderName: attribute.name };
  const values: Values = { ...valuesOf(conditions), ...order, ...request.counted };

  async function page(): Promise<Page<unknown>> {
    const { page, scope, day } = request;
    if (page.cursor !== undefined)
      return readCursorPage<PageRow<unknown>>(snapshot, page, {
        ...{ query: scope, day },
        positionOf: ({ orderValue, orderKey = 0 }) =>
          orderValue == null ? [orderKey] : [orderValue, orderKey],
        readAfter: async (after, limit) => {
          const position = after && parsePosition(after, query);
          // Few matches are all on the first page.
          const plan = after && hasChoice(query) ? "ordered" : await choosePlan(limit);
          return rowsOf(plan, { limit, offset: 0, position });
        },
      });
    const range = { limit: page.pageSize, offset: offsetOf(page) };
    if (hasChoice(query)) {
      const total = await readTotal();
      const plan = planFor(total, range.offset + range.limit);
      const rows = total > range.offset ? await rowsOf(plan, range) : [];
      return { rows, pagination: paginationOf(page, total) };
    }
    const rows = await rowsOf(fixedPlan(), range);
    const isLast = rows.length < range.limit && (rows.length > 0 || range.offset === 0);
    const total = isLast ? range.offset + rows.length : (rows[0]?.total ?? (await readTotal()));
    return { rows, pagination: paginationOf(page, total) };
  }

  async function choosePlan(rowCount: number): Promise<Plan> {
    return hasChoice(query) ? planFor(await readTotal(), rowCount) : fixedPlan();
  }

  function fixedPlan(): Plan {
    const narrow = conditions.find(isNarrow);
    return !narrow || (narrow.order === column && !attribute) ? "planner" : "sorted";
  }

  async function readTotal(): Promise<number> {
    if (list.storedTotal && request.counted)
      return (await snapshot.first(list.storedTotal.statement, values))?.count ?? 0;
    return countOf(allMatches());
  }

  /** The query of all matches, for totals: independent of the order and page of the request. */
  function allMatches(): PageQuery {
    const countedColumn = searchOrderOf(conditions) ?? sortColumn(list);
    return { ...query, column: countedColumn, attribute: undefined, part: "all", ...countedPlan };
  }

  async function totals(): Promise<Totals> {
    const page = allMatches();
    const statement = caches.totals(shapeOf(page), () => countStatement(page, list.aggregates));
    return (await snapshot.first(statement, values)) ?? { count: 0 };
  }

  async function countOf(page: PageQuery): Promise<number> {
    const statement = caches.counts(shapeOf(page), () => countStatement(page));
    return (await snapshot.first(statement, values))?.count ?? 0;
  }

  /** Reads the parts of the list until the page is complete. */
  async function rowsOf(plan: Plan, { position, limit, offset }: PageRange): Promise<PageRow<unknown>[]> {
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
      const found = await snapshot.all(statement, { ...values, ...cursor, ...range });
      rows.push(...found);
      if (rows.length === limit || part === parts.at(-1)) break;
      skipped = found.length > 0 || skipped === 0 ? 0 : skipped - (await countOf(page));
    }
    return rows;
  }

  return { page, totals };
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
