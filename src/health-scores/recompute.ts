import { eq } from "drizzle-orm";
import { inputs, integerInput } from "../../db/expressions.ts";
import { accounts, NO_ACTIVITY, UNSCORED_RANK } from "../../db/schema.ts";
import { moveAccountCount } from "../account-counts/counts.ts";
import type { AnyChange } from "../core/changes/changes.ts";
import { update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import type { HealthTier } from "../shared/fields/tiers.ts";
import { readFacts, type StoredScore } from "./facts.ts";
import { recordScores } from "./history.ts";
import { computeHealth, findNextChange, type HealthFacts, NEVER } from "./score.ts";

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
  coverage: number;
  scoreStaleAt: number | null;
  activityAt: number;
};

/** Recomputes the scores of accounts. One that is deleted has none: its events are still being deleted. */
export async function recompute(tx: TenantTransaction, accountIds: readonly number[]): Promise<void> {
  const found = await readFacts(tx, accountIds, tx.now);
  const rescored: (Score & { accountId: number })[] = [];
  const tierChanges: AnyChange[] = [];
  for (const [accountId, { facts, stored }] of found) {
    const next = scoreOf(facts, tx.now);
    const save = saveOf(stored, next);
    if (save) await tx.run(save, { accountId, ...next, rank: next.score ?? UNSCORED_RANK });
    if (stored.score !== next.score) rescored.push({ accountId, ...next });
    if (stored.tier === next.tier) continue;
    moveAccountCount(tx, stored, { ...stored, tier: next.tier });
    tierChanges.push(tierChange(accountId, stored, next));
  }
  await recordScores(tx, rescored);
  if (tierChanges.length > 0) await tx.record(tierChanges);
}

function scoreOf(facts: HealthFacts, now: number): Score {
  const { score, tier, coverage, contactActivity } = computeHealth(facts, now);
  const changesAt = findNextChange(facts, now);
  const scoreStaleAt = changesAt === NEVER ? null : changesAt;
  return { score, tier, coverage, scoreStaleAt, activityAt: contactActivity.at ?? NO_ACTIVITY };
}

/** The statement that writes what differs; undefined if nothing does. */
function saveOf(stored: StoredScore, next: Score) {
  const hasActivity = stored.activityAt !== next.activityAt;
  if (stored.score !== next.score || stored.coverage !== next.coverage)
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
