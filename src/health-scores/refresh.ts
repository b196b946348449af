import { asc, eq, gt, lte, max, or, sql } from "drizzle-orm";
import { excluded, inputs, integerInput, isInJson, largerOf, textInput } from "../../db/expressions.ts";
import {
  accounts,
  events,
  type HealthTier,
  healthProgress,
  NO_ACTIVITY,
  UNSCORED_RANK,
} from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { moveAccountCount } from "../accounts/counts.ts";
import { type DueCondition, firstValue, hasRow } from "../core/due-jobs.ts";
import type { Tenant, TenantSnapshot, TenantTransaction } from "../core/tenant.ts";
import { insert, select, update } from "../core/tenant-statements.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import { moveActivity } from "./activity.ts";
import { moveScoreCount } from "./distribution.ts";
import { readFacts } from "./facts.ts";
import { recordScore } from "./history.ts";
import { resolutionWindowMilliseconds } from "./request-facts.ts";
import { expireResolutions, firstCountedResolution } from "./request-sums.ts";
import { computeHealth, eventsUntilChange, findNextChange, type HealthFacts, NEVER } from "./score.ts";
import { storeTotals, type UsageFacts } from "./usage-facts.ts";
import type { ScoreValidity, ScoreValidityCache } from "./validity-cache.ts";

/** Scores to recompute, and events to read, in one transaction: a few milliseconds. */
const batchSize = 100;
const eventBatchSize = 5_000;
/** Accounts with new events whose scores stay as they are, in one transaction. */
const activityBatchSize = 500;

const progressOf = select("scores.progress", {
  fields: { lastEventId: healthProgress.lastEventId, refreshedAt: healthProgress.refreshedAt },
  from: healthProgress,
});
const lastEvent = select("scores.lastEvent", { fields: { id: max(events.id) }, from: events });
const isStale = lte(accounts.scoreStaleAt, integerInput("now"));
const staleAccounts = select("scores.stale", {
  fields: { accountId: accounts.id },
  from: accounts,
  where: isStale,
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
const scoreFields = {
  id: accounts.id,
  status: accounts.status,
  mrr: accounts.mrr,
  score: accounts.score,
  tier: accounts.tier,
  coverage: accounts.coverage,
  scoreStaleAt: accounts.scoreStaleAt,
  activityAt: accounts.activityAt,
  firstResolvedAt: firstCountedResolution,
};
const storedScores = select("scores.byAccounts", {
  fields: scoreFields,
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});
const isAccount = eq(accounts.id, integerInput("accountId"));
// Separate statements, because SQLite writes the indexes of every column in SET, also for equal values.
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
const saveActivity = update("scores.saveActivity", {
  table: accounts,
  set: inputs(accounts, "activityAt"),
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

const readUpTo = firstValue(healthProgress.lastEventId, { from: healthProgress });
/** The same as `isBehind`. */
export const scoresDue: DueCondition = {
  isDue: sql`${or(
    hasRow({ from: accounts, where: isStale }),
    hasRow({ from: events, where: gt(events.id, sql`coalesce(${readUpTo}, 0)`) }),
  )}`,
};

async function isBehind(snapshot: TenantSnapshot): Promise<boolean> {
  const { now } = snapshot;
  const [stale, event, progress] = await Promise.all([
    snapshot.all(staleAccounts, { now, limit: 1, offset: 0 }),
    snapshot.first(lastEvent, {}),
    snapshot.first(progressOf, {}),
  ]);
  return stale.length > 0 || (event?.id ?? 0) > (progress?.lastEventId ?? 0);
}

async function refreshBatch(tx: TenantTransaction, cache: ScoreValidityCache) {
  const { now } = tx;
  const from = (await tx.first(progressOf, {})) ?? { lastEventId: 0, refreshedAt: 0 };
  const { lastEventId: lastId } = from;
  const draft = cache.draft(tx.organizationId, from);
  const stale = await tx.all(staleAccounts, { now, limit: batchSize, offset: 0 });
  const received = await tx.all(newEvents, { lastId, limit: eventBatchSize, offset: 0 });
  const accountIds = new Set(stale.map(({ accountId }) => accountId));
  const activity = new Map<number, number>();
  let lastEventId = lastId;
  for (const { id, accountId, at } of received) {
    if (accountIds.size >= batchSize || activity.size >= activityBatchSize) break;
    if (accountId !== null && !draft.isUnaffected(accountId, at, now)) accountIds.add(accountId);
    else if (accountId !== null) activity.set(accountId, Math.max(at, activity.get(accountId) ?? at));
    lastEventId = id;
  }
  for (const [accountId, activityAt] of activity)
    if (!accountIds.has(accountId)) await moveActivity(tx, accountId, activityAt);
  for (const [accountId, validity] of await recompute(tx, [...accountIds])) draft.set(accountId, validity);
  if (lastEventId === lastId && accountIds.size === 0) return { draft, from, to: from };
  // Unique for each run, so that it identifies the position in the caches of all processes.
  const refreshedAt = Math.max(from.refreshedAt + 1, now);
  await tx.run(saveProgress, { lastEventId, refreshedAt });
  return { draft, from, to: { lastEventId, refreshedAt } };
}

type StoredScore = Row<typeof scoreFields>;
type Score = {
  score: number | null;
  tier: HealthTier | null;
  coverage: number;
  scoreStaleAt: number | null;
  activityAt: number;
};

/** Recomputes scores. Returns how long each is valid; undefined when this is unknown. */
async function recompute(
  tx: TenantTransaction,
  accountIds: readonly number[],
): Promise<Map<number, ScoreValidity | undefined>> {
  // An account that is deleted, and whose events are still being deleted, has no score.
  const validities = new Map<number, ScoreValidity | undefined>(accountIds.map((id) => [id, undefined]));
  const stored = await tx.all(storedScores, { accountIds: JSON.stringify(accountIds) });
  const resolvedAfter = tx.now - resolutionWindowMilliseconds;
  const expired = stored.filter(({ firstResolvedAt: at }) => at !== null && at <= resolvedAfter);
  if (expired.length > 0)
    await expireResolutions(
      tx,
      expired.map(({ id }) => id),
      resolvedAfter,
    );
  const facts = await readFacts(tx, accountIds, tx.now);
  for (const score of stored) {
    const factsOfAccount = facts.get(score.id);
    if (factsOfAccount) validities.set(score.id, await storeScore(tx, score, factsOfAccount));
  }
  return validities;
}

/** Stores the score that follows from the facts. Returns how long it is valid; undefined when this is unknown. */
async function storeScore(
  tx: TenantTransaction,
  stored: StoredScore,
  facts: HealthFacts & UsageFacts,
): Promise<ScoreValidity | undefined> {
  const { now } = tx;
  await storeTotals(tx, facts.usage);
  const { score, tier, coverage, contactActivity } = computeHealth(facts, now);
  const activityAt = contactActivity.at ?? NO_ACTIVITY;
  const changesAt = findNextChange(facts, now);
  const scoreStaleAt = changesAt === NEVER ? null : changesAt;
  const next: Score = { score, tier, coverage, scoreStaleAt, activityAt };
  const { lastEventAt } = facts;
  const hasRecentEvent = lastEventAt !== null && now - lastEventAt < millisecondsOfDay;
  const tomorrow = (dayOf(now) + 1) * millisecondsOfDay;
  // More events of today can change the score only through the trend, whose next limit is known. Until then they are
  // not looked at, so the score is recomputed tomorrow.
  if (hasRecentEvent) next.scoreStaleAt = Math.min(next.scoreStaleAt ?? tomorrow, tomorrow);
  await saveIfChanged(tx, stored, next);
  if (!hasRecentEvent) return undefined;
  const validUntil = Math.min(tomorrow, lastEventAt + millisecondsOfDay);
  return { validUntil, remainingEventCount: eventsUntilChange(facts.usage, now) - 1 };
}

async function saveIfChanged(
  tx: TenantTransaction,
  { id: accountId, ...stored }: StoredScore,
  next: Score,
): Promise<void> {
  const { scoreStaleAt, activityAt, ...score } = next;
  if (stored.activityAt !== activityAt) await tx.run(saveActivity, { accountId, activityAt });
  if (stored.score !== next.score || stored.coverage !== next.coverage)
    await tx.run(saveScore, { accountId, ...score, scoreStaleAt, rank: score.score ?? UNSCORED_RANK });
  else if (stored.scoreStaleAt !== scoreStaleAt) await tx.run(postponeRefresh, { accountId, scoreStaleAt });
  if (stored.score !== next.score) {
    moveScoreCount(tx, stored.score, next.score);
    await recordScore(tx, accountId, next);
  }
  if (stored.tier === next.tier) return;
  moveAccountCount(tx, stored, { ...stored, tier: next.tier });
  await tx.record({
    resource: "account",
    action: "health_changed",
    id: accountId,
    accountId,
    before: { tier: stored.tier, score: stored.score },
    after: { tier: next.tier, score: next.score },
  });
}
