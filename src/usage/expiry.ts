import { asc, isNotNull, lte, not, sql } from "drizzle-orm";
import { allOf, inputs, integerInput } from "../../db/expressions.ts";
import { expiringDays, usageDays } from "../../db/schema.ts";
import { hasAttachments, isAttachingAny } from "../core/attachments.ts";
import { type DueCondition, hasRow } from "../core/due-jobs.ts";
import { daysUntilFinal } from "../core/event-limits.ts";
import { insert, select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { dayOf } from "../core/timestamps.ts";
import { batchSize, deleteUsers, isDayOf, unmarkDayExpiring } from "./days.ts";
import type { UsageRecord } from "./store.ts";
import { deleteFinalSumUsers, hasFinalSumUsers } from "./sums.ts";

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
    if (await hasAttachments(tx)) return false;
    const days = await tx.all(oldest, { lastDay, limit: batchSize, offset: 0 });
    let remaining = batchSize;
    for (const day of days) {
      remaining -= (await deleteUsers(tx, day, remaining)).length;
      if (remaining === 0) return true;
      await tx.run(clearFirstUser, day);
      await unmarkDayExpiring(tx, day);
    }
    const deletedCount = await deleteFinalSumUsers(tx, lastDay, remaining);
    return days.length === batchSize || deletedCount === remaining;
  });
}
