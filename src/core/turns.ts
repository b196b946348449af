import { drainMicrotasks } from "bun:jsc";

/** The owner of requests without a known key. No organization has this id. */
export const noOrganization = 0;
/** The time of the thread that an organization may use in a turn of the event loop; one request may take longer. */
export const maxWorkMilliseconds = 1;
/** After this time a turn serves no further organization: probes and new requests do not wait for all of them. */
const maxTurnMilliseconds = 5;

/** Synchronous work for an organization, since a time. */
type Work = { readonly organizationId: number; readonly since: number };

/** The milliseconds that each organization has used in this turn. */
const used = new Map<number, number>();
/** Requests that wait for a later turn. No queue is empty. */
const waiting = new Map<number, (() => void)[]>();
/** The work that runs. It ends where other work begins, at the latest with the turn. */
let running: Work | undefined;
let isScheduled = false;

/**
 * Begins synchronous work for an organization, such as the part of a request from its key to its first statement, or from
 * its rows to the text of its response. Returns a promise when the organization has used its time in this turn of the event
 * loop: it resolves in a later turn. The turns serve the waiting organizations one after another.
 */
export function takeTurn(organizationId: number): Promise<void> | undefined {
  endWork();
  if (waiting.has(organizationId) || !hasTime(organizationId)) return waitForTurn(organizationId);
  schedule();
  beginWork(organizationId);
  return undefined;
}

/**
 * `takeTurn` in a later turn. Called where several requests may continue at once, as after a commit: each of them begins its
 * work when the work before it has ended.
 */
export function waitForTurn(organizationId: number): Promise<void> {
  endWork();
  schedule();
  return new Promise((resolve) => {
    waiting.getOrInsertComputed(organizationId, () => []).push(resolve);
  });
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(startTurn);
}

/** Continues the running work, perhaps in a later turn: long work calls it once a millisecond. */
export function continueWork(): Promise<void> | undefined {
  return takeTurn(running?.organizationId ?? noOrganization);
}

/** The running work: the same after an `await` that did not wait for the event loop. */
export function currentWork(): Work | undefined {
  return running;
}

function startTurn(): void {
  endWork();
  used.clear();
  isScheduled = false;
  const end = performance.now() + maxTurnMilliseconds;
  // A copy: an organization that waits again while its requests run waits for the next turn.
  for (const [organizationId, queue] of [...waiting]) {
    if (performance.now() > end) break;
    waiting.delete(organizationId);
    do {
      beginWork(organizationId);
      queue.shift()?.();
      drainMicrotasks();
      endWork();
    } while (queue.length > 0 && hasTime(organizationId));
    const later = waiting.get(organizationId) ?? [];
    if (queue.length > 0) waiting.set(organizationId, [...queue, ...later]);
  }
  if (waiting.size > 0 || used.size > 0) schedule();
}

function hasTime(organizationId: number): boolean {
  return (used.get(organizationId) ?? 0) < maxWorkMilliseconds;
}

function beginWork(organizationId: number): void {
  running = { organizationId, since: performance.now() };
}

function endWork(): void {
  if (!running) return;
  const { organizationId, since } = running;
  used.set(organizationId, (used.get(organizationId) ?? 0) + performance.now() - since);
  running = undefined;
}

/** Above this share of a processor, other work would take time from requests. The rest is for the disk. */
const maxProcessorShare = 0.5;

/** Returns a function that returns whether the process has used most of a processor since its last call. */
export function watchProcessor(): () => boolean {
  let [used, at] = [process.cpuUsage(), performance.now()];
  return () => {
    const { user, system } = process.cpuUsage(used);
    const isHigh = (user + system) / 1_000 > maxProcessorShare * (performance.now() - at);
    [used, at] = [process.cpuUsage(), performance.now()];
    return isHigh;
  };
}
