import type { Engine } from "../../db/sqlite/engine.ts";
import { Tenant } from "../core/tenant.ts";
import { expirePendingEvents, removeOldEvents } from "../events/retention.ts";
import { refreshHealth } from "../health-scores/refresh.ts";
import type { Log } from "../log.ts";
import { listOrganizations } from "../organizations/store.ts";
import { deleteExpiredUsers } from "../usage/expiry.ts";

/** Milliseconds between two rounds, for a round at most, and between two steps of it, in which callers go first. */
const roundIntervalMilliseconds = 1_000;
const maxRoundMilliseconds = 5_000;
const stepIntervalMilliseconds = 5;
/** Milliseconds by which a pause is longer than asked for when callers keep the service busy. */
const busyThresholdMilliseconds = 2;
/** How often longer than a step the pause after it is then, and how long at most, in milliseconds. */
const backOffFactor = 9;
const maxBackOffMilliseconds = 200;

export type JobOptions = {
  store: Engine;
  /** The present time in milliseconds since 1970 UTC. */
  clock: () => number;
  log: Log;
  /** For how many days events are kept. */
  eventDays: number;
  /** For how many days changes are kept. */
  changeDays?: number;
};

/**
 * What has to be done without being asked: scores are worked out whose time has come, parked events end, and
 * old events and the users of old days are removed, in steps of some milliseconds. Returns a function that ends
 * it, and resolves when no step is under way.
 */
export function startJobs(parts: JobOptions): () => Promise<void> {
  const over = Promise.withResolvers<void>();
  let isOver = false;
  const running = rounds();
  return () => {
    isOver = true;
    over.resolve();
    return running;
  };

  async function rounds(): Promise<void> {
    let failed = false;
    while (!isOver) {
      const end = performance.now() + maxRoundMilliseconds;
      try {
        await runDueJobs(parts, () => isOver || performance.now() > end);
        failed = false;
      } catch (error) {
        // Once for as long as it lasts: a disk that is full stays so for many rounds.
        if (!failed) parts.log.error("upkeep_failed", { stack: stackOf(error) });
        failed = true;
      }
      await Promise.race([Bun.sleep(roundIntervalMilliseconds), over.promise]);
    }
  }
}

type Job = (tenant: Tenant) => Promise<boolean>;

/** One round over all organizations: everything that is due now, a step of each in turn, until it `isOver`. */
export async function runDueJobs(
  { store, clock, eventDays }: Omit<JobOptions, "log">,
  isOver = () => false,
): Promise<void> {
  const tasks: Job[] = [
    refreshHealth,
    expirePendingEvents,
    (tenant) => removeOldEvents(tenant, eventDays),
    deleteExpiredUsers,
  ];
  const organizations = await listOrganizations(store);
  // A round may be over before all had a step: each begins somewhere else.
  const start = Math.floor(Math.random() * organizations.length);
  const inTurn = [...organizations.slice(start), ...organizations.slice(0, start)];
  let waiting = inTurn.flatMap(({ id }) => tasks.map((task) => ({ id, task })));
  while (waiting.length > 0) {
    const again: typeof waiting = [];
    for (const one of waiting) {
      if (isOver()) return;
      const start = performance.now();
      const isMore = await one.task(new Tenant(store, one.id, clock()));
      if (isMore) again.push(one);
      // Nothing was due, so only reads were made: callers go first all the same.
      if (isMore) await backOff(performance.now() - start);
      else await Bun.sleep(0);
    }
    waiting = again;
  }
}

/** A pause after a step that took so long; a longer one when others are at work. All in milliseconds. */
async function backOff(took: number): Promise<void> {
  const start = performance.now();
  await Bun.sleep(stepIntervalMilliseconds);
  if (performance.now() - start < stepIntervalMilliseconds + busyThresholdMilliseconds) return;
  await Bun.sleep(Math.min(backOffFactor * took, maxBackOffMilliseconds));
}

function stackOf(error: unknown): string {
  return error instanceof Error && error.stack ? error.stack : String(error);
}
