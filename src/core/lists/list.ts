import type { Values } from "../../../db/engine.ts";
import { hasIndex } from "../../../db/expressions.ts";
import type { Row, SelectFields } from "../../../db/statements.ts";
import { readAttributeRequest } from "../attributes/conditions.ts";
import { Problem } from "../errors.ts";
import type { Tenant } from "../tenant/tenant.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import type { Condition } from "./condition.ts";
import { type CursorPosition, readCursorPage } from "./cursor.ts";
import type { AnyList, ListDefinition } from "./definition.ts";
import type { ListFields } from "./fields.ts";
import { type CursorPagination, offsetOf, type Pagination, paginationOf, type SortOrder } from "./paging.ts";
import {
  type ListRequest,
  type ParsedRequest,
  parseRequest,
  placeOf,
  storedTotalOf,
  valuesOf,
} from "./request.ts";
import {
  cacheByShape,
  countStatement,
  isIndexed,
  isNarrow,
  isSearchedFirst,
  type ListPart,
  type ListQuery,
  type OrderedRow,
  type PageQuery,
  type Plan,
  pageStatement,
  shapeOf,
} from "./statements.ts";

export type Page<R> = { rows: R[]; pagination: Pagination | CursorPagination };
/** What the schema of the query of a list is derived from. */
export type ListSchema<Sort extends string, Filter extends string> = {
  sortColumns: readonly [Sort, ...Sort[]];
  defaultOrder: readonly [Sort, SortOrder];
  filterNames: readonly Filter[];
  filterFields: ListFields;
};
/** A list as its route reads it. */
export type List<R, Sort extends string, Filter extends string> = ListSchema<Sort, Filter> & {
  definition: AnyList;
  /** Where `read` has to run. Throws `invalid_request`. */
  placeOf(query: ListRequest<Sort, Filter>): "serving" | "reader";
  read(snapshot: TenantSnapshot, query: ListRequest<Sort, Filter>): Promise<Page<R>>;
  /** `read` on its own snapshot, where it has to run. `check` throws if there is no such list. */
  readFor(
    tenant: Tenant,
    query: ListRequest<Sort, Filter>,
    check?: (snapshot: TenantSnapshot) => Promise<unknown>,
  ): Promise<Page<R>>;
};

/** Assumed row count n. Of m matches, a page reads m rows by an index of the filters, or n / m for each row in order. */
const assumedRowCount = 100_000;

type Caches = {
  pages: ReturnType<typeof cacheByShape<OrderedRow<unknown>>>;
  counts: ReturnType<typeof cacheByShape<{ count: number }>>;
};
/** A request of a list, with its conditions and the inputs of all. */
type ListRead = {
  snapshot: TenantSnapshot;
  definition: AnyList;
  caches: Caches;
  request: ParsedRequest;
  query: ListQuery;
  values: Values;
  isByKeys: boolean;
};
/** Rows after a cursor: without a value, the row of the cursor has none. */
type Position = { value: string | number | undefined; key: number };
type Place = { limit: number; offset: number; position?: Position | undefined };

/** Defines a list. Its statements are built at the first use of each shape of a request. */
export function defineList<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
): List<Row<F>, Sort, Filter> {
  const caches: Caches = { pages: cacheByShape(), counts: cacheByShape() };
  const list: List<Row<F>, Sort, Filter> = {
    definition,
    // Safe: a list has at least one sort column.
    sortColumns: Object.keys(definition.sortBy) as [Sort, ...Sort[]],
    defaultOrder: definition.defaultOrder,
    // Safe: the names of the filters.
    filterNames: Object.keys(definition.filters) as Filter[],
    filterFields: definition.filterFields ?? {},
    placeOf: (query) => placeOf(definition, parseRequest(definition, query)),
    async read(snapshot, query) {
      const request = parseRequest(definition, query);
      const page = await readPage(await beginRead(snapshot, definition, caches, request));
      // Safe: the rows have the fields of the definition.
      return page as Page<Row<F>>;
    },
    readFor: (tenant, query, check) =>
      tenant.readList({ ...query, place: list.placeOf(query) }, async (snapshot) => {
        await check?.(snapshot);
        return list.read(snapshot, query);
      }),
  };
  return list;
}

async function beginRead(
  snapshot: TenantSnapshot,
  definition: AnyList,
  caches: Caches,
  request: ParsedRequest,
): Promise<ListRead> {
  const { sortBy, sortOrder, sent, orderAttribute } = request;
  const { attributes } = definition;
  const hasAttributes = attributes && (sent.length > 0 || orderAttribute !== undefined);
  const ofAttributes = hasAttributes && (await readAttributeRequest(snapshot, attributes, request));
  const attribute = ofAttributes ? ofAttributes.order : undefined;
  const conditions = ofAttributes ? [...request.conditions, ...ofAttributes.conditions] : request.conditions;
  const values = { ...valuesOf(conditions), ...(attribute && { orderName: attribute.name }) };
  const isByKeys = placeOf(definition, request) === "reader";
  const query = { conditions, sortBy, sortOrder, attribute };
  return { snapshot, definition, caches, request, query, values, isByKeys };
}

async function readPage(read: ListRead): Promise<Page<unknown>> {
  const { snapshot, request, query } = read;
  const { page, scope } = request;
  if (page.cursor !== undefined)
    return readCursorPage<OrderedRow<unknown>>(snapshot, page, {
      query: scope,
      positionOf: ({ orderValue, orderKey }) => (orderValue == null ? [orderKey] : [orderValue, orderKey]),
      readAfter: async (after, limit) => {
        const position = after && parsePosition(after, query);
        // Few matches are all on the first page.
        const plan = after && hasChoice(read) ? "ordered" : await choosePlan(read, limit);
        return readParts(read, plan, { limit, offset: 0, position });
      },
    });
  const place = { limit: page.pageSize, offset: offsetOf(page) };
  if (hasChoice(read)) {
    const total = await readTotal(read);
    const plan = planFor(total, place.offset + place.limit);
    const rows = total > place.offset ? await readParts(read, plan, place) : [];
    return { rows, pagination: paginationOf(page, total) };
  }
  const rows = await readParts(read, fixedPlan(read), place);
  const isLast = rows.length < place.limit && (rows.length > 0 || place.offset === 0);
  const total = isLast ? place.offset + rows.length : await readTotal(read);
  return { rows, pagination: paginationOf(page, total) };
}

/** Whether the number of matches decides how rows are found: an index has the order, and another may have the filters. */
function hasChoice({ definition, query }: ListRead): boolean {
  const { conditions, sortBy, attribute } = query;
  if (conditions.some(isNarrow)) return false;
  const isOther = (condition: Condition) =>
    !isIndexed(condition) && (condition.use !== "search" || isSearchedFirst(definition, query));
  const column = definition.sortBy[sortBy];
  const isInOrder = attribute !== undefined || (column && hasIndex(definition.from, column));
  return isInOrder === true && conditions.some(isOther);
}

async function choosePlan(read: ListRead, rowCount: number): Promise<Plan> {
  return hasChoice(read) ? planFor(await readTotal(read), rowCount) : fixedPlan(read);
}

function fixedPlan({ definition, query }: ListRead): Plan {
  const narrow = query.conditions.find(isNarrow);
  if (!narrow) return "planner";
  const order = narrow.filter === undefined ? undefined : definition.narrow?.[narrow.filter];
  return order === query.sortBy && !query.attribute ? "planner" : "sorted";
}

function planFor(total: number, rowCount: number): Plan {
  return total ** 2 > rowCount * assumedRowCount ? "ordered" : "sorted";
}

async function readTotal({
  snapshot,
  definition,
  caches,
  request,
  query,
  values,
}: ListRead): Promise<number> {
  const stored = storedTotalOf(definition, request);
  if (stored && definition.storedTotal) return definition.storedTotal.read(snapshot, stored);
  const { searchOrder, defaultOrder } = definition;
  const counted = { ...query, attribute: undefined, sortBy: searchOrder ?? defaultOrder[0] };
  const page: PageQuery = { ...counted, part: "all", plan: "planner", isByKeys: false };
  const statement = caches.counts(shapeOf(page), () => countStatement(definition, page));
  return (await snapshot.first(statement, values))?.count ?? 0;
}

/** Reads the parts of the list until the page is complete. */
async function readParts(read: ListRead, plan: Plan, place: Place): Promise<OrderedRow<unknown>[]> {
  const { snapshot, definition, caches, query, isByKeys } = read;
  const { position, limit } = place;
  const cursor = position && { cursorValue: position.value ?? null, cursorKey: position.key };
  const values = { ...read.values, ...cursor };
  const rows: OrderedRow<unknown>[] = [];
  let { offset } = place;
  const parts = partsOf(definition, query, position);
  for (const part of parts) {
    const page: PageQuery = { ...query, part, plan, isByKeys };
    const shape = shapeOf(page);
    const statement = caches.pages(shape, () => pageStatement(definition, page));
    const found = await snapshot.all(statement, { ...values, limit: limit - rows.length, offset });
    rows.push(...found);
    if (rows.length === limit || part === parts.at(-1)) break;
    if (found.length > 0 || offset === 0) offset = 0;
    else {
      const count = caches.counts(shape, () => countStatement(definition, page));
      offset -= (await snapshot.first(count, values))?.count ?? 0;
    }
  }
  return rows;
}

/** Rows without a value are last in ascending order, and first in descending order. */
function partsOf(
  definition: AnyList,
  { sortBy, sortOrder, attribute }: ListQuery,
  position: Position | undefined,
): readonly ListPart[] {
  if (!attribute && definition.sortBy[sortBy]?.notNull) return position ? ["within", "beyond"] : ["all"];
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
