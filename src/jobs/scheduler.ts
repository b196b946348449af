import type { Engine } from "../../db/engine.ts";
import { EngineStopping } from "../../db/errors.ts";
import { systemTimer, type Timer } from "../../db/timer.ts";
import { type Log, stackOf } from "../log.ts";
import { listDeletedOrganizations, listOrganizations } from "../organizations/store.ts";
import type { Jobs } from "./jobs.ts";

const roundIntervalMilliseconds = 1_000;
const maxRoundMilliseconds = 5_000;
/** The pause after each step, in which requests run. */
const stepIntervalMilliseconds = 5;
/** If a pause takes this much longer, requests keep the process busy. */
const busyThresholdMilliseconds = 2;
/** Then the pause is this many times as long as the step, up to the maximum. */
const backOffFactor = 9;
const maxBackOffMilliseconds = 200;

/** The next step of a job for one organization. `run` returns whether there may be more. */
type DueStep = { job: string; organizationId: number; run: () => Promise<boolean> };
export type RoundOptions = {
  engine: Engine;
  jobs: Jobs;
  timer?: Timer;
  /** Runs a step. By default, a step that throws ends the round. */
  runStep?: (step: DueStep) => Promise<boolean>;
};
export type SchedulerOptions = Omit<RoundOptions, "runStep"> & { log: Log };

/** Runs the jobs in rounds. Returns a function that stops them and resolves when no step is running. */
export function startJobs(options: SchedulerOptions): () => Promise<void> {
  const { log, timer = systemTimer } = options;
  const stopped = Promise.withResolvers<void>();
  let isStopped = false;
  const running = runRounds();
  return () => {
    isStopped = true;
    stopped.resolve();
    return running;
  };

  async function runRounds(): Promise<void> {
    const { runStep, logFailures } = failureLog(log);
    while (!isStopped) {
      const end = timer.elapsed() + maxRoundMilliseconds;
      const isOver = () => isStopped || timer.elapsed() > end;
      await logFailures("round", null, async () => {
        if (await options.engine.leaseJobs()) await runDueJobs({ ...options, runStep }, isOver);
      });
      await Promise.race([timer.sleep(roundIntervalMilliseconds), stopped.promise]);
    }
  }
}

/**
 * A failed step does not end the round. Its failure is logged once until it succeeds: a full disk fails many. A step
 * that is interrupted by a stop is no failure.
 */
function failureLog(log: Log) {
  const failing = new Set<string>();

  async function logFailures<T>(job: string, organizationId: number | null, run: () => Promise<T>) {
    const name = `${job} ${organizationId}`;
    try {
      const result = await run();
      failing.delete(name);
      return result;
    } catch (error) {
      if (error instanceof EngineStopping) return undefined;
      if (!failing.has(name)) log.error("jobs_failed", { job, organizationId, stack: stackOf(error) });
      failing.add(name);
      return undefined;
    }
  }

  return {
    logFailures,
    runStep: async ({ job, organizationId, run }: DueStep) =>
      (await logFailures(job, organizationId, run)) ?? false,
  };
}

/**
 * One round over all organizations: one step of each job in turn, until none has more to do or `isOver`. Deletions come
 * first. Throws what `runStep` throws.
 */
export async function runDueJobs(
  { engine, jobs, timer = systemTimer, runStep = ({ run }) => run() }: RoundOptions,
  isOver = () => false,
): Promise<void> {
  let due = await listDueSteps(engine, jobs);
  while (due.length > 0) {
    const unfinished: DueStep[] = [];
    for (const step of due) {
      if (isOver()) return;
      const start = timer.elapsed();
      const hasMore = await runStep(step);
      if (hasMore) unfinished.push(step);
      // Most steps without more to do only read, so the pause can be short.
      if (hasMore) await backOff(timer, timer.elapsed() - start);
      else await timer.sleep(0);
    }
    due = unfinished;
  }
}

async function listDueSteps(engine: Engine, jobs: Jobs): Promise<DueStep[]> {
  const organizations = await listOrganizations(engine);
  // A round may end before every organization had a step, so each round begins at a random one.
  const start = Math.floor(Math.random() * organizations.length);
  const rotated = [...organizations.slice(start), ...organizations.slice(0, start)];
  const deleted = await listDeletedOrganizations(engine);
  return [
    ...deleted.map(({ id }) => ({
      job: "organization deletions",
      organizationId: id,
      run: () => jobs.deleteOrganization(id),
    })),
    ...rotated.flatMap(({ id }) =>
      Object.entries(jobs.steps).map(([job, step]) => ({
        job,
        organizationId: id,
        run: () => step(jobs.tenant(id)),
      })),
    ),
  ];
}

/** Pauses after a step that took `milliseconds`; longer when requests are waiting. */
async function backOff(timer: Timer, milliseconds: number): Promise<void> {
  const start = timer.elapsed();
  await timer.sleep(stepIntervalMilliseconds);
  if (timer.elapsed() - start < stepIntervalMilliseconds + busyThresholdMilliseconds) return;
  await timer.sleep(Math.min(backOffFactor * milliseconds, maxBackOffMilliseconds));
}
