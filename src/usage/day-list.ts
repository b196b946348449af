import { and, asc, count, eq, gte, lte, type SQL } from "drizzle-orm";
import { integerInput, isAfter, textInput } from "../../db/expressions.ts";
import type { usageDays, usageSums } from "../../db/schema.ts";
import type { SlicePlan } from "../../db/slices.ts";
import { readCursorPage } from "../core/lists/cursor.ts";
import { offsetOf, type PageRequest, paginationOf } from "../core/lists/paging.ts";
import type { Page } from "../core/lists/query.ts";
import { select, type TenantStatement } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/tenant.ts";

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
  const inDays = and(owner, isInRange);
  const where = and(inDays, hasEventFilter ? eq(event, textInput("event")) : undefined);
  const scan = { fields: { day }, from, where: inDays, paged: true };
  const rows = { from, where, scanned: select(`${name}.scanned`, scan).statement };
  const sliceBy: SlicePlan = { where: owner ? [owner] : [], by: [day, event], bounds: isInRange };
  const order = { columns: [day, event], isDescending: false };
  const page = { ...rows, fields, orderBy: [asc(day), asc(event)], paged: true };
  const isAfterCursor = isAfter([day, event], [integerInput("afterDay"), textInput("afterEvent")], "asc");
  return {
    page: select(name, { ...page, sliceBy: { ...sliceBy, order } }),
    after: select(`${name}.after`, {
      ...page,
      where: and(where, isAfterCursor),
      sliceBy: { ...sliceBy, bounds: and(isInRange, isAfterCursor), order },
    }),
    total: select(`${name}.total`, { ...rows, fields: { count: count() }, sliceBy }),
  };
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
