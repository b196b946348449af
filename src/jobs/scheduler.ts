import type { Engine } from "../../db/engine.ts";
import { EngineStopping } from "../../db/errors.ts";
import { pollMilliseconds, systemTimer, type Timer } from "../../db/timer.ts";
import type { DueJobs } from "../core/due-jobs.ts";
import { type Log, stackOf } from "../log.ts";
import { backOffFactor, isBusy } from "./busy.ts";
import { type Jobs, type JobTitle, organizationDeletions, withFollowers } from "./jobs.ts";
import { OrganizationPages, organizationPageSize } from "./organization-pages.ts";
import { pause } from "./pause.ts";

export const maxRoundMilliseconds = 5_000;
/** The longest pause after a step while requests keep the processors busy. */
const maxBackOffMilliseconds = 500;

/** The next step of a job for one organization. `run` returns whether there may be more. */
type DueStep = { job: string; organizationId: number; run: () => Promise<boolean> };
/** Runs a step, or the read of due jobs; may resolve with undefined when it throws. */
type TryRun = <T>(
  job: string,
  organizationId: number | null,
  run: () => Promise<T>,
) => Promise<T | undefined>;
type RoundOptions = { engine: Engine; jobs: Jobs; timer?: Timer };
type SchedulerOptions = RoundOptions & { log: Log };

/** Runs the jobs in rounds. Returns a function that stops them and resolves when no step is running. */
export function startJobs(options: SchedulerOptions): () => Promise<void> {
  const { log, timer = systemTimer } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const running = runRounds();
  return () => {
    stop.abort();
    return running;
  };

  async function runRounds(): Promise<void> {
    const { engine, jobs } = options;
    const waiting = new OrganizationPages(jobs);
    const tryRun = failureLog(log, () => waiting.skipPause());
    let isLeased = false;
    let unwatch = () => {};
    while (!signal.aborted) {
      const endAt = timer.elapsed() + maxRoundMilliseconds;
      const isOver = () => signal.aborted || timer.elapsed() > endAt;
      await tryRun("round", null, async () => {
        const wasLeased = isLeased;
        isLeased = false;
        isLeased = await engine.leaseJobs();
        if (!(wasLeased && isLeased)) {
          unwatch();
          unwatch = () => {};
        }
        if (!isLeased) return;
        if (!wasLeased) unwatch = engine.watchWrites((ids) => waiting.report(ids), { isUrgent: () => false });
        waiting.addReported();
        await (wasLeased ? waiting.addPage(engine.now()) : waiting.addAll());
        const unfinished = await runOrganizations({ ...options, tryRun }, [...waiting.ids], isOver);
        waiting.ids.clear();
        waiting.add(unfinished);
      });
      await pause(timer, pollMilliseconds, signal);
    }
    unwatch();
  }
}

/**
 * A failed step does not end the round. Its failure is logged once until it succeeds: a full disk fails many. A step
 * that is interrupted by a stop is no failure.
 */
function failureLog(log: Log, onFailure: () => void): TryRun {
  const failing = new Set<string>();

  return async (job, organizationId, run) => {
    const name = `${job} ${organizationId}`;
    try {
      const result = await run();
      failing.delete(name);
      return result;
    } catch (error) {
      if (error instanceof EngineStopping) return undefined;
      onFailure();
      if (!failing.has(name)) log.error("jobs_failed", { job, organizationId, stack: stackOf(error) });
      failing.add(name);
      return undefined;
    }
  };
}

/**
 * Runs the jobs of all organizations until none has more to do. Throws what a step throws, and at the end, why due jobs
 * could not be read.
 */
export async function runDueJobs(options: RoundOptions): Promise<void> {
  const errors: unknown[] = [];
  const tryRun: TryRun = (_, organizationId, run) =>
    run().catch((error: unknown) => {
      if (organizationId !== null) throw error;
      errors.push(error);
      return undefined;
    });
  const all = new OrganizationPages(options.jobs);
  await all.addAll();
  await runOrganizations({ ...options, tryRun }, [...all.ids], () => false);
  if (errors.length > 0) throw errors[0];
}

/**
 * One step of each due job of these organizations in turn, then further steps of jobs with more to do, until none has or
 * `isOver`. Returns the organizations that had no turn, then those with more to do. Throws what `tryRun` throws.
 */
async function runOrganizations(
  { engine, jobs, timer = systemTimer, tryRun }: RoundOptions & { tryRun: TryRun },
  ids: readonly number[],
  isOver: () => boolean,
): Promise<number[]> {
  const unfinished: DueStep[] = [];

  /** Returns the number of steps that ran before `isOver`. */
  async function runSteps(steps: readonly DueStep[]): Promise<number> {
    for (const [i, step] of steps.entries()) {
      if (isOver()) return i;
      const start = timer.elapsed();
      const hasMore = await tryRun(step.job, step.organizationId, step.run);
      if (hasMore) unfinished.push(step);
      // Most steps without more to do are short, so the pause can be short.
      if (hasMore) await backOff(engine, timer, timer.elapsed() - start);
      else await timer.sleep(0);
    }
    return steps.length;
  }

  for (let start = 0; start < ids.length; start += organizationPageSize) {
    if (isOver()) return [...ids.slice(start), ...unfinished.map(organizationOf)];
    const steps = await listSteps(jobs, ids.slice(start, start + organizationPageSize), tryRun);
    const next = steps[await runSteps(steps)];
    if (next) return [...ids.slice(ids.indexOf(organizationOf(next))), ...unfinished.map(organizationOf)];
    await timer.sleep(0);
  }
  while (unfinished.length > 0) {
    const steps = unfinished.splice(0);
    const count = await runSteps(steps);
    if (count < steps.length) return [...steps.slice(count), ...unfinished].map(organizationOf);
  }
  return [];
}

const organizationOf = (step: DueStep): number => step.organizationId;

/** The steps of the due jobs of organizations, in their order. If the due jobs cannot be read, all jobs are due. */
async function listSteps(jobs: Jobs, ids: readonly number[], tryRun: TryRun): Promise<DueStep[]> {
  const read = await tryRun(`due jobs from organization ${ids[0]}`, null, () => jobs.listDue(ids));
  const due = read ?? (await jobs.listAll(ids));
  const dueOf = new Map(due.map((organization) => [organization.organizationId, organization]));
  return ids.flatMap((id) => {
    const organization = dueOf.get(id);
    return organization ? dueSteps(jobs, organization) : [];
  });
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
  if (await isBusy(engine, timer))
    await timer.sleep(Math.min(backOffFactor * milliseconds, maxBackOffMilliseconds));
}
