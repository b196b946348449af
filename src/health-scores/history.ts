import { asc, desc, eq, gt, gte, lt, lte, max, sql } from "drizzle-orm";
import { allOf, excluded, inputs, integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { accounts, healthDays } from "../../db/schema.ts";
import { notFound } from "../core/resource/resource.ts";
import { aggregateOf, insert, remove, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { dayOf } from "../core/timestamps.ts";
import type { HealthTier } from "../shared/fields/tiers.ts";

/** Days for which changes of scores are stored. */
const storedDays = 400;

const { day, score, tier } = healthDays;
const fields = { day, score, tier };
const isOfAccount = eq(healthDays.accountId, integerInput("accountId"));
const saveDay = insert("healthDays.save", {
  into: healthDays,
  values: inputs(healthDays, "accountId", "day", "score", "tier"),
  onConflict: {
    target: [healthDays.organizationId, healthDays.accountId, healthDays.day],
    set: { score: excluded(score), tier: excluded(tier) },
  },
});
const isOfAccounts = isInJson(healthDays.accountId, textInput("accountIds"));
const isOld = lte(day, integerInput("firstDay"));
/** The score of the first stored day is the score of a change before it. */
const firstStoredDay = aggregateOf(max(day), { from: healthDays, where: allOf(isOfAccount, isOld) });
const oldCounts = select("healthDays.oldCounts", {
  fields: { accountId: healthDays.accountId, count: sql<number>`count(*)` },
  from: healthDays,
  where: allOf(isOfAccounts, isOld),
  groupBy: [healthDays.accountId],
});
const removeOld = remove("healthDays.removeOld", {
  from: healthDays,
  where: allOf(isOfAccount, lt(day, firstStoredDay)),
});
const removeOfAccount = remove("healthDays.removeOfAccount", { from: healthDays, where: isOfAccount });
const removeLater = remove("healthDays.removeLater", {
  from: healthDays,
  where: allOf(isOfAccounts, gt(day, integerInput("today"))),
});
const changedDays = select("healthDays.list", {
  fields,
  from: healthDays,
  where: allOf(isOfAccount, gte(day, integerInput("from")), lte(day, integerInput("to"))),
  orderBy: [asc(day)],
});
const lastBefore = select("healthDays.lastBefore", {
  fields,
  from: healthDays,
  where: allOf(isOfAccount, lt(day, integerInput("from"))),
  orderBy: [desc(day)],
  paged: true,
});
const storedScore = select("healthDays.storedScore", {
  fields: { score: accounts.score, tier: accounts.tier },
  from: accounts,
  where: eq(accounts.id, integerInput("accountId")),
});

type DayScore = { score: number | null; tier: HealthTier | null };
/** The score of an account at the end of a UTC day, in days since 1970. */
export type HealthDay = DayScore & { day: number };

/** Stores changed scores as the scores of the current day. Deletes changes that are too old to be read. */
export async function recordScores(
  tx: TenantTransaction,
  changed: readonly (DayScore & { accountId: number })[],
): Promise<void> {
  if (changed.length === 0) return;
  const today = dayOf(tx.now);
  const firstDay = today - storedDays;
  const accountIds = JSON.stringify(changed.map(({ accountId }) => accountId));
  const rows = changed.map(({ accountId, score, tier }) => ({ accountId, day: today, score, tier }));
  await tx.insertAll(saveDay, rows);
  for (const { accountId, count } of await tx.all(oldCounts, { accountIds, firstDay }))
    if (count > 1) await tx.run(removeOld, { accountId, firstDay });
}

/** Deletes the scores of a deleted account: at most one for each day. */
export async function deleteScoresOfAccount(tx: TenantTransaction, accountId: number): Promise<void> {
  await tx.run(removeOfAccount, { accountId });
}

/** Deletes scores of later days, after the clock was set back. */
export async function deleteFutureScores(
  tx: TenantTransaction,
  accountIds: readonly number[],
): Promise<void> {
  await tx.run(removeLater, { accountIds: JSON.stringify(accountIds), today: dayOf(tx.now) });
}

/**
 * The score of an account on each UTC day from `from` to `to`, both included, up to today. The days before its first
 * stored score are left out. Throws `not_found`.
 */
export async function readHistory(
  snapshot: TenantSnapshot,
  { accountId, from, to }: { accountId: number; from: number; to: number },
): Promise<HealthDay[]> {
  const present = (await snapshot.first(storedScore, { accountId })) ?? notFound("account", accountId);
  const [before] = await snapshot.all(lastBefore, { accountId, from, limit: 1, offset: 0 });
  const changed = await snapshot.all(changedDays, { accountId, from, to });
  const scores = new Map<number, DayScore>(changed.map(({ day, ...score }) => [day, score]));
  const today = dayOf(snapshot.now);
  // After a reset of the clock, the stored score may have been computed for a later day.
  if (before || present.score !== null || scores.size > 0) scores.set(today, present);
  const days: HealthDay[] = [];
  let last: DayScore | undefined = before;
  for (let day = from; day <= Math.min(to, today); day += 1) {
    last = scores.get(day) ?? last;
    if (last) days.push({ day, score: last.score, tier: last.tier });
  }
  return days;
}
