import type { Engine } from "../../db/sqlite/engine.ts";
import { Tenant } from "../core/tenant.ts";
import { endParkedEvents, removeOldEvents } from "../events/retention.ts";
import { refreshHealth } from "../health-scores/refresh.ts";
import type { Log } from "../log.ts";
import { listOrganizations } from "../organizations/store.ts";
import { forgetUsers } from "../usage/expiry.ts";

/** Milliseconds between two rounds, for a round at most, and between two steps of it, in which callers go first. */
const betweenRounds = 1_000;
const longestRound = 5_000;
const betweenSteps = 5;
/** Milliseconds by which a pause is longer than asked for when callers keep the service busy. */
const busyAfter = 2;
/** How often longer than a step the pause after it is then, and how long at most, in milliseconds. */
const restFor = 9;
const longestRest = 200;

export type UpkeepParts = {
  store: Engine;
  /** The present time in milliseconds since 1970 UTC. */
  clock: () => number;
  log: Log;
  /** For how many days events are kept. */
  eventDays: number;
};

/**
 * What has to be done without being asked: scores are worked out whose time has come, parked events end, and
 * old events and the users of old days are removed, in steps of some milliseconds. Returns a function that ends
 * it, and resolves when no step is under way.
 */
export function startUpkeep(parts: UpkeepParts): () => Promise<void> {
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
      const end = performance.now() + longestRound;
      try {
        await keepUp(parts, () => isOver || performance.now() > end);
        failed = false;
      } catch (error) {
        // Once for as long as it lasts: a disk that is full stays so for many rounds.
        if (!failed) parts.log.error("upkeep_failed", { stack: stackOf(error) });
        failed = true;
      }
      await Promise.race([Bun.sleep(betweenRounds), over.promise]);
    }
  }
}

type Task = (tenant: Tenant) => Promise<boolean>;

/** One round over all organizations: everything that is due now, a step of each in turn, until it `isOver`. */
export async function keepUp(
  { store, clock, eventDays }: Omit<UpkeepParts, "log">,
  isOver = () => false,
): Promise<void> {
  const tasks: Task[] = [
    refreshHealth,
    endParkedEvents,
    (tenant) => removeOldEvents(tenant, eventDays),
    forgetUsers,
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
      if (isMore) await rest(performance.now() - start);
      else await Bun.sleep(0);
    }
    waiting = again;
  }
}

/** A pause after a step that took so long; a longer one when others are at work. All in milliseconds. */
async function rest(took: number): Promise<void> {
  const start = performance.now();
  await Bun.sleep(betweenSteps);
  if (performance.now() - start < betweenSteps + busyAfter) return;
  await Bun.sleep(Math.min(restFor * took, longestRest));
}

function stackOf(error: unknown): string {
  return error instanceof Error && error.stack ? error.stack : String(error);
}
