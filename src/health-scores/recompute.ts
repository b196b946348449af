import { eq } from "drizzle-orm";
import { inputs, integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { accounts, type HealthTier, NO_ACTIVITY, UNSCORED_RANK } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { moveAccountCount } from "../account-counts/counts.ts";
import { select, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/tenant.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import { moveScoreCount } from "./distribution.ts";
import { readFacts } from "./facts.ts";
import { recordScore } from "./history.ts";
import { resolutionWindowMilliseconds } from "./request-facts.ts";
import { expireResolutions, firstCountedResolution } from "./request-sums.ts";
import { computeHealth, eventsUntilChange, findNextChange, type HealthFacts, NEVER } from "./score.ts";
import { storeTotals, type UsageFacts } from "./usage-facts.ts";
import type { ScoreValidity } from "./validity-cache.ts";

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
const scoreColumns = ["score", "tier", "coverage", "rank", "scoreStaleAt"] as const;
// Separate statements, because SQLite writes the indexes of every column in SET, also for equal values.
const saves = {
  score: updateOf("saveScore", ...scoreColumns),
  scoreAndActivity: updateOf("saveScoreAndActivity", ...scoreColumns, "activityAt"),
  postponement: updateOf("postpone", "scoreStaleAt"),
  postponementAndActivity: updateOf("postponeAndSaveActivity", "scoreStaleAt", "activityAt"),
  activity: updateOf("saveActivity", "activityAt"),
};

function updateOf(name: string, ...columns: ("activityAt" | (typeof scoreColumns)[number])[]) {
  return update(`scores.${name}`, { table: accounts, set: inputs(accounts, ...columns), where: isAccount });
}

type StoredScore = Row<typeof scoreFields>;
type Score = {
  score: number | null;
  tier: HealthTier | null;
  coverage: number;
  scoreStaleAt: number | null;
  activityAt: number;
};

/** Recomputes the scores of accounts. Returns how long each is valid; undefined when this is unknown. */
export async function recompute(
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
  // Further events of today count in the trend from tomorrow on, those of complete days up to a known limit now. They
  // are not read before, so the score is recomputed tomorrow.
  if (hasRecentEvent) next.scoreStaleAt = Math.min(next.scoreStaleAt ?? tomorrow, tomorrow);
  await saveIfChanged(tx, stored, next);
  if (!hasRecentEvent) return undefined;
  const validUntil = Math.min(tomorrow, lastEventAt + millisecondsOfDay);
  return { validUntil, remainingEventCount: eventsUntilChange(facts.usage, now) - 1 };
}

/** The statement that writes what differs; undefined if nothing does. */
function saveOf(stored: Omit<StoredScore, "id">, next: Score) {
  const hasActivity = stored.activityAt !== next.activityAt;
  if (stored.score !== next.score || stored.coverage !== next.coverage)
    return hasActivity ? saves.scoreAndActivity : saves.score;
  if (stored.scoreStaleAt !== next.scoreStaleAt)
    return hasActivity ? saves.postponementAndActivity : saves.postponement;
  return hasActivity ? saves.activity : undefined;
}

async function saveIfChanged(
  tx: TenantTransaction,
  { id: accountId, ...stored }: StoredScore,
  next: Score,
): Promise<void> {
  const save = saveOf(stored, next);
  if (save) await tx.run(save, { accountId, ...next, rank: next.score ?? UNSCORED_RANK });
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
