import { eq, gte } from "drizzle-orm";
import { allOf, integerInput } from "../../db/expressions.ts";
import { usageTotals } from "../../db/schema.ts";
import type { TenantTransaction } from "../core/tenant.ts";
import { remove, select } from "../core/tenant-statements.ts";
import { dayOf } from "../core/timestamps.ts";

/** The clock can be set back by an hour without notice. */
const maxClockResetMilliseconds = 3_600_000;

const isOfAccount = eq(usageTotals.accountId, integerInput("accountId"));
const isDay = eq(usageTotals.day, integerInput("day"));
const anyTotal = select("usageTotals.any", {
  fields: { day: usageTotals.day },
  from: usageTotals,
  paged: true,
});
const removeDay = remove("usageTotals.remove", { from: usageTotals, where: allOf(isOfAccount, isDay) });
const removeOfAccount = remove("usageTotals.removeOfAccount", { from: usageTotals, where: isOfAccount });
const removeSince = remove("usageTotals.removeSince", {
  from: usageTotals,
  where: gte(usageTotals.day, integerInput("day")),
});

/** Deletes the stored totals of days that get another event. The current day has none, and few organizations have any. */
export async function discardTotals(
  tx: TenantTransaction,
  records: readonly { accountId: number; at: number }[],
): Promise<void> {
  const today = dayOf(tx.now + maxClockResetMilliseconds);
  const late = records.filter(({ at }) => dayOf(at) < today);
  if (late.length === 0 || (await tx.all(anyTotal, { limit: 1, offset: 0 })).length === 0) return;
  const days = new Map(
    late.map(({ accountId, at }) => [`${accountId} ${dayOf(at)}`, { accountId, day: dayOf(at) }]),
  );
  for (const day of days.values()) await tx.run(removeDay, day);
}

/** Deletes the totals of a deleted account, of which there is at most one for each day. */
export async function discardTotalsOfAccount(tx: TenantTransaction, accountId: number): Promise<void> {
  await tx.run(removeOfAccount, { accountId });
}

/** Deletes the totals of days that are not complete any more, after the clock was set back. */
export async function discardIncompleteTotals(tx: TenantTransaction): Promise<void> {
  await tx.run(removeSince, { day: dayOf(tx.now) });
}
