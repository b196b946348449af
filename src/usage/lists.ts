import { and, asc, count, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import { integerInput, isAfter, pick, textInput } from "../../db/expressions.ts";
import { usageDays, usageSums } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { readCursorPage } from "../core/lists/cursor.ts";
import type { Page } from "../core/lists/list.ts";
import { offsetOf, type PageRequest, paginationOf } from "../core/lists/paging.ts";
import { select, type TenantStatement } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";

/** UTC days, in days since 1970, both included, and an event name. `range` is the range as it was requested. */
type DayRangeRequest = { from: number; to: number; range: string; event?: string };

/** The statements of a list. */
type DayList<R> = { page: TenantStatement<R>; total: TenantStatement<{ count: number }> };

const dayFields = pick(usageDays, "day", "event", "count", "users");
export type UsageDayRow = Row<typeof dayFields>;
const sumFields = pick(usageSums, "day", "event", "count", "users", "accountCount");
export type UsageSumRow = Row<typeof sumFields>;

const ofAccount = eq(usageDays.accountId, integerInput("accountId"));
const daysOfAccount = defineDayList("usageDays", usageDays, dayFields, ofAccount);
const sums = defineDayList("usageSums", usageSums, sumFields);

/** A list by day and event of the rows that match `owner`, with which the primary key of the table begins. */
function defineDayList<F extends Parameters<typeof select>[1]["fields"]>(
  name: string,
  from: typeof usageDays | typeof usageSums,
  fields: F,
  owner?: SQL,
): DayList<Row<F>> {
  const { day, event } = from;
  const eventInput = textInput("event");
  const where = and(
    owner,
    gte(day, integerInput("from")),
    lte(day, integerInput("to")),
    sql`(${eventInput} is null or ${event} = ${eventInput})`,
  );
  const isAfterCursor = isAfter([day, event], [integerInput("afterDay"), textInput("afterEvent")]);
  return {
    page: select(`${name}.list`, {
      from,
      fields,
      where: and(where, isAfterCursor),
      orderBy: [asc(day), asc(event)],
      paged: true,
    }),
    total: select(`${name}.total`, { from, where, fields: { count: count() } }),
  };
}

/** Where a day list is read: days of one event can be far apart, and a page by number counts all. */
export function placeOfDays({ cursor, event }: { cursor?: string; event?: string }): "serving" | "reader" {
  return cursor === undefined || event !== undefined ? "reader" : "serving";
}

/** A page of a list, ordered by day and event. `scope` identifies the list and its owner, for cursors. */
async function readDayList<R extends { day: number; event: string }>(
  snapshot: TenantSnapshot,
  statements: DayList<R>,
  { page, pageSize, cursor, range, ...query }: DayRangeRequest & PageRequest & { accountId?: number },
  scope: readonly (string | number)[],
): Promise<Page<R>> {
  const event = query.event ?? null;
  const values = { ...query, event };
  const first = { afterDay: 0, afterEvent: "" };
  if (cursor !== undefined)
    return readCursorPage(
      snapshot,
      { page, pageSize, cursor },
      {
        query: [...scope, range, event],
        positionOf: ({ day, event }) => [day, event],
        readAfter: (after, limit) => {
          const [afterDay = first.afterDay, afterEvent = first.afterEvent] = after ?? [];
          return snapshot.all(statements.page, { ...values, afterDay, afterEvent, limit, offset: 0 });
        },
      },
    );
  const offset = offsetOf({ page, pageSize });
  const rows = await snapshot.all(statements.page, { ...values, ...first, limit: pageSize, offset });
  const total = (await snapshot.first(statements.total, values))?.count ?? 0;
  return { rows, pagination: paginationOf({ page, pageSize }, total) };
}

/** A page of an account's totals from one UTC day to another, both included, ordered by day and event. */
export function listUsage(
  snapshot: TenantSnapshot,
  request: DayRangeRequest & PageRequest & { accountId: number },
): Promise<Page<UsageDayRow>> {
  return readDayList(snapshot, daysOfAccount, request, ["usage", request.accountId]);
}

/** A page of the sums of all accounts, likewise. */
export function listUsageSums(
  snapshot: TenantSnapshot,
  request: DayRangeRequest & PageRequest,
): Promise<Page<UsageSumRow>> {
  return readDayList(snapshot, sums, request, ["usageSums"]);
}
