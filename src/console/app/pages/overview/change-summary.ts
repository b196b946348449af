import { type HealthTier, healthTiers } from "../../../../shared/fields/tiers.ts";
import { resourceTypes } from "../../../../shared/resources.ts";
import type { RecordedChange } from "./recent-changes.ts";

export type TierMove = { accountId: number; from: HealthTier; to: HealthTier; time: string };
export type ResourceCounts = { resource: string; created: number; updated: number; deleted: number };

type ChangeSummary = {
  /** Accounts whose tier is worse than before, the worst first. */
  drops: TierMove[];
  /** Accounts whose tier is better than before, the best first. */
  rises: TierMove[];
  /** Accounts that got their first score. */
  firstScoreCount: number;
  counts: ResourceCounts[];
};

const rankOf = (tier: HealthTier) => healthTiers.indexOf(tier);

/** What the changes, in the order of the feed, add up to. */
export function summarize(changes: readonly RecordedChange[]): ChangeSummary {
  const { moves, firstScoreCount } = movesOf(changes);
  const steps = ({ from, to }: TierMove) => rankOf(to) - rankOf(from);
  const newestFirst = (a: TierMove, b: TierMove) => Date.parse(b.time) - Date.parse(a.time);
  return {
    drops: moves
      .filter((move) => steps(move) > 0)
      .sort((a, b) => rankOf(b.to) - rankOf(a.to) || steps(b) - steps(a) || newestFirst(a, b)),
    rises: moves
      .filter((move) => steps(move) < 0)
      .sort((a, b) => rankOf(a.to) - rankOf(b.to) || steps(a) - steps(b) || newestFirst(a, b)),
    firstScoreCount,
    counts: countByResource(changes),
  };
}

/**
 * One move for each account: from its first tier in the changes to its last. Deleted accounts, first scores and ends of
 * a score are no moves.
 */
function movesOf(changes: readonly RecordedChange[]): { moves: TierMove[]; firstScoreCount: number } {
  const ends = new Map<
    number,
    { from: HealthTier | null; to: HealthTier | null; time: string; isFirstScore: boolean }
  >();
  for (const change of changes) {
    if (change.type === "account.deleted") ends.delete(change.accountId);
    if (change.type !== "account.health_changed") continue;
    const earlier = ends.get(change.accountId);
    ends.set(change.accountId, {
      from: earlier?.from ?? change.before.tier ?? change.after.tier,
      to: change.after.tier,
      time: change.time,
      isFirstScore: earlier?.isFirstScore ?? change.before.tier === null,
    });
  }
  const moves = [...ends].flatMap(([accountId, { from, to, time }]) =>
    from === null || to === null ? [] : [{ accountId, from, to, time }],
  );
  const firstScores = [...ends.values()].filter(({ isFirstScore, to }) => isFirstScore && to !== null);
  return { moves, firstScoreCount: firstScores.length };
}

function countByResource(changes: readonly RecordedChange[]): ResourceCounts[] {
  const counts = new Map(
    resourceTypes.map((resource) => [resource as string, { resource, created: 0, updated: 0, deleted: 0 }]),
  );
  for (const { type } of changes) {
    const [resource = "", action] = type.split(".");
    const row = counts.get(resource);
    if (row && (action === "created" || action === "updated" || action === "deleted")) row[action] += 1;
  }
  return [...counts.values()];
}
