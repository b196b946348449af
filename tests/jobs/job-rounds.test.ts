import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import type { OrganizationRange } from "../../src/core/due-jobs.ts";
import type { Jobs } from "../../src/jobs/jobs.ts";
import { runDueJobs, startJobs } from "../../src/jobs/scheduler.ts";
import { FakeTimer } from "../support/fake-timer.ts";
import { RoundTimer } from "../support/round-timer.ts";

// Safe: the scheduler uses only the lease.
const engine = { leaseJobs: async () => true } as Engine;

/**
 * Jobs of organizations with the ids from 1 on. `isDue` returns whether the job `scores` has work for one; `onStep` is
 * called in its step.
 */
function jobsOf(count: number, isDue: (id: number) => boolean, onStep: (id: number) => void) {
  const pages: number[] = [];
  // Safe: the scheduler uses only these members.
  const jobs = {
    async listDue({ afterId, lastId, limit }: OrganizationRange) {
      const size = Math.max(0, Math.min(limit, Math.min(lastId, count) - afterId));
      pages.push(size);
      return Array.from({ length: size }, (_, i) => {
        const organizationId = afterId + 1 + i;
        return { organizationId, jobs: isDue(organizationId) ? ["scores"] : [] };
      });
    },
    steps: {
      scores: async ({ organizationId }: { organizationId: number }) => {
        onStep(organizationId);
        return false;
      },
    },
    tenant: (organizationId: number) => ({ organizationId }),
  } as unknown as Jobs;
  return { jobs, pages };
}

test("a round reads the due jobs of all organizations in pages, and runs the steps of due jobs only", async () => {
  const steps: number[] = [];
  const { jobs, pages } = jobsOf(
    250,
    (id) => id % 10 === 0,
    (id) => steps.push(id),
  );
  const end = await runDueJobs({ engine, jobs, timer: new FakeTimer() });
  expect(steps).toEqual(Array.from({ length: 25 }, (_, i) => 10 * (i + 1)));
  expect(pages).toEqual([100, 100, 50]);
  expect(end).toEqual({ nextAfterId: 0, isComplete: true, organizationCount: 250 });
});

test("a round that begins in the middle ends with the organizations before it", async () => {
  const steps: number[] = [];
  const { jobs, pages } = jobsOf(
    250,
    (id) => id % 50 === 0,
    (id) => steps.push(id),
  );
  const end = await runDueJobs({ engine, jobs, timer: new FakeTimer() }, { afterId: 120 });
  expect(steps).toEqual([150, 200, 250, 50, 100]);
  expect(pages).toEqual([100, 30, 100, 20]);
  expect(end).toEqual({ nextAfterId: 0, isComplete: true, organizationCount: 250 });
});

test("a round that is over is continued at the first organization without a step", async () => {
  const timer = new RoundTimer();
  const steps: number[] = [];
  const { jobs } = jobsOf(
    5,
    () => true,
    (id) => {
      steps.push(id);
      timer.pass(2_000);
    },
  );
  const stop = startJobs({ engine, jobs, timer, log: { info: () => {}, error: () => {} } });
  await timer.roundEnd();
  expect(steps.splice(0)).toEqual([1, 2, 3]);
  await timer.nextRound();
  expect(steps.splice(0)).toEqual([4, 5, 1]);
  await timer.nextRound();
  expect(steps.splice(0)).toEqual([2, 3, 4]);
  await stop();
});

test("a round without work ends when its time is over, and the next one reads the following pages", async () => {
  const timer = new FakeTimer();
  const { jobs, pages } = jobsOf(
    1_000,
    () => false,
    () => {},
  );
  const isOver = () => pages.length === 3;
  const end = await runDueJobs({ engine, jobs, timer }, { isOver });
  expect(end).toEqual({ nextAfterId: 300, isComplete: false, organizationCount: 300 });
});

test("where the due jobs cannot be read, each job of each organization runs; the others run as usual", async () => {
  const steps: number[] = [];
  const { jobs } = jobsOf(
    250,
    (id) => id % 100 === 50,
    (id) => steps.push(id),
  );
  const failing: Jobs = {
    ...jobs,
    listDue: async (range) => {
      if (range.afterId === 100) throw new Error("damaged");
      return jobs.listDue(range);
    },
    listAll: async ({ afterId, limit }) =>
      Array.from({ length: limit }, (_, i) => ({ organizationId: afterId + 1 + i, jobs: ["scores"] })),
  };
  const round = runDueJobs({ engine, jobs: failing, timer: new FakeTimer() });
  await expect(round).rejects.toThrow("damaged");
  expect(steps).toEqual([50, ...Array.from({ length: 100 }, (_, i) => 101 + i), 250]);
});

test.each([
  [1_000, [0, 1, 2, 3, 4, 5, 6]],
  [25_000, [0, 3, 6]],
  [100_000, [0, 5]],
])("with %d organizations, rounds run after the intervals %j", async (count, expected) => {
  const timer = new RoundTimer();
  const { jobs, pages } = jobsOf(
    count,
    () => false,
    () => {},
  );
  const stop = startJobs({ engine, jobs, timer, log: { info: () => {}, error: () => {} } });
  const rounds: number[] = [];
  for (let interval = 0; interval <= 6; interval += 1) {
    await (interval === 0 ? timer.roundEnd() : timer.nextRound());
    if (pages.splice(0).length > 0) rounds.push(interval);
  }
  expect(rounds).toEqual(expected);
  await stop();
});
