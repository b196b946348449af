import { and, asc, count, eq, gte, lte } from "drizzle-orm";
import { usageDays, usageUsers } from "../../db/schema.ts";
import { allOf, inputs, integerInput, type Row, textInput } from "../../db/statements.ts";
import { offsetOf, type PageRequest, type Pagination, paginationOf } from "../core/paging.ts";
import { insert, type OwnWriter, select, type Tenant, update } from "../core/tenant.ts";
import { dayOf } from "../core/timestamps.ts";

/** Something that a user, if one is named, did with the product. `at` is in milliseconds since 1970 UTC. */
export type Use = { accountId: number; event: string; userId: string | null; at: number };

const counted = {
  count: usageDays.count,
  users: usageDays.users,
  firstUser: usageDays.firstUser,
  firstAt: usageDays.firstAt,
  lastAt: usageDays.lastAt,
};
type Counted = Row<typeof counted>;
const countedInputs = inputs("count", "users", "firstUser", "firstAt", "lastAt");
const thisDay = allOf(
  eq(usageDays.accountId, integerInput("accountId")),
  eq(usageDays.day, integerInput("day")),
  eq(usageDays.event, textInput("event")),
);
const countedDay = select({ fields: counted, from: usageDays, where: thisDay });
const insertDay = insert({
  into: usageDays,
  values: { ...inputs("accountId", "day", "event"), ...countedInputs },
});
const updateDay = update({ table: usageDays, set: countedInputs, where: thisDay });
const noteUser = insert({
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
export async function countUses(rows: OwnWriter, uses: readonly Use[]): Promise<void> {
  const groups = Map.groupBy(uses, ({ accountId, event, at }) => `${accountId} ${dayOf(at)} ${event}`);
  for (const group of groups.values()) {
    const [first] = group;
    if (first) await countIntoDay(rows, first, group);
  }
}

/** Counts uses of one account, of one event, on one day: those of the first. */
async function countIntoDay(rows: OwnWriter, { accountId, event, at }: Use, group: Use[]): Promise<void> {
  const day = { accountId, day: dayOf(at), event };
  const stored = await rows.first(countedDay, day);
  const counted = stored ?? { count: 0, users: 0, firstUser: null, firstAt: at, lastAt: at };
  counted.count += group.length;
  for (const { userId, at } of group) {
    counted.firstAt = Math.min(counted.firstAt, at);
    counted.lastAt = Math.max(counted.lastAt, at);
    if (userId !== null) await countUser(rows, day, counted, userId);
  }
  await rows.run(stored ? updateDay : insertDay, { ...day, ...counted });
}

async function countUser(rows: OwnWriter, day: Day, counted: Counted, userId: string): Promise<void> {
  if (userId === counted.firstUser) return;
  if (counted.firstUser !== null) counted.users += await rows.run(noteUser, { ...day, userId });
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
