import { and, asc, count, eq, gte, lte } from "drizzle-orm";
import { allOf, inputs, integerInput, textInput } from "../../db/expressions.ts";
import { usageDays, usageUsers } from "../../db/schema.ts";
import type { SlicePlan } from "../../db/slices.ts";
import type { Row } from "../../db/statements.ts";
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
const isDay = allOf(
  eq(usageDays.accountId, integerInput("accountId")),
  eq(usageDays.day, integerInput("day")),
  eq(usageDays.event, textInput("event")),
);
const dayTotals = select("usageDays.totals", { fields: totalFields, from: usageDays, where: isDay });
const insertDay = insert("usageDays.insert", {
  into: usageDays,
  values: { ...inputs(usageDays, "accountId", "day", "event"), ...totalInputs },
});
const updateDay = update("usageDays.update", { table: usageDays, set: totalInputs, where: isDay });
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

/** Adds usage to the totals of its days. */
export async function addUsage(tx: TenantTransaction, records: readonly UsageRecord[]): Promise<void> {
  const groups = Map.groupBy(records, ({ accountId, event, at }) => `${accountId} ${dayOf(at)} ${event}`);
  for (const group of groups.values()) {
    const [first] = group;
    if (first) await addToDay(tx, first, group);
  }
  await deleteTotals(tx, records);
}

/** Adds records that all have the account, the event and the day of the first. */
async function addToDay(
  tx: TenantTransaction,
  { accountId, event, at }: UsageRecord,
  group: readonly UsageRecord[],
): Promise<void> {
  const day = { accountId, day: dayOf(at), event };
  const stored = await tx.first(dayTotals, day);
  const totals = stored ?? { count: 0, users: 0, firstUser: null, firstAt: at, lastAt: at };
  totals.count += group.length;
  for (const { userId, at } of group) {
    totals.firstAt = Math.min(totals.firstAt, at);
    totals.lastAt = Math.max(totals.lastAt, at);
    if (userId !== null) await addUser(tx, day, totals, userId);
  }
  await tx.run(stored ? updateDay : insertDay, { ...day, ...totals });
}

async function addUser(tx: TenantTransaction, day: Day, totals: DayTotals, userId: string): Promise<void> {
  if (userId === totals.firstUser) return;
  if (totals.firstUser !== null) totals.users += await tx.run(insertUser, { ...day, userId });
  else {
    totals.firstUser = userId;
    totals.users += 1;
  }
}

const fields = {
  day: usageDays.day,
  event: usageDays.event,
  count: usageDays.count,
  users: usageDays.users,
};
export type UsageDayRow = Row<typeof fields>;
export type UsageRequest = PageRequest & { accountId: number; from: number; to: number; event?: string };

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
  return {
    page: select(name, {
      ...rows,
      fields,
      orderBy: [asc(day), asc(event)],
      paged: true,
      sliceBy: { ...sliceBy, order },
    }),
    total: select(`${name}.total`, { ...rows, fields: { count: count() }, sliceBy }),
  };
}

/** A page of an account's totals from one UTC day to another, both included, ordered by day and event. */
export async function listUsage(
  snapshot: TenantSnapshot,
  { page, pageSize, ...query }: UsageRequest,
): Promise<Page<UsageDayRow>> {
  const statements = query.event === undefined ? usageOfAllEvents : usageOfOneEvent;
  const offset = offsetOf({ page, pageSize });
  const rows = await snapshot.all(statements.page, { ...query, limit: pageSize, offset });
  const total = (await snapshot.first(statements.total, query))?.count ?? 0;
  return { rows, pagination: paginationOf({ page, pageSize }, total) };
}
