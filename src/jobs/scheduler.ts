import type { Engine } from "../../db/engine.ts";
import { EngineStopping } from "../../db/errors.ts";
import { systemTimer, type Timer } from "../../db/timer.ts";
import type { DueJobs } from "../core/due-jobs.ts";
import { type Log, stackOf } from "../log.ts";
import { type Jobs, type JobTitle, organizationDeletions, withFollowers } from "./jobs.ts";

export const roundIntervalMilliseconds = 1_000;
/** With many organizations, most of which have nothing to do, the pause between two rounds is longer. */
const pauseMillisecondsPerOrganization = 0.1;
const maxPauseMilliseconds = 5_000;
export const maxRoundMilliseconds = 5_000;
/** The organizations whose due jobs one statement reads on the serving thread. */
const pageSize = 100;
/** The pause after each step, in which requests run. */
const stepIntervalMilliseconds = 5;
/** If a pause, or the reply of the database, takes this much longer, requests keep the processors busy. */
const busyThresholdMilliseconds = 2;
/** Then the pause is this many times as long as the step, up to the maximum. */
const backOffFactor = 9;
const maxBackOffMilliseconds = 500;

/** The next step of a job for one organization. `run` returns whether there may be more. */
type DueStep = { job: string; organizationId: number; run: () => Promise<boolean> };
type RoundOptions = {
  engine: Engine;
  jobs: Jobs;
  timer?: Timer;
  /** Runs a step. By default, a step that throws ends the round. */
  runStep?: (step: DueStep) => Promise<boolean>;
};
type SchedulerOptions = Omit<RoundOptions, "runStep"> & { log: Log };

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
    let nextRoundAt = Number.NEGATIVE_INFINITY;
    let afterId = 0;
    while (!isStopped) {
      const endAt = timer.elapsed() + maxRoundMilliseconds;
      const isOver = () => isStopped || timer.elapsed() > endAt;
      await logFailures("round", null, async () => {
        const isLeased = await options.engine.leaseJobs();
        if (!isLeased || timer.elapsed() < nextRoundAt) return;
        const end = await runDueJobs({ ...options, runStep }, { isOver, afterId });
        afterId = end.nextAfterId;
        if (!end.isComplete) return;
        const pause = Math.min(
          maxPauseMilliseconds,
          pauseMillisecondsPerOrganization * end.organizationCount,
        );
        nextRoundAt = timer.elapsed() + pause;
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

/** How a round ended. `nextAfterId` is the `afterId` of the next round: 0, or where this round was over. */
type RoundEnd = { nextAfterId: number; isComplete: boolean; organizationCount: number };

/**
 * One round over all organizations, beginning after the id `afterId`: one step of each due job in turn, then further
 * steps of jobs with more to do, until none has or `isOver`. Throws what `runStep` throws.
 */
export async function runDueJobs(
  { engine, jobs, timer = systemTimer, runStep = ({ run }) => run() }: RoundOptions,
  { isOver = () => false, afterId = 0 }: { isOver?: () => boolean; afterId?: number } = {},
): Promise<RoundEnd> {
  const unfinished: DueStep[] = [];
  let organizationCount = 0;
  const overAt = (nextAfterId: number) => ({ nextAfterId, isComplete: false, organizationCount });

  /** Returns the first step that did not run before `isOver`. */
  async function runSteps(steps: readonly DueStep[]): Promise<DueStep | undefined> {
    for (const step of steps) {
      if (isOver()) return step;
      const start = timer.elapsed();
      const hasMore = await runStep(step);
      if (hasMore) unfinished.push(step);
      // Most steps without more to do are short, so the pause can be short.
      if (hasMore) await backOff(engine, timer, timer.elapsed() - start);
      else await timer.sleep(0);
    }
    return undefined;
  }

  for await (const page of listPages(jobs, afterId)) {
    organizationCount += page.length;
    const next = await runSteps(page.flatMap((due) => dueSteps(jobs, due)));
    if (next) return overAt(next.organizationId - 1);
    if (isOver()) return overAt(page.at(-1)?.organizationId ?? 0);
    await timer.sleep(0);
  }
  while (unfinished.length > 0) {
    const next = await runSteps(unfinished.splice(0));
    if (next) return overAt(next.organizationId - 1);
  }
  return { nextAfterId: 0, isComplete: true, organizationCount };
}

/**
 * All organizations with their due jobs: those after an id, then the others. No page is empty. If the due jobs of a page
 * cannot be read, its organizations have all jobs, and the error is thrown after the last page.
 */
async function* listPages(jobs: Jobs, startAfterId: number) {
  const errors: unknown[] = [];
  const ranges = [
    { afterId: startAfterId, lastId: Number.MAX_SAFE_INTEGER },
    { afterId: 0, lastId: startAfterId },
  ];
  for (const range of ranges)
    for (let { afterId, lastId } = range; afterId < lastId; ) {
      const pageRange = { afterId, lastId, limit: pageSize };
      const page = await jobs.listDue(pageRange).catch((error: unknown) => {
        errors.push(error);
        return jobs.listAll(pageRange);
      });
      if (page.length > 0) yield page;
      afterId = page.length < pageSize ? lastId : (page.at(-1)?.organizationId ?? lastId);
    }
  if (errors.length > 0) throw errors[0];
}

function dueSteps(jobs: Jobs, { organizationId, jobs: due }: DueJobs<JobTitle>): DueStep[] {
  if (due.includes(organizationDeletions)) {
    const run = () => jobs.deleteOrganization(organizationId);
    return [{ job: organizationDeletions, organizationId, run }];
  }
  return withFollowers(due).flatMap((job) => {
    const step = jobs.steps[job];
    return step ? [{ job, organizationId, run: () => step(jobs.tenant(organizationId)) }] : [];
  });
}

/** Pauses after a step that took `milliseconds`; longer when requests are waiting. */
async function backOff(engine: Engine, timer: Timer, milliseconds: number): Promise<void> {
  const start = timer.elapsed();
  // A server of the database may be busy while this process is not. A failure recurs in the next step.
  await Promise.allSettled([timer.sleep(stepIntervalMilliseconds), engine.ping()]);
  if (timer.elapsed() - start < stepIntervalMilliseconds + busyThresholdMilliseconds) return;
  await timer.sleep(Math.min(backOffFactor * milliseconds, maxBackOffMilliseconds));
}
