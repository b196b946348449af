import type { Engine } from "../db/open.ts";
import { endParkedEvents, removeOldEvents } from "./events/retention.ts";
import { refreshHealth } from "./health/refresh.ts";
import type { Log } from "./log.ts";
import { listOrganizations } from "./organizations/store.ts";
import { Tenant } from "./tenant.ts";
import { forgetUsers } from "./usage/expiry.ts";

/** Milliseconds between two rounds, and between two steps of a round, in which callers' own changes go first. */
const everyRound = 1_000;
const betweenSteps = 5;
/** How often longer than a step the pause after it is: what is due may take a tenth of the time, and no more. */
const restFor = 9;

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
      try {
        await keepUp(parts, () => isOver);
        failed = false;
      } catch (error) {
        // Once for as long as it lasts: a disk that is full stays so for many rounds.
        if (!failed) parts.log.error("upkeep_failed", { stack: stackOf(error) });
        failed = true;
      }
      await Promise.race([Bun.sleep(everyRound), over.promise]);
    }
  }
}

/** One round over all organizations: everything that is due now. */
export async function keepUp(
  { store, clock, eventDays }: Omit<UpkeepParts, "log">,
  isOver = () => false,
): Promise<void> {
  for (const { id } of await listOrganizations(store)) {
    // Reads alone wait for nothing: callers go first.
    await Bun.sleep(0);
    await repeat(id, refreshHealth);
    await repeat(id, endParkedEvents);
    await repeat(id, (tenant) => removeOldEvents(tenant, eventDays));
    await repeat(id, forgetUsers);
  }

  async function repeat(organizationId: number, step: (tenant: Tenant) => Promise<boolean>): Promise<void> {
    while (!isOver()) {
      const start = performance.now();
      if (!(await step(new Tenant(store, organizationId, clock())))) return;
      await Bun.sleep(Math.max(betweenSteps, restFor * (performance.now() - start)));
    }
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error && error.stack ? error.stack : String(error);
}
