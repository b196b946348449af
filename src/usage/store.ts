import { and, asc, count, eq, gte, lte } from "drizzle-orm";
import { usageDays, usageUsers } from "../../db/schema.ts";
import { allOf, inputs, integerInput, type Row, textInput } from "../../db/statements.ts";
import { offsetOf, type PageRequest, type Pagination, paginationOf } from "../core/paging.ts";
import { insert, select, type Tenant, type TenantTransaction, update } from "../core/tenant.ts";
import { dayOf } from "../core/timestamps.ts";

/** Something that a user, if one is named, did with the product. `at` is in milliseconds since 1970 UTC. */
export type UsageRecord = { accountId: number; event: string; userId: string | null; at: number };

const dayTotals = {
  count: usageDays.count,
  users: usageDays.users,
  firstUser: usageDays.firstUser,
  firstAt: usageDays.firstAt,
  lastAt: usageDays.lastAt,
};
type DayTotals = Row<typeof dayTotals>;
const dayTotalInputs = inputs("count", "users", "firstUser", "firstAt", "lastAt");
const thisDay = allOf(
  eq(usageDays.accountId, integerInput("accountId")),
  eq(usageDays.day, integerInput("day")),
  eq(usageDays.event, textInput("event")),
);
const countedDay = select({ fields: dayTotals, from: usageDays, where: thisDay });
const insertDay = insert({
  into: usageDays,
  values: { ...inputs("accountId", "day", "event"), ...dayTotalInputs },
});
const updateDay = update({ table: usageDays, set: dayTotalInputs, where: thisDay });
const insertUser = insert({
  into: usageUsers,
  values: inputs("accountId", "day", "event", "userId"),
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

/** Counts uses into their accounts' days, within the caller's transaction. */
export async function addUsage(tx: TenantTransaction, uses: readonly UsageRecord[]): Promise<void> {
  const groups = Map.groupBy(uses, ({ accountId, event, at }) => `${accountId} ${dayOf(at)} ${event}`);
  for (const group of groups.values()) {
    const [first] = group;
    if (first) await addToDay(tx, first, group);
  }
}

/** Counts uses of one account, of one event, on one day: those of the first. */
async function addToDay(
  tx: TenantTransaction,
  { accountId, event, at }: UsageRecord,
  group: UsageRecord[],
): Promise<void> {
  const day = { accountId, day: dayOf(at), event };
  const stored = await tx.first(countedDay, day);
  const dayTotals = stored ?? { count: 0, users: 0, firstUser: null, firstAt: at, lastAt: at };
  dayTotals.count += group.length;
  for (const { userId, at } of group) {
    dayTotals.firstAt = Math.min(dayTotals.firstAt, at);
    dayTotals.lastAt = Math.max(dayTotals.lastAt, at);
    if (userId !== null) await addUser(tx, day, dayTotals, userId);
  }
  await tx.run(stored ? updateDay : insertDay, { ...day, ...dayTotals });
}

async function addUser(tx: TenantTransaction, day: Day, counted: DayTotals, userId: string): Promise<void> {
  if (userId === counted.firstUser) return;
  if (counted.firstUser !== null) counted.users += await tx.run(insertUser, { ...day, userId });
  else {
    counted.firstUser = userId;
    counted.users += 1;
  }
}

const fields = {
  day: usageDays.day,
  event: usageDays.event,
  count: usageDays.count,
  users: usageDays.users,
};
export type UsageDay = Row<typeof fields>;
export type UsageRequest = PageRequest & { accountId: number; from: number; to: number; event?: string };

const [everyEvent, oneEvent] = [usageStatements(false), usageStatements(true)];

function usageStatements(ofOneEvent: boolean) {
  const where = and(
    eq(usageDays.accountId, integerInput("accountId")),
    gte(usageDays.day, integerInput("from")),
    lte(usageDays.day, integerInput("to")),
    ofOneEvent ? eq(usageDays.event, textInput("event")) : undefined,
  );
  const orderBy = [asc(usageDays.day), asc(usageDays.event)];
  return {
    page: select({ fields, from: usageDays, where, orderBy, paged: true }),
    total: select({ fields: { count: count() }, from: usageDays, where }),
  };
}

/** A page of the account's days from one UTC day to another, both among them, by day and event. */
export async function listUsage(
  tenant: Tenant,
  { page, pageSize, ...given }: UsageRequest,
): Promise<{ rows: UsageDay[]; pagination: Pagination }> {
  const statements = given.event === undefined ? everyEvent : oneEvent;
  const offset = offsetOf({ page, pageSize });
  const rows = await tenant.rows.all(statements.page, { ...given, limit: pageSize, offset });
  const total = (await tenant.rows.first(statements.total, given))?.count ?? 0;
  return { rows, pagination: paginationOf({ page, pageSize }, total) };
}
