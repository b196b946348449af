import { asc, eq, lte } from "drizzle-orm";
import { allOf, integerInput, pick, textInput } from "../../db/expressions.ts";
import { expiringDays, usageDays, usageUsers } from "../../db/schema.ts";
import { remove, select } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { removeDayFromSums, removeUsersFromSums } from "./sums.ts";

/** One event name of one account on one day. */
type DayKey = { accountId: number; day: number; event: string };

/** Days to read, and rows to delete, in one transaction: a few milliseconds. */
export const batchSize = 200;

const daysOfAccount = select("usageDays.ofAccount", {
  fields: pick(usageDays, "day", "event", "count", "firstUser"),
  from: usageDays,
  where: eq(usageDays.accountId, integerInput("accountId")),
  orderBy: [asc(usageDays.day), asc(usageDays.event)],
  paged: true,
});
const usersOfDay = select("usageUsers.ofDay", {
  fields: { userId: usageUsers.userId },
  from: usageUsers,
  where: isDayOf(usageUsers),
  orderBy: [asc(usageUsers.userId)],
  paged: true,
});
const deleteUsersUpTo = remove("usageUsers.deleteUpTo", {
  from: usageUsers,
  where: allOf(isDayOf(usageUsers), lte(usageUsers.userId, textInput("lastUser"))),
});
const deleteDay = remove("usageDays.delete", { from: usageDays, where: isDayOf(usageDays) });
const deleteExpiringDay = remove("expiringDays.delete", {
  from: expiringDays,
  where: isDayOf(expiringDays),
});

export function isDayOf(table: typeof usageDays | typeof usageUsers | typeof expiringDays) {
  return allOf(
    eq(table.accountId, integerInput("accountId")),
    eq(table.day, integerInput("day")),
    eq(table.event, textInput("event")),
  );
}

/** Deletes at most `limit` users of the day, without its first one. Resolves with the deleted users. */
export async function deleteUsers(tx: TenantTransaction, day: DayKey, limit: number): Promise<string[]> {
  const users = await tx.all(usersOfDay, { ...day, limit, offset: 0 });
  await tx.run(deleteUsersUpTo, { ...day, lastUser: users.at(-1)?.userId ?? "" });
  return users.map(({ userId }) => userId);
}

/** The users of the day are deleted. */
export async function unmarkDayExpiring(tx: TenantTransaction, day: DayKey): Promise<void> {
  await tx.run(deleteExpiringDay, day);
}

/**
 * Deletes one batch of the account's days and their users, and subtracts them from the sums of all accounts. Resolves
 * with whether there may be more.
 */
export async function deleteUsageOfAccount(tx: TenantTransaction, accountId: number): Promise<boolean> {
  const days = await tx.all(daysOfAccount, { accountId, limit: batchSize, offset: 0 });
  let remaining = batchSize;
  for (const { day, event, count, firstUser } of days) {
    const usageDay = { accountId, day, event };
    const users = await deleteUsers(tx, usageDay, remaining);
    remaining -= users.length + 1;
    const hasMoreUsers = remaining <= 0;
    if (firstUser !== null && !hasMoreUsers) users.push(firstUser);
    await removeUsersFromSums(tx, usageDay, users);
    if (hasMoreUsers) return true;
    await unmarkDayExpiring(tx, usageDay);
    await removeDayFromSums(tx, { day, event, count });
    await tx.run(deleteDay, usageDay);
  }
  return days.length === batchSize;
}
