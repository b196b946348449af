import type { Engine } from "../../db/engine.ts";
import { systemTimer, type Timer } from "../../db/timer.ts";
import { readOrganizationIds, sampleReader } from "../core/due-jobs.ts";
import { pendingEventCount } from "../events/pending.ts";
import { staleScoreCount } from "../health-scores/recompute.ts";
import { backlogCount, oldestPendingAt } from "../webhooks/deliver/store.ts";
import { backOffFactor } from "./busy.ts";
import { organizationPageSize } from "./organization-pages.ts";
import { pause } from "./pause.ts";

/** What waits in the database, of all organizations together. */
export type Backlog = {
  staleScores: number;
  pendingEvents: number;
  webhookDeliveries: number;
  /** When the oldest pending delivery was stored, in milliseconds since 1970 UTC. */
  oldestDeliveryAt: number | null;
};

const sampleIntervalMilliseconds = 15_000;

const readSamples = sampleReader("jobs.samples", {
  staleScores: staleScoreCount,
  pendingEvents: pendingEventCount,
  webhookDeliveries: backlogCount,
  oldestDeliveryAt: oldestPendingAt,
});

type SampleOptions = {
  engine: Engine;
  /** Undefined: another process has the lease of the jobs, and reports its samples. */
  onBacklog: (backlog: Backlog | undefined) => void;
  timer?: Timer;
};

/**
 * Samples the backlogs in rounds over all organizations, in this process only if it has the lease of the jobs. A round that
 * fails changes nothing. Returns a function that stops this; it resolves when no read runs.
 */
export function startSamples({ engine, onBacklog, timer = systemTimer }: SampleOptions): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const running = run();
  return () => {
    stop.abort();
    return running;
  };

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        onBacklog((await engine.leaseJobs()) ? await readAll() : undefined);
      } catch {
        // The jobs, which read the same database, log the failure.
      }
      await pause(timer, sampleIntervalMilliseconds, signal);
    }
  }

  async function readAll(): Promise<Backlog> {
    const sum: Backlog = { staleScores: 0, pendingEvents: 0, webhookDeliveries: 0, oldestDeliveryAt: null };
    let afterId: number | undefined = 0;
    while (afterId !== undefined && !signal.aborted) {
      const start = timer.elapsed();
      afterId = await addPage(sum, afterId);
      // Samples use a small part of a reader.
      await pause(timer, backOffFactor * (timer.elapsed() - start), signal);
    }
    return sum;
  }

  /** Adds the samples of the next organizations; resolves with the last id, or undefined at the end. */
  async function addPage(sum: Backlog, afterId: number): Promise<number | undefined> {
    const isOneStatement = true;
    const ids = await engine.read(
      (snapshot) => readOrganizationIds(snapshot, afterId, organizationPageSize),
      {
        isOneStatement,
      },
    );
    const rows = await engine.read((snapshot) => readSamples(snapshot, ids), {
      isOneStatement,
      place: "reader",
    });
    for (const row of rows) {
      sum.staleScores += row.staleScores ?? 0;
      sum.pendingEvents += row.pendingEvents ?? 0;
      sum.webhookDeliveries += row.webhookDeliveries ?? 0;
      if (row.oldestDeliveryAt === null) continue;
      sum.oldestDeliveryAt = Math.min(row.oldestDeliveryAt, sum.oldestDeliveryAt ?? row.oldestDeliveryAt);
    }
    return ids.length < organizationPageSize ? undefined : ids.at(-1);
  }
}
