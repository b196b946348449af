import { between, eq, max, min, sql } from "drizzle-orm";
import { allOf, integerInput, textInput } from "../../db/expressions.ts";
import { events, usageDays, usageUsers } from "../../db/schema.ts";
import { existsIn, remove, select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { addToCounter, counters } from "./counters.ts";

type RepairedDay = { accountId: number; day: number; event: string };

const isDayOf = (table: typeof usageDays | typeof usageUsers) =>
  allOf(
    eq(table.accountId, integerInput("accountId")),
    eq(table.day, integerInput("day")),
    eq(table.event, textInput("event")),
  );
const hasDay = existsIn({ from: usageDays, where: isDayOf(usageDays) });
const removeUsersWithoutDay = remove("repairs.removeUsersWithoutDay", {
  from: usageUsers,
  where: allOf(isDayOf(usageUsers), sql`not ${hasDay}`),
});
const isFurtherUser = existsIn({
  from: usageUsers,
  where: allOf(isDayOf(usageUsers), eq(usageUsers.userId, events.userId)),
});
const eventsOfDay = select("repairs.eventsOfDay", {
  fields: {
    firstAt: min(events.timestamp),
    lastAt: max(events.timestamp),
    firstUser: sql<string | null>`min(case when not ${isFurtherUser} then ${events.userId} end)`,
  },
  from: events,
  where: allOf(
    eq(events.accountId, integerInput("accountId")),
    eq(events.event, textInput("event")),
    between(events.timestamp, integerInput("from"), integerInput("to")),
  ),
});

/** Adds to the number of events of a day of an account; 0 removes the day. Resolves with whether it changed. */
export async function addToDayEvents(tenant: Tenant, key: RepairedDay, count: number): Promise<boolean> {
  const values = { ...key, count };
  if (await tenant.write((tx) => addToCounter(tx, counters.dayEvents, values, async () => undefined)))
    return true;
  // Events have no index by account: a reader reads all of the organization.
  const from = key.day * millisecondsOfDay;
  const range = { ...key, from, to: from + millisecondsOfDay - 1 };
  const found = await tenant.read((snapshot) => snapshot.first(eventsOfDay, range), { place: "reader" });
  if (!found || found.firstAt === null) return false;
  const { firstAt, lastAt, firstUser } = found;
  const added = { users: firstUser === null ? 0 : 1, firstUser, firstAt, lastAt };
  return tenant.write((tx) => addToCounter(tx, counters.dayEvents, values, async () => added));
}

/** Adds to the number of users of a day of an account. The users of a day that does not exist are removed. */
export async function addToDayUsers(
  tx: TenantTransaction,
  key: RepairedDay,
  users: number,
): Promise<boolean> {
  if (await addToCounter(tx, counters.dayUsers, { ...key, users })) return true;
  return (await tx.count(removeUsersWithoutDay, key)) > 0;
}
