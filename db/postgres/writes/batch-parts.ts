import type { LaneResult, LaneWrite, Outcome } from "./run-writes.ts";

/** Writes of one transaction. `isWaiting`: their organizations were locked by other transactions. */
export type BatchPart = {
  writes: readonly LaneWrite[];
  isPipelined: boolean;
  isBuffered: boolean;
  isWaiting?: boolean;
  /** Of a write that runs alone: the attempts that failed after a change without a savepoint, and how often it ran. */
  suspects?: ReadonlySet<number>;
  repeatCount?: number;
};

/**
 * How often a batch runs again after a deadlock or a serialization failure, and a write with savepoints for further attempts,
 * before it waits for each of its statements.
 */
export const maxRepeats = 3;

/**
 * What is to run after a batch. Without a failure: the writes that did not begin. With failed writes: each of them alone,
 * the writes before the first of them in one part, and the writes after it in another. When a row failed that was sent
 * with others: all writes, with a statement for each row.
 */
export function partsAfter(part: BatchPart, { outcomes, failures, hasRowFailure }: LaneResult): BatchPart[] {
  const { writes } = part;
  if (failures.length === 0 && hasRowFailure) return [{ ...part, isBuffered: false }];
  const failed = Map.groupBy(failures, ({ write }) => write);
  const ended = new Set([...outcomes.map(({ write }) => write), ...failed.keys()]);
  const first = writes.findIndex((write) => failed.has(write));
  const rest = (some: readonly LaneWrite[]) => some.filter((write) => !ended.has(write));
  if (first === -1) return [{ ...part, writes: rest(writes) }];
  const alone = [...failed].flatMap(([write, ofWrite]): BatchPart | [] => {
    if (ofWrite.some(({ isFinal }) => isFinal)) return [];
    const suspects = new Set(part.suspects);
    for (const { attempt } of ofWrite) if (attempt !== undefined) suspects.add(attempt);
    const repeatCount = (part.repeatCount ?? 0) + 1;
    const isRepeated = repeatCount <= maxRepeats && suspects.size > (part.suspects?.size ?? 0);
    return { writes: [write], isPipelined: isRepeated, isBuffered: isRepeated, suspects, repeatCount };
  });
  return [
    { ...part, writes: rest(writes.slice(0, first)) },
    ...alone,
    { ...part, writes: rest(writes.slice(first)) },
  ];
}

/** The writes whose organizations are in the map, and the others. */
export function partition(
  writes: readonly LaneWrite[],
  organizations: ReadonlyMap<number, unknown>,
): [LaneWrite[], LaneWrite[]] {
  const isIn = ({ organizationId }: LaneWrite) => organizations.has(organizationId);
  return [writes.filter(isIn), writes.filter((write) => !isIn(write))];
}

export function settle(outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    if ("error" in outcome) outcome.write.reject(outcome.error);
    else outcome.write.resolve(outcome.value);
  }
}
