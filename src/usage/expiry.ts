import { asc, eq, isNotNull, lte, sql } from "drizzle-orm";
import { expiringDays, usageDays, usageUsers } from "../../db/schema.ts";
import { allOf, inputs, integerInput, textInput } from "../../db/statements.ts";
import { insert, remove, select, type Tenant, type TenantTransaction, update } from "../core/tenant.ts";
import { dayOf } from "../core/timestamps.ts";
import type { UsageRecord } from "./store.ts";

/** So long after a day an event of it can be counted: it may arrive 35 days later, and be parked for 30 more. */
const daysUntilFinal = 35 + 30;
/** How many days are looked at, and users forgotten, at once. */
const batchSize = 200;

const insertExpiringDay = insert({
  into: expiringDays,
  values: inputs("day", "accountId", "event"),
  onConflict: {
    target: [expiringDays.organizationId, expiringDays.day, expiringDays.accountId, expiringDays.event],
  },
});

/** Notes, within the caller's transaction, that the users of these uses' days are to be forgotten. */
export async function markDaysExpiring(
  tx: TenantTransaction,
  uses: readonly Omit<UsageRecord, "userId">[],
): Promise<void> {
  for (const { accountId, event, at } of uses)
    await tx.run(insertExpiringDay, { day: dayOf(at), accountId, event });
}

const oldest = select({
  fields: { day: expiringDays.day, accountId: expiringDays.accountId, event: expiringDays.event },
  from: expiringDays,
  where: lte(expiringDays.day, integerInput("lastDay")),
  orderBy: [asc(expiringDays.day), asc(expiringDays.accountId), asc(expiringDays.event)],
  paged: true,
});
const furtherUsers = select({
  fields: { userId: usageUsers.userId },
  from: usageUsers,
  where: ofDay(usageUsers),
  orderBy: [asc(usageUsers.userId)],
  paged: true,
});
const deleteFurtherUsers = remove({
  from: usageUsers,
  where: allOf(ofDay(usageUsers), lte(usageUsers.userId, textInput("lastUser"))),
});
const clearFirstUser = update({
  table: usageDays,
  set: { firstUser: sql`null` },
  where: allOf(ofDay(usageDays), isNotNull(usageDays.firstUser)),
});
const deleteExpiringDay = remove({ from: expiringDays, where: ofDay(expiringDays) });

function ofDay(table: typeof usageDays | typeof usageUsers | typeof expiringDays) {
  return allOf(
    eq(table.accountId, integerInput("accountId")),
    eq(table.day, integerInput("day")),
    eq(table.event, textInput("event")),
  );
}

/**
 * Forgets the users of days for which no event can be counted any more, some of them; the days' counts stay.
 * Returns whether there may be more.
 */
export async function deleteExpiredUsers(tenant: Tenant): Promise<boolean> {
  const due = { lastDay: dayOf(tenant.now) - daysUntilFinal - 1, offset: 0 };
  if ((await tenant.rows.all(oldest, { ...due, limit: 1 })).length === 0) return false;
  return tenant.write(async (tx) => {
    const days = await tx.all(oldest, { ...due, limit: batchSize });
    let left = batchSize;
    for (const day of days) {
      const users = await tx.all(furtherUsers, { ...day, limit: left, offset: 0 });
      await tx.run(deleteFurtherUsers, { ...day, lastUser: users.at(-1)?.userId ?? "" });
      left -= users.length;
      if (left === 0) return true;
      await tx.run(clearFirstUser, day);
      await tx.run(deleteExpiringDay, day);
    }
    return days.length === batchSize;
  });
}
