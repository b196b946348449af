import type { Engine } from "../../db/engine.ts";
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

export type RoundOptions = { engine: Engine; jobs: Jobs; timer?: Timer };
export type SchedulerOptions = RoundOptions & { log: Log };

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
    let hasFailed = false;
    while (!isStopped) {
      const end = timer.elapsed() + maxRoundMilliseconds;
      try {
        await runDueJobs(options, () => isStopped || timer.elapsed() > end);
        hasFailed = false;
      } catch (error) {
        // Logged once, because a full disk makes many rounds fail.
        if (!hasFailed) log.error("jobs_failed", { stack: stackOf(error) });
        hasFailed = true;
      }
      await Promise.race([timer.sleep(roundIntervalMilliseconds), stopped.promise]);
    }
  }
}

/** One round over all organizations: one step of each job in turn, until none has more to do or `isOver`. */
export async function runDueJobs(
  { engine, jobs, timer = systemTimer }: RoundOptions,
  isOver = () => false,
): Promise<void> {
  const organizations = await listOrganizations(engine);
  // A round may end before every organization had a step, so each round begins at a random one.
  const start = Math.floor(Math.random() * organizations.length);
  const rotated = [...organizations.slice(start), ...organizations.slice(0, start)];
  const deleted = await listDeletedOrganizations(engine);
  let due = [
    ...rotated.flatMap(({ id }) => jobs.steps.map((step) => () => step(jobs.tenant(id)))),
    ...deleted.map(
      ({ id }) =>
        () =>
          jobs.deleteOrganization(id),
    ),
  ];
  while (due.length > 0) {
    const unfinished: typeof due = [];
    for (const step of due) {
      if (isOver()) return;
      const start = timer.elapsed();
      const hasMore = await step();
      if (hasMore) unfinished.push(step);
      // Most steps without more to do only read, so the pause can be short.
      if (hasMore) await backOff(timer, timer.elapsed() - start);
      else await timer.sleep(0);
    }
    due = unfinished;
  }
}

/** Pauses after a step that took `milliseconds`; longer when requests are waiting. */
async function backOff(timer: Timer, milliseconds: number): Promise<void> {
  const start = timer.elapsed();
  await timer.sleep(stepIntervalMilliseconds);
  if (timer.elapsed() - start < stepIntervalMilliseconds + busyThresholdMilliseconds) return;
  await timer.sleep(Math.min(backOffFactor * milliseconds, maxBackOffMilliseconds));
}
