import { asc, eq, isNotNull, lte, not, sql } from "drizzle-orm";
import { allOf, inputs, integerInput, pick, textInput } from "../../db/expressions.ts";
import { expiringDays, usageDays, usageUsers } from "../../db/schema.ts";
import { isAttachingAny, isAttachingEvents } from "../core/attaching-events.ts";
import { type DueCondition, hasRow } from "../core/due-jobs.ts";
import { daysUntilFinal } from "../core/event-limits.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { insert, remove, select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { dayOf } from "../core/timestamps.ts";
import type { UsageRecord } from "./store.ts";
import { deleteFinalSumUsers, hasFinalSumUsers, removeDayFromSums, removeUsersFromSums } from "./sums.ts";

type DayKey = { accountId: number; day: number; event: string };

const daysOfAccount = select("usageDays.ofAccount", {
  fields: pick(usageDays, "day", "event", "count", "firstUser", "importedUsers"),
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
const deleteDay = remove("usageDays.delete", {
  from: usageDays,
  where: isDayOf(usageDays),
  key: ["accountId", "day", "event"],
});
const deleteExpiringDay = remove("expiringDays.delete", {
  from: expiringDays,
  where: isDayOf(expiringDays),
  key: ["accountId", "day", "event"],
});

function isDayOf(table: typeof usageDays | typeof usageUsers | typeof expiringDays) {
  return allOf(
    eq(table.accountId, integerInput("accountId")),
    eq(table.day, integerInput("day")),
    eq(table.event, textInput("event")),
  );
}

/** Deletes at most `limit` users of the day, without its first one. Resolves with the deleted users. */
async function deleteUsers(tx: TenantTransaction, day: DayKey, limit: number): Promise<string[]> {
  const users = await tx.all(usersOfDay, { ...day, limit, offset: 0 });
  await tx.run(deleteUsersUpTo, { ...day, lastUser: users.at(-1)?.userId ?? "" });
  return users.map(({ userId }) => userId);
}

/** The users of the day are deleted. */
async function unmarkDayExpiring(tx: TenantTransaction, day: DayKey): Promise<void> {
  await tx.run(deleteExpiringDay, day);
}

/**
 * Deletes one batch of the account's days and their users, and subtracts them from the sums of all accounts. Resolves
 * with whether there may be more.
 */
export async function deleteUsageOfAccount(tx: TenantTransaction, accountId: number): Promise<boolean> {
  const days = await tx.all(daysOfAccount, { accountId, limit: writeBatchSize, offset: 0 });
  let remaining = writeBatchSize;
  for (const { day, event, count, firstUser, importedUsers } of days) {
    const usageDay = { accountId, day, event };
    const users = await deleteUsers(tx, usageDay, remaining);
    remaining -= users.length + 1;
    const hasMoreUsers = remaining <= 0;
    if (firstUser !== null && !hasMoreUsers) users.push(firstUser);
    await removeUsersFromSums(tx, usageDay, users);
    if (hasMoreUsers) return true;
    await unmarkDayExpiring(tx, usageDay);
    await removeDayFromSums(tx, { day, event, count, importedUsers });
    await tx.run(deleteDay, usageDay);
  }
  return days.length === writeBatchSize;
}

const insertExpiringDay = insert("expiringDays.insert", {
  into: expiringDays,
  values: inputs(expiringDays, "day", "accountId", "event"),
  onConflict: {
    target: [expiringDays.organizationId, expiringDays.day, expiringDays.accountId, expiringDays.event],
  },
});

/** Marks the days of these records, so that their users are deleted when the days are final. */
export async function markDaysExpiring(
  tx: TenantTransaction,
  records: readonly Omit<UsageRecord, "userId">[],
): Promise<void> {
  await tx.insertAll(
    insertExpiringDay,
    records.map(({ accountId, event, at }) => ({ day: dayOf(at), accountId, event })),
  );
}

const isFinal = lte(expiringDays.day, integerInput("lastDay"));
const oldest = select("expiringDays.oldest", {
  fields: { day: expiringDays.day, accountId: expiringDays.accountId, event: expiringDays.event },
  from: expiringDays,
  where: isFinal,
  orderBy: [asc(expiringDays.day), asc(expiringDays.accountId), asc(expiringDays.event)],
  paged: true,
});
const clearFirstUser = update("usageDays.clearFirstUser", {
  table: usageDays,
  set: { firstUser: sql`null` },
  where: allOf(isDayOf(usageDays), isNotNull(usageDays.firstUser)),
  key: ["accountId", "day", "event"],
});

const lastFinalDay = (retentionTime: number) => dayOf(retentionTime) - daysUntilFinal - 1;
export const expiredUsersDue: DueCondition = {
  isDue: allOf(
    sql`(${hasRow({ from: expiringDays, where: isFinal })} or ${hasFinalSumUsers})`,
    not(isAttachingAny),
  ),
  inputs: ({ retentionTime }) => ({ lastDay: lastFinalDay(retentionTime) }),
};

/**
 * Job: deletes one batch of the users of final days; the totals and sums stay. No day is final while events are
 * attached in steps. Returns whether there may be more.
 */
export function deleteExpiredUsers(tenant: Tenant): Promise<boolean> {
  const lastDay = lastFinalDay(tenant.retentionTime);
  return tenant.write(async (tx) => {
    if (await isAttachingEvents(tx)) return false;
    const days = await tx.all(oldest, { lastDay, limit: writeBatchSize, offset: 0 });
    let remaining = writeBatchSize;
    for (const day of days) {
      remaining -= (await deleteUsers(tx, day, remaining)).length;
      if (remaining === 0) return true;
      await tx.run(clearFirstUser, day);
      await unmarkDayExpiring(tx, day);
    }
    const deletedCount = await deleteFinalSumUsers(tx, lastDay, remaining);
    return days.length === writeBatchSize || deletedCount === remaining;
  });
}
