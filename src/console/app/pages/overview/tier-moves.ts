import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { type HealthTier, healthTiers } from "../../../../shared/fields/tiers.ts";

export type ChangeSummary = components["schemas"]["ChangeSummary"];
type TierChange = components["schemas"]["AccountHealthChanged"];
export type AccountChange = TierChange | components["schemas"]["AccountDeleted"];
/** Reads the changes of accounts after a sequence number; `nextAfter` is the end of what was read. */
export type ReadAccountChanges = (
  after: number,
  action: "health_changed" | "deleted",
) => Promise<{ changes: AccountChange[]; nextAfter: number }>;

export type TierMove = { accountId: number; from: HealthTier; to: HealthTier; time: string };
export type TierMoves = {
  /** Accounts whose tier is worse than before, the worst first. */
  drops: TierMove[];
  /** Accounts whose tier is better than before, the best first. */
  rises: TierMove[];
  /** Whether there are changes that were not read. */
  isCut: boolean;
};

/** The newest changes that are read, and the requests for them. */
const maxChanges = 60_000;
const maxRequests = 10;

/** The moves between tiers that a summary has. Reads nothing if it has none. */
export async function readTierMoves(
  { counts, tierMoves, lastSequence }: ChangeSummary,
  read: ReadAccountChanges,
): Promise<TierMoves> {
  const moves = tierMoves.filter(({ from, to }) => from !== null && to !== null);
  if (moves.length === 0 || lastSequence === null) return { drops: [], rises: [], isCut: false };
  const first = Math.min(...moves.map(({ firstSequence }) => firstSequence));
  const begin = Math.max(first - 1, lastSequence - maxChanges);
  const changes: AccountChange[] = [];
  let isCut = begin >= first;
  const hasDeleted = counts.some(({ type }) => type === "account.deleted");
  for (const action of ["health_changed", ...(hasDeleted ? (["deleted"] as const) : [])] as const) {
    let end = begin;
    for (let requests = 0; end < lastSequence && requests < maxRequests; requests += 1) {
      const page = await read(end, action);
      changes.push(...page.changes);
      end = page.nextAfter;
    }
    isCut ||= end < lastSequence;
  }
  return { ...movesOf(changes), isCut };
}

const rankOf = (tier: HealthTier) => healthTiers.indexOf(tier);

/**
 * One move for each account, from its first tier in the changes to its last. Deleted accounts, first scores and ends of a
 * score are no moves.
 */
export function movesOf(changes: readonly AccountChange[]): Pick<TierMoves, "drops" | "rises"> {
  const ends = new Map<number, { from: HealthTier | null; to: HealthTier | null; time: string }>();
  for (const change of changes) {
    const { accountId } = change;
    if (accountId === null) continue;
    if (change.type === "account.deleted") {
      ends.delete(accountId);
      continue;
    }
    const { before, after, time } = change;
    const from = ends.get(accountId)?.from ?? before.tier ?? after.tier;
    ends.set(accountId, { from, to: after.tier, time });
  }
  const moves = [...ends].flatMap(([accountId, { from, to, time }]) =>
    from === null || to === null ? [] : [{ accountId, from, to, time }],
  );
  const steps = ({ from, to }: TierMove) => rankOf(to) - rankOf(from);
  const newestFirst = (a: TierMove, b: TierMove) => Date.parse(b.time) - Date.parse(a.time);
  return {
    drops: moves
      .filter((move) => steps(move) > 0)
      .sort((a, b) => rankOf(b.to) - rankOf(a.to) || steps(b) - steps(a) || newestFirst(a, b)),
    rises: moves
      .filter((move) => steps(move) < 0)
      .sort((a, b) => rankOf(a.to) - rankOf(b.to) || steps(a) - steps(b) || newestFirst(a, b)),
  };
}

/** The moves in the order of their last tiers, as before; of one tier the largest revenue first, deleted accounts last. */
export function byRevenue<Move extends { to: HealthTier; account: { mrr: number } | undefined }>(
  moves: readonly Move[],
): Move[] {
  const tiers = [...new Set(moves.map(({ to }) => to))];
  const mrrOf = ({ account }: Move) => account?.mrr ?? Number.MIN_SAFE_INTEGER;
  return moves.toSorted((a, b) => tiers.indexOf(a.to) - tiers.indexOf(b.to) || mrrOf(b) - mrrOf(a));
}
