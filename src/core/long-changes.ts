import { FairQueue } from "../../db/fair-queue.ts";
import { Problem } from "./errors.ts";

/** Waiting changes of one organization. */
const maxWaitingCount = 32;
/** Waiting changes of all organizations. */
const maxQueueLength = 10_000;
const maxWaitingMilliseconds = 5_000;

type LongChange = { organizationId: number; start: () => void; reject: (error: Problem) => void };

const waiting = new FairQueue<LongChange>({
  maxLength: maxQueueLength,
  maxQueueLengthPerOrganization: maxWaitingCount,
});
/** The organizations whose changes run. */
const running = new Set<number>();

/**
 * Runs changes of many transactions one at a time for each organization and process, in the order of the calls. Throws
 * what `run` throws, and `too_busy` when too many wait, or this one for too long.
 */
export async function runLongChange<T>(organizationId: number, run: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const change = { organizationId, start: resolve, reject };
  const timeout = setTimeout(() => {
    waiting.remove(change);
    reject(tooManyChanges());
  }, maxWaitingMilliseconds);
  waiting.push(change)?.reject(tooManyChanges());
  startNext();
  await promise.finally(() => clearTimeout(timeout));
  try {
    return await run();
  } finally {
    running.delete(organizationId);
    startNext();
  }
}

function startNext(): void {
  const next = waiting.takeNext(({ organizationId }) => !running.has(organizationId));
  if (!next) return;
  running.add(next.organizationId);
  next.start();
}

function tooManyChanges(): Problem {
  return new Problem("too_busy", {
    detail:
      "Too many erasures of your organization are waiting. Send the request again after the time in Retry-After.",
    headers: { "retry-after": "5" },
  });
}
