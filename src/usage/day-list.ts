import { and, asc, count, eq, gte, lte, type SQL } from "drizzle-orm";
import { integerInput, isAfter, textInput } from "../../db/expressions.ts";
import type { usageDays, usageSums } from "../../db/schema.ts";
import { readCursorPage } from "../core/lists/cursor.ts";
import type { Page } from "../core/lists/list.ts";
import { offsetOf, type PageRequest, paginationOf } from "../core/lists/paging.ts";
import { select, type TenantStatement } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";

/** UTC days, in days since 1970, both included, and an event name. `range` is the range as it was requested. */
export type DayRangeRequest = { from: number; to: number; range: string; event?: string };

type DayListPlan<F> = { from: typeof usageDays | typeof usageSums; fields: F; owner?: SQL };
type DayListStatements<R> = Record<"page" | "after", TenantStatement<R>> & {
  total: TenantStatement<{ count: number }>;
};
/** The statements of a list of all events, and of a list of one. */
export type DayList<R> = { ofAllEvents: DayListStatements<R>; ofOneEvent: DayListStatements<R> };

/** A list by day and event of the rows of a table that match `owner`, with which its primary key begins. */
export function defineDayList<F extends Parameters<typeof select>[1]["fields"]>(
  name: string,
  plan: DayListPlan<F>,
) {
  return {
    ofAllEvents: dayListStatements(`${name}.list`, plan, false),
    ofOneEvent: dayListStatements(`${name}.listOfEvent`, plan, true),
  };
}

function dayListStatements<F extends Parameters<typeof select>[1]["fields"]>(
  name: string,
  { from, fields, owner }: DayListPlan<F>,
  hasEventFilter: boolean,
) {
  const { day, event } = from;
  const isInRange = and(gte(day, integerInput("from")), lte(day, integerInput("to")));
  const where = and(owner, isInRange, hasEventFilter ? eq(event, textInput("event")) : undefined);
  const page = { from, fields, orderBy: [asc(day), asc(event)], paged: true };
  const isAfterCursor = isAfter([day, event], [integerInput("afterDay"), textInput("afterEvent")], "asc");
  return {
    page: select(name, { ...page, where }),
    after: select(`${name}.after`, { ...page, where: and(where, isAfterCursor) }),
    total: select(`${name}.total`, { from, where, fields: { count: count() } }),
  };
}

/** Where a day list is read: days of one event can be far apart, and a page by number counts all. */
export function placeOfDays({ cursor, event }: { cursor?: string; event?: string }): "serving" | "reader" {
  return cursor === undefined || event !== undefined ? "reader" : "serving";
}

/** A page of a list, ordered by day and event. `scope` identifies the list and its owner, for cursors. */
export async function readDayList<R extends { day: number; event: string }>(
  snapshot: TenantSnapshot,
  { ofAllEvents, ofOneEvent }: DayList<R>,
  { page, pageSize, cursor, ...query }: DayRangeRequest & PageRequest & { accountId?: number },
  scope: readonly (string | number)[],
): Promise<Page<R>> {
  const statements = query.event === undefined ? ofAllEvents : ofOneEvent;
  if (cursor !== undefined)
    return readCursorPage(
      snapshot,
      { page, pageSize, cursor },
      {
        query: [...scope, query.range, query.event ?? null],
        positionOf: ({ day, event }) => [day, event],
        readAfter: (after, limit) => {
          const values = { ...query, limit, offset: 0 };
          if (!after) return snapshot.all(statements.page, values);
          const [afterDay = 0, afterEvent = ""] = after;
          return snapshot.all(statements.after, { ...values, afterDay, afterEvent });
        },
      },
    );
  const offset = offsetOf({ page, pageSize });
  const rows = await snapshot.all(statements.page, { ...query, limit: pageSize, offset });
  const total = (await snapshot.first(statements.total, query))?.count ?? 0;
  return { rows, pagination: paginationOf({ page, pageSize }, total) };
}
