import { eq, sql } from "drizzle-orm";
import type { DerivedFault, FaultPage } from "../../db/derived-faults.ts";
import { integerInput, pick } from "../../db/expressions.ts";
import { accounts, healthSettings, SCORE_DUE_NOW, UNSCORED_RANK } from "../../db/schema.ts";
import { readBatchSize } from "../core/pauses.ts";
import { select, selectAfter, update } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { readFacts } from "./facts.ts";
import { newEvents, progressOf, scoreOf } from "./recompute.ts";
import { readSettings } from "./settings.ts";

const rescoring = select("comparedScores.rescoring", {
  fields: pick(healthSettings, "rescoredId"),
  from: healthSettings,
});
const page = selectAfter("comparedScores.page", {
  fields: pick(accounts, "id", "rank", "score"),
  from: accounts,
});

/** Marks the score of an account as stale. Its rank is no part of what the score job compares, so it is set. */
export const resetScore = update("comparedScores.reset", {
  table: accounts,
  set: {
    scoreStaleAt: sql.raw(String(SCORE_DUE_NOW)),
    rank: sql`coalesce(${accounts.score}, ${sql.raw(String(UNSCORED_RANK))})`,
  },
  where: eq(accounts.id, integerInput("accountId")),
});

/**
 * Compares the stored scores of the accounts after `lastId` with their facts. An account whose score the job has yet to
 * compute is not compared, except for its rank. `lastId`: undefined at the end.
 */
export async function findWrongScores(snapshot: TenantSnapshot, lastId: number): Promise<FaultPage> {
  const { now, organizationId } = snapshot;
  const progress = await snapshot.first(progressOf, {});
  const settings = await snapshot.first(rescoring, {});
  const received = await snapshot.all(newEvents, {
    ...{ lastId: progress?.lastEventId ?? 0, limit: readBatchSize, offset: 0 },
  });
  // Scores are behind, or were computed before the clock was set back.
  const isBehind =
    !settings ||
    settings.rescoredId !== null ||
    received.length === readBatchSize ||
    (progress?.refreshedAt ?? 0) > now;
  const rows = await snapshot.all(page, { lastId, limit: readBatchSize, offset: 0 });
  const ids = isBehind ? [] : rows.map(({ id }) => id);
  const [rules, found] = [await readSettings(snapshot), await readFacts(snapshot, ids, now)];
  const used = new Set(received.map(({ accountId }) => accountId));
  const isRight = (id: number) => {
    const { facts, stored } = found.get(id) ?? {};
    if (!facts || !stored || used.has(id) || (stored.scoreStaleAt !== null && stored.scoreStaleAt <= now))
      return true;
    const computed = scoreOf(facts, stored, { now, rules });
    return (
      stored.scoredAt === computed.scoredAt &&
      stored.coverage === computed.coverage &&
      stored.activityAt === computed.activityAt &&
      (stored.scoreStaleAt ?? Infinity) <= (computed.scoreStaleAt ?? Infinity)
    );
  };
  const faults = rows.flatMap(({ id, rank, score }): DerivedFault[] => {
    if (rank === (score ?? UNSCORED_RANK) && isRight(id)) return [];
    const text = `organization ${organizationId}, account ${id}: the stored score is not the score of its facts`;
    return [{ kind: "scores", text, organizationId, key: [id], difference: 0 }];
  });
  return { faults, lastId: rows.length < readBatchSize ? undefined : rows.at(-1)?.id };
}
