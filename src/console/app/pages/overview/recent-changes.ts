import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { type HealthTier, healthTiers } from "../../../../shared/fields/tiers.ts";
import { resourceTypes } from "../../../../shared/resources.ts";

export type RecordedChange = components["schemas"]["Change"];

type ChangePage = { changes: RecordedChange[]; hasNextPage: boolean };

export type FeedReader = {
  /** The changes after a sequence number, at most `limit`. */
  read: (after: number, limit: number) => Promise<ChangePage>;
  /** A sequence number near the end of the feed; 0 if none is known. Takes `anchorRequests` requests. */
  findAnchor: () => Promise<number>;
};

export type RecentChanges = {
  /** In the order of the feed. */
  changes: RecordedChange[];
  /** Whether there are changes since the requested time that were not read: older ones, or the very newest. */
  isCut: boolean;
};

export const pageSize = 1000;
const anchorRequests = 2;
const maxRequests = 20;
/** Pages of a complete reply: 6,000 changes. */
const maxPages = 6;

/**
 * The newest changes since `since`, in at most 20 requests. The feed is in ascending order and has no filter by time, so
 * the end is searched first: from a number near it in growing steps, then by bisection. Pages are then read backwards.
 */
export async function readRecentChanges(
  { read, findAnchor }: FeedReader,
  since: string,
): Promise<RecentChanges> {
  const start = Date.parse(since);
  const isRecent = ({ time }: RecordedChange) => Date.parse(time) >= start;
  const first = await read(0, pageSize);
  if (!first.hasNextPage) return { changes: first.changes.filter(isRecent), isCut: false };

  const oldest = first.changes[0]?.sequence ?? 1;
  const anchor = Math.max(await findAnchor(), sequenceAfter(first.changes, 0));
  const { end, isExact } = await findEnd(read, anchor, maxRequests - 1 - anchorRequests - maxPages);
  const pages: RecordedChange[][] = [];
  for (let after = end; pages.length < maxPages; ) {
    if (after < oldest) return { changes: recentOf(pages, isRecent), isCut: !isExact };
    const limit = Math.min(pageSize, after);
    after -= limit;
    const { changes } = await read(after, limit);
    pages.unshift(changes.filter(({ sequence }) => sequence <= after + limit));
    const earliest = changes[0];
    if (earliest && !isRecent(earliest)) return { changes: recentOf(pages, isRecent), isCut: !isExact };
  }
  return { changes: recentOf(pages, isRecent), isCut: true };
}

type End = { end: number; isExact: boolean };

/** The newest sequence number. It is not exact when more than `maxProbes` requests were necessary: then it is lower. */
async function findEnd(read: FeedReader["read"], anchor: number, maxProbes: number): Promise<End> {
  const near = await read(anchor, pageSize);
  if (!near.hasNextPage) return { end: sequenceAfter(near.changes, anchor), isExact: true };
  let low = sequenceAfter(near.changes, anchor);
  let high = Number.POSITIVE_INFINITY;
  let step = pageSize * 8;
  for (let probes = 2; high - low > pageSize && probes < maxProbes; probes += 1) {
    const middle = Number.isFinite(high) ? Math.floor((low + high) / 2) : low + step;
    step *= 8;
    const { changes } = await read(middle, 1);
    if (changes.length > 0) low = sequenceAfter(changes, middle);
    else high = middle;
  }
  const { changes, hasNextPage } = await read(low, pageSize);
  return { end: sequenceAfter(changes, low), isExact: !hasNextPage };
}

function sequenceAfter(changes: readonly RecordedChange[], after: number): number {
  return changes.at(-1)?.sequence ?? after;
}

function recentOf(
  pages: readonly RecordedChange[][],
  isRecent: (change: RecordedChange) => boolean,
): RecordedChange[] {
  return pages.flat().filter(isRecent);
}

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
    const { accountId } = change;
    if (accountId === null) continue;
    if (change.type === "account.deleted") ends.delete(accountId);
    if (change.type !== "account.health_changed") continue;
    const earlier = ends.get(accountId);
    ends.set(accountId, {
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
