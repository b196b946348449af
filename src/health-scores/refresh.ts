import { asc, eq, gt, lte, max } from "drizzle-orm";
import { excluded, inputs, integerInput, largerOf } from "../../db/expressions.ts";
import { accounts, events, type HealthTier, healthProgress, UNSCORED_RANK } from "../../db/schema.ts";
import { type CountedAccount, moveAccountCount } from "../accounts/counts.ts";
import type { Tenant, TenantSnapshot, TenantTransaction } from "../core/tenant.ts";
import { insert, select, update } from "../core/tenant-statements.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import { readFacts } from "./facts.ts";
import { resolutionWindowMilliseconds } from "./request-facts.ts";
import { expireResolutions, firstCountedResolution } from "./request-sums.ts";
import { computeHealth, eventsUntilChange, findNextChange, NEVER } from "./score.ts";
import { storeTotals } from "./usage-facts.ts";
import type { ScoreValidity, ScoreValidityCache } from "./validity-cache.ts";

/** Scores to recompute, and events to read, in one transaction: a few milliseconds. */
const batchSize = 100;
const eventBatchSize = 5_000;

const progressOf = select("scores.progress", {
  fields: { lastEventId: healthProgress.lastEventId, refreshedAt: healthProgress.refreshedAt },
  from: healthProgress,
});
const lastEvent = select("scores.lastEvent", { fields: { id: max(events.id) }, from: events });
const staleAccounts = select("scores.stale", {
  fields: { accountId: accounts.id },
  from: accounts,
  where: lte(accounts.scoreStaleAt, integerInput("now")),
  orderBy: [asc(accounts.scoreStaleAt)],
  paged: true,
});
const newEvents = select("scores.newEvents", {
  fields: { id: events.id, accountId: events.accountId, at: events.timestamp },
  from: events,
  where: gt(events.id, integerInput("lastId")),
  orderBy: [asc(events.id)],
  paged: true,
});
const saveProgress = insert("scores.saveProgress", {
  into: healthProgress,
  values: inputs(healthProgress, "lastEventId", "refreshedAt"),
  onConflict: {
    target: [healthProgress.organizationId],
    set: {
      lastEventId: excluded(healthProgress.lastEventId),
      // Only the job after a clock reset moves it back.
      refreshedAt: largerOf(healthProgress.refreshedAt),
    },
  },
});
const isAccount = eq(accounts.id, integerInput("accountId"));
const storedScore = select("scores.byAccount", {
  fields: {
    status: accounts.status,
    mrr: accounts.mrr,
    score: accounts.score,
    tier: accounts.tier,
    coverage: accounts.coverage,
    scoreStaleAt: accounts.scoreStaleAt,
    firstResolvedAt: firstCountedResolution,
  },
  from: accounts,
  where: isAccount,
});
// Two statements, because SQLite writes the indexes of every column in SET, also for equal values.
const postponeRefresh = update("scores.postpone", {
  table: accounts,
  set: inputs(accounts, "scoreStaleAt"),
  where: isAccount,
});
const saveScore = update("scores.save", {
  table: accounts,
  set: inputs(accounts, "score", "tier", "coverage", "rank", "scoreStaleAt"),
  where: isAccount,
});

/**
 * Job: recomputes one batch of stale scores: of accounts with new events, of accounts that changed, and of accounts
 * whose score changes with time. `cache` has the scores that further events do not change. Returns whether there
 * may be more.
 */
export async function refreshScores(tenant: Tenant, cache: ScoreValidityCache): Promise<boolean> {
  if (!(await tenant.read(isBehind))) return false;
  const { draft, ...progress } = await tenant.write((tx) => refreshBatch(tx, cache));
  cache.apply(tenant.organizationId, progress, draft);
  return true;
}

async function isBehind(snapshot: TenantSnapshot): Promise<boolean> {
  const { now } = snapshot;
  if ((await snapshot.all(staleAccounts, { now, limit: 1, offset: 0 })).length > 0) return true;
  const lastId = (await snapshot.first(lastEvent, {}))?.id ?? 0;
  return lastId > ((await snapshot.first(progressOf, {}))?.lastEventId ?? 0);
}

async function refreshBatch(tx: TenantTransaction, cache: ScoreValidityCache) {
  const { now } = tx;
  const from = (await tx.first(progressOf, {})) ?? { lastEventId: 0, refreshedAt: 0 };
  const { lastEventId: lastId } = from;
  const draft = cache.draft(tx.organizationId, from);
  const stale = await tx.all(staleAccounts, { now, limit: batchSize, offset: 0 });
  const received = await tx.all(newEvents, { lastId, limit: eventBatchSize, offset: 0 });
  const accountIds = new Set(stale.map(({ accountId }) => accountId));
  let lastEventId = lastId;
  for (const { id, accountId, at } of received) {
    if (accountIds.size >= batchSize) break;
    if (accountId !== null && !draft.isUnaffected(accountId, at, now)) accountIds.add(accountId);
    lastEventId = id;
  }
  for (const accountId of accountIds) draft.set(accountId, await recompute(tx, accountId));
  if (lastEventId === lastId && accountIds.size === 0) return { draft, from, to: from };
  await tx.run(saveProgress, { lastEventId, refreshedAt: now });
  return { draft, from, to: { lastEventId, refreshedAt: Math.max(from.refreshedAt, now) } };
}

type Score = { score: number | null; tier: HealthTier | null; coverage: number; scoreStaleAt: number | null };

/** Recomputes one score. Returns how long it is valid; undefined when this is unknown. */
async function recompute(tx: TenantTransaction, accountId: number): Promise<ScoreValidity | undefined> {
  const { now } = tx;
  const stored = await tx.first(storedScore, { accountId });
  const resolvedAfter = now - resolutionWindowMilliseconds;
  if (stored && stored.firstResolvedAt !== null && stored.firstResolvedAt <= resolvedAfter)
    await expireResolutions(tx, accountId, resolvedAfter);
  const facts = stored && (await readFacts(tx, accountId, now));
  // The account is deleted, and its events are still being deleted.
  if (!facts) return undefined;
  await storeTotals(tx, accountId, facts.usage);
  const { score, tier, coverage } = computeHealth(facts, now);
  const changesAt = findNextChange(facts, now);
  const next: Score = { score, tier, coverage, scoreStaleAt: changesAt === NEVER ? null : changesAt };
  const { lastEventAt } = facts;
  const hasRecentEvent = lastEventAt !== null && now - lastEventAt < millisecondsOfDay;
  const tomorrow = (dayOf(now) + 1) * millisecondsOfDay;
  // More events of today can change the score only through the trend, whose next limit is known. Until then they are
  // not looked at, so the score is recomputed tomorrow.
  if (hasRecentEvent) next.scoreStaleAt = Math.min(next.scoreStaleAt ?? tomorrow, tomorrow);
  await saveIfChanged(tx, accountId, stored, next);
  if (!hasRecentEvent) return undefined;
  const validUntil = Math.min(tomorrow, lastEventAt + millisecondsOfDay);
  return { validUntil, remainingEventCount: eventsUntilChange(facts.usage, now) - 1 };
}

async function saveIfChanged(
  tx: TenantTransaction,
  accountId: number,
  stored: Score & CountedAccount,
  next: Score,
): Promise<void> {
  const { scoreStaleAt } = next;
  if (stored.score !== next.score || stored.coverage !== next.coverage)
    await tx.run(saveScore, { accountId, ...next, rank: next.score ?? UNSCORED_RANK });
  else if (stored.scoreStaleAt !== scoreStaleAt) await tx.run(postponeRefresh, { accountId, scoreStaleAt });
  if (stored.tier === next.tier) return;
  await moveAccountCount(tx, stored, { ...stored, tier: next.tier });
  await tx.record({
    resource: "account",
    action: "health_changed",
    id: accountId,
    accountId,
    before: { tier: stored.tier, score: stored.score },
    after: { tier: next.tier, score: next.score },
  });
}
