import { asc, eq, gt, lte, max, or, sql } from "drizzle-orm";
import { excluded, inputs, integerInput, largerOf, pick } from "../../db/expressions.ts";
import { accounts, events, healthProgress, NO_ACTIVITY, UNSCORED_RANK } from "../../db/schema.ts";
import { moveAccountCount } from "../account-counts/counts.ts";
import type { AnyChange } from "../core/changes/changes.ts";
import { type DueCondition, firstValue, hasRow, sampleOf } from "../core/due-jobs.ts";
import { readBatchSize, writeBatchSize } from "../core/pauses.ts";
import { insert, select, selectAfter, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import type { HealthTier } from "../shared/fields/tiers.ts";
import { readFacts, type StoredScore } from "./facts.ts";
import { recordScores } from "./history.ts";
import { computeHealth, findNextChange, type HealthFacts, type HealthRules, NEVER } from "./score.ts";
import { readSettings } from "./settings.ts";

const isAccount = eq(accounts.id, integerInput("accountId"));
const scoreColumns = ["score", "tier", "scoredAt", "coverage", "rank", "scoreStaleAt"] as const;
// Separate statements, because SQLite writes the indexes of every column in SET, also for equal values.
const saves = {
  score: updateOf("saveScore", ...scoreColumns),
  scoreAndActivity: updateOf("saveScoreAndActivity", ...scoreColumns, "activityAt"),
  postponement: updateOf("postpone", "scoreStaleAt"),
  postponementAndActivity: updateOf("postponeAndSaveActivity", "scoreStaleAt", "activityAt"),
  activity: updateOf("saveActivity", "activityAt"),
};

function updateOf(name: string, ...columns: ("activityAt" | (typeof scoreColumns)[number])[]) {
  return update(`scores.${name}`, {
    table: accounts,
    set: inputs(accounts, ...columns),
    where: isAccount,
    key: ["accountId"],
  });
}

type Score = {
  score: number | null;
  tier: HealthTier | null;
  scoredAt: number | null;
  coverage: number;
  scoreStaleAt: number | null;
  activityAt: number;
};

/** Recomputes the scores of accounts. One that is deleted has none: its events are still being deleted. */
export async function recompute(tx: TenantTransaction, accountIds: readonly number[]): Promise<void> {
  const { now } = tx;
  const [rules, found] = await Promise.all([readSettings(tx), readFacts(tx, accountIds, now)]);
  const rescored: (Score & { accountId: number })[] = [];
  const tierChanges: AnyChange[] = [];
  for (const [accountId, { facts, stored }] of found) {
    const next = scoreOf(facts, stored, { now, rules });
    const save = saveOf(stored, next);
    if (save) await tx.run(save, { accountId, ...next, rank: next.score ?? UNSCORED_RANK });
    if (stored.scoredAt !== next.scoredAt) rescored.push({ accountId, ...next });
    if (stored.tier === next.tier) continue;
    moveAccountCount(tx, stored, { ...stored, tier: next.tier });
    tierChanges.push(tierChange(accountId, stored, next));
  }
  await recordScores(tx, rescored);
  if (tierChanges.length > 0) await tx.record(tierChanges);
}

/** The score of an account at `now` (ms since 1970 UTC). `scoredAt` is the stored one if the score and the tier are. */
export function scoreOf(
  facts: HealthFacts,
  stored: StoredScore,
  { now, rules }: { now: number; rules: HealthRules },
): Score {
  const { score, tier, coverage, contactActivity } = computeHealth(facts, now, rules);
  const changesAt = findNextChange(facts, now, rules);
  const scoreStaleAt = changesAt === NEVER ? null : changesAt;
  // Scores of an earlier version have no time.
  const isSame =
    stored.score === score && stored.tier === tier && (stored.scoredAt !== null || score === null);
  const scoredAt = isSame ? stored.scoredAt : Math.max(now, (stored.scoredAt ?? 0) + 1);
  return { score, tier, scoredAt, coverage, scoreStaleAt, activityAt: contactActivity.at ?? NO_ACTIVITY };
}

/** The statement that writes what differs; undefined if nothing does. */
function saveOf(stored: StoredScore, next: Score) {
  const hasActivity = stored.activityAt !== next.activityAt;
  if (stored.scoredAt !== next.scoredAt || stored.coverage !== next.coverage)
    return hasActivity ? saves.scoreAndActivity : saves.score;
  if (stored.scoreStaleAt !== next.scoreStaleAt)
    return hasActivity ? saves.postponementAndActivity : saves.postponement;
  return hasActivity ? saves.activity : undefined;
}

function tierChange(accountId: number, stored: StoredScore, next: Score): AnyChange {
  return {
    resource: "account",
    action: "health_changed",
    id: accountId,
    accountId,
    before: { tier: stored.tier, score: stored.score },
    after: { tier: next.tier, score: next.score },
  };
}

export const progressOf = select("scores.progress", {
  fields: pick(healthProgress, "lastEventId", "refreshedAt"),
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
export const newEvents = selectAfter("scores.newEvents", {
  fields: { id: events.id, accountId: events.accountId },
  from: events,
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

/** What a step found: no stale score; fewer than fit into a batch, so that all are recomputed; or perhaps more. */
type RefreshResult = "none" | "all" | "more";

/**
 * Job: recomputes one batch of stale scores: of accounts with new events, of accounts that changed, and of accounts
 * whose score changes with time. With more than `maxStale` of them, recomputes none.
 */
export async function refreshScores(tenant: Tenant, maxStale?: number): Promise<RefreshResult> {
  if (!(await tenant.read((snapshot) => isBehind(snapshot, maxStale)))) return "none";
  return (await tenant.write(refreshBatch)) ? "more" : "all";
}

/** The number of stale scores. */
export const staleScoreCount = sampleOf("count", sql`1`, { from: accounts, where: isStale });

const readUpTo = firstValue(healthProgress.lastEventId, { from: healthProgress });
/** `isBehind` as a condition of the read of due jobs. */
export const scoresDue: DueCondition = {
  isDue: sql`${or(
    hasRow({ from: accounts, where: isStale }),
    hasRow({ from: events, where: gt(events.id, sql`coalesce(${readUpTo}, 0)`) }),
  )}`,
};

async function isBehind(snapshot: TenantSnapshot, maxStale?: number): Promise<boolean> {
  const { now } = snapshot;
  if (maxStale !== undefined) {
    const [next] = await snapshot.all(staleAccounts, { now, limit: 1, offset: maxStale });
    if (next) return false;
  }
  const [stale, event, progress] = await Promise.all([
    snapshot.all(staleAccounts, { now, limit: 1, offset: 0 }),
    snapshot.first(lastEvent, {}),
    snapshot.first(progressOf, {}),
  ]);
  return stale.length > 0 || (event?.id ?? 0) > (progress?.lastEventId ?? 0);
}

/** Returns whether there may be more. */
async function refreshBatch(tx: TenantTransaction): Promise<boolean> {
  const { now } = tx;
  const lastId = (await tx.first(progressOf, {}))?.lastEventId ?? 0;
  const [stale, received] = await Promise.all([
    tx.all(staleAccounts, { now, limit: writeBatchSize, offset: 0 }),
    tx.all(newEvents, { lastId, limit: readBatchSize, offset: 0 }),
  ]);
  const accountIds = new Set(stale.map(({ accountId }) => accountId));
  let lastEventId = lastId;
  for (const { id, accountId } of received) {
    if (accountIds.size >= writeBatchSize) break;
    if (accountId !== null) accountIds.add(accountId);
    lastEventId = id;
  }
  if (lastEventId === lastId && accountIds.size === 0) return false;
  await recompute(tx, [...accountIds]);
  await tx.run(saveProgress, { lastEventId, refreshedAt: now });
  return accountIds.size >= writeBatchSize || received.length === readBatchSize;
}
