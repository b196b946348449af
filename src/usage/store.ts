import { eq, sql } from "drizzle-orm";
import {
  allOf,
  inputs,
  integerInput,
  largerOf,
  pick,
  smallerOf,
  sumOf,
  textInput,
} from "../../db/expressions.ts";
import { usageDays, usageUsers } from "../../db/schema.ts";
import { insert, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { dayOf } from "../core/timestamps.ts";
import { addToSums } from "./sums.ts";

/** One event of an account, with its user if it has one. `at` is in milliseconds since 1970 UTC. */
export type UsageRecord = { accountId: number; event: string; userId: string | null; at: number };

/** Keeps the first user of a stored day, also when it has none: further users have rows. */
const addToDay = insert("usageDays.add", {
  into: usageDays,
  values: inputs(usageDays, "accountId", "day", "event", "count", "users", "firstUser", "firstAt", "lastAt"),
  onConflict: {
    target: [usageDays.organizationId, usageDays.accountId, usageDays.day, usageDays.event],
    set: {
      count: sumOf(usageDays.count),
      firstAt: smallerOf(usageDays.firstAt),
      lastAt: largerOf(usageDays.lastAt),
    },
  },
  returning: pick(usageDays, "accountId", "day", "event", "count", "firstUser"),
});
const addUsers = update("usageDays.addUsers", {
  table: usageDays,
  set: { users: sql`${usageDays.users} + ${integerInput("users")}` },
  where: allOf(
    eq(usageDays.accountId, integerInput("accountId")),
    eq(usageDays.day, integerInput("day")),
    eq(usageDays.event, textInput("event")),
  ),
  key: ["accountId", "day", "event"],
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

/** The events of one name of an account on a day (days since 1970). */
export type DayKey = { accountId: number; day: number; event: string };
/** What records add to one day of an account. */
type AddedDay = DayKey & { count: number; firstAt: number; lastAt: number; userIds: Set<string> };

/** The text that names a day. */
export function keyOf({ accountId, day, event }: DayKey): string {
  return `${accountId} ${day} ${event}`;
}

/** Adds usage to the totals of its days, and to the sums of all accounts. */
export async function addUsage(tx: TenantTransaction, records: readonly UsageRecord[]): Promise<void> {
  const addedDays = addUp(records);
  const rows = [...addedDays.values()].map(({ userIds, ...row }) => {
    const [firstUser = null] = userIds;
    return { ...row, users: firstUser === null ? 0 : 1, firstUser };
  });
  const days = (await tx.upsertAll(addToDay, rows)).map(({ count: storedCount, firstUser, ...key }) => {
    const { count = 0, userIds = [] } = addedDays.get(keyOf(key)) ?? {};
    const isNew = storedCount === count;
    const newUsers = isNew && firstUser !== null ? [firstUser] : [];
    return { key, count, isNew, newUsers, otherUsers: [...userIds].filter((id) => id !== firstUser) };
  });
  const users = days.flatMap((day) => day.otherUsers.map((userId) => ({ day, userId })));
  const areNew = await tx.insertAll(
    insertUser,
    users.map(({ day, userId }) => ({ ...day.key, userId })),
  );
  const newUsers = users.filter((_, i) => areNew[i]);
  for (const { day, userId } of newUsers) day.newUsers.push(userId);
  for (const [{ key }, { length }] of Map.groupBy(newUsers, ({ day }) => day))
    await tx.run(addUsers, { ...key, users: length });
  await addToSums(
    tx,
    days.map(({ key, ...day }) => ({ ...key, ...day })),
  );
}

/** The sums of records, by `keyOf` their days. */
function addUp(records: readonly UsageRecord[]): Map<string, AddedDay> {
  const days = new Map<string, AddedDay>();
  for (const { accountId, event, userId, at } of records) {
    const key = { accountId, day: dayOf(at), event };
    const day = days.get(keyOf(key)) ?? { ...key, count: 0, firstAt: at, lastAt: at, userIds: new Set() };
    days.set(keyOf(key), day);
    day.count += 1;
    day.firstAt = Math.min(day.firstAt, at);
    day.lastAt = Math.max(day.lastAt, at);
    if (userId !== null) day.userIds.add(userId);
  }
  return days;
}
