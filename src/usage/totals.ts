import { eq, gte } from "drizzle-orm";
import { minJumpMilliseconds } from "../../db/clock.ts";
import { allOf, integerInput } from "../../db/expressions.ts";
import { usageTotals } from "../../db/schema.ts";
import { remove, select } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/tenant.ts";
import { dayOf } from "../core/timestamps.ts";

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

/** Deletes the totals of complete days that get a late event. */
export async function deleteTotals(
  tx: TenantTransaction,
  records: readonly { accountId: number; at: number }[],
): Promise<void> {
  // A smaller step back of the clock is not noticed: the next day may have a total already.
  const today = dayOf(tx.now + minJumpMilliseconds);
  const late = records.filter(({ at }) => dayOf(at) < today);
  if (late.length === 0 || (await tx.all(anyTotal, { limit: 1, offset: 0 })).length === 0) return;
  const days = new Map(
    late.map(({ accountId, at }) => [`${accountId} ${dayOf(at)}`, { accountId, day: dayOf(at) }]),
  );
  for (const day of days.values()) await tx.run(removeDay, day);
}

/** Deletes the totals of a deleted account, of which there is at most one for each day. */
export async function deleteTotalsOfAccount(tx: TenantTransaction, accountId: number): Promise<void> {
  await tx.run(removeOfAccount, { accountId });
}

/** Deletes the totals of days that are not complete any more, after the clock was set back. */
export async function deleteIncompleteTotals(tx: TenantTransaction): Promise<void> {
  await tx.run(removeSince, { day: dayOf(tx.now) });
}
