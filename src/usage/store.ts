import { and, asc, count, eq, gte, lte } from "drizzle-orm";
import { allOf, inputs, integerInput, isAfter, isInJson, textInput } from "../../db/expressions.ts";
import { usageDays, usageUsers } from "../../db/schema.ts";
import type { SlicePlan } from "../../db/slices.ts";
import type { Row } from "../../db/statements.ts";
import { readCursorPage } from "../core/cursor.ts";
import type { Page } from "../core/list-query.ts";
import { offsetOf, type PageRequest, paginationOf } from "../core/paging.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant.ts";
import { insert, select, update } from "../core/tenant-statements.ts";
import { dayOf } from "../core/timestamps.ts";
import { deleteTotals } from "./totals.ts";

/** One event of an account, with its user if it has one. `at` is in milliseconds since 1970 UTC. */
export type UsageRecord = { accountId: number; event: string; userId: string | null; at: number };

const totalFields = {
  count: usageDays.count,
  users: usageDays.users,
  firstUser: usageDays.firstUser,
  firstAt: usageDays.firstAt,
  lastAt: usageDays.lastAt,
};
type DayTotals = Row<typeof totalFields>;
const totalInputs = inputs(usageDays, "count", "users", "firstUser", "firstAt", "lastAt");
const isDayOfEvent = allOf(eq(usageDays.day, integerInput("day")), eq(usageDays.event, textInput("event")));
const dayTotals = select("usageDays.totals", {
  fields: { accountId: usageDays.accountId, ...totalFields },
  from: usageDays,
  where: allOf(isInJson(usageDays.accountId, textInput("accountIds")), isDayOfEvent),
});
const insertDay = insert("usageDays.insert", {
  into: usageDays,
  values: { ...inputs(usageDays, "accountId", "day", "event"), ...totalInputs },
});
const updateDay = update("usageDays.update", {
  table: usageDays,
  set: totalInputs,
  where: allOf(eq(usageDays.accountId, integerInput("accountId")), isDayOfEvent),
});
const insertUser = insert("usageUsers.insert", {
  into: usageUsers,
  values: inputs(usageUsers, "accountId", "day", "event", "userId"),
  onConflict: {
    target: [
      usageUsers.organizationId,
      usageUsers.accountId,
      usageUsers.day,
      usageUsers.event,
      usageUsers.userId,
    ],
  },
});

type Day = { accountId: number; day: number; event: string };
/** A day before and after its records, and their users that are not stored as the first one. */
type ChangedDay = { key: Day; isStored: boolean; totals: DayTotals; otherUsers: string[] };

/** Adds usage to the totals of its days. */
export async function addUsage(tx: TenantTransaction, records: readonly UsageRecord[]): Promise<void> {
  const groups = Map.groupBy(records, ({ event, at }) => `${dayOf(at)} ${event}`);
  const days = (await Promise.all([...groups.values()].map((group) => addToDays(tx, group)))).flat();
  const users = days.flatMap((day) => day.otherUsers.map((userId) => ({ day, userId })));
  const areNew = await tx.insertAll(
    insertUser,
    users.map(({ day, userId }) => ({ ...day.key, userId })),
  );
  for (const [i, { day }] of users.entries()) if (areNew[i]) day.totals.users += 1;
  const valuesOf = ({ key, totals }: ChangedDay) => ({ ...key, ...totals });
  await tx.insertAll(insertDay, days.filter(({ isStored }) => !isStored).map(valuesOf));
  for (const day of days) if (day.isStored) await tx.run(updateDay, valuesOf(day));
  await deleteTotals(tx, records);
}

/** Adds records of one event and day to the totals of their accounts. */
async function addToDays(tx: TenantTransaction, records: readonly UsageRecord[]): Promise<ChangedDay[]> {
  const [first] = records;
  if (!first) return [];
  const { event, at } = first;
  const day = dayOf(at);
  const byAccount = Map.groupBy(records, ({ accountId }) => accountId);
  const accountIds = JSON.stringify([...byAccount.keys()]);
  const stored = new Map(
    (await tx.all(dayTotals, { accountIds, day, event })).map(({ accountId, ...totals }) => [
      accountId,
      totals,
    ]),
  );
  return [...byAccount].map(([accountId, group]) =>
    addToDay({ accountId, day, event }, group, stored.get(accountId)),
  );
}

/** Adds records of one account, event and day to its totals, except for their other users. */
function addToDay(key: Day, group: readonly UsageRecord[], stored: DayTotals | undefined): ChangedDay {
  const at = group[0]?.at ?? 0;
  const totals = stored ?? { count: 0, users: 0, firstUser: null, firstAt: at, lastAt: at };
  totals.count += group.length;
  const users = new Set<string>();
  for (const { userId, at } of group) {
    totals.firstAt = Math.min(totals.firstAt, at);
    totals.lastAt = Math.max(totals.lastAt, at);
    if (userId !== null) users.add(userId);
  }
  const [firstUser = null] = users;
  if (totals.firstUser === null && firstUser !== null) {
    totals.firstUser = firstUser;
    totals.users += 1;
  }
  if (totals.firstUser !== null) users.delete(totals.firstUser);
  return { key, isStored: stored !== undefined, totals, otherUsers: [...users] };
}

const fields = {
  day: usageDays.day,
  event: usageDays.event,
  count: usageDays.count,
  users: usageDays.users,
};
export type UsageDayRow = Row<typeof fields>;
/** `range` is the range as it was requested; `from` and `to` are the UTC days. */
export type UsageRequest = PageRequest & {
  accountId: number;
  from: number;
  to: number;
  range: string;
  event?: string;
};

const usageOfAllEvents = usageStatements("usageDays.list", false);
const usageOfOneEvent = usageStatements("usageDays.listOfEvent", true);

function usageStatements(name: string, hasEventFilter: boolean) {
  const { accountId, day, event } = usageDays;
  const isOfAccount = eq(accountId, integerInput("accountId"));
  const isInRange = and(gte(day, integerInput("from")), lte(day, integerInput("to")));
  const inDays = and(isOfAccount, isInRange);
  const where = and(inDays, hasEventFilter ? eq(event, textInput("event")) : undefined);
  const scan = { fields: { day }, from: usageDays, where: inDays, paged: true };
  const rows = { from: usageDays, where, scanned: select(`${name}.scanned`, scan).statement };
  const sliceBy: SlicePlan = { where: [isOfAccount], by: [day, event], bounds: isInRange };
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

/** A page of an account's totals from one UTC day to another, both included, ordered by day and event. */
export async function listUsage(
  snapshot: TenantSnapshot,
  { page, pageSize, cursor, ...query }: UsageRequest,
): Promise<Page<UsageDayRow>> {
  const statements = query.event === undefined ? usageOfAllEvents : usageOfOneEvent;
  if (cursor !== undefined)
    return readCursorPage(
      snapshot,
      { page, pageSize, cursor },
      {
        query: ["usage", query.accountId, query.range, query.event ?? null],
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
