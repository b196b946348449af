import { expect, test } from "bun:test";
import type { Engine, WriteListener } from "../../db/engine.ts";
import type { Timer } from "../../db/timer.ts";
import type { Jobs } from "../../src/jobs/jobs.ts";
import { runDueJobs, startJobs } from "../../src/jobs/scheduler.ts";
import { FakeTimer } from "../support/fake-timer.ts";
import { RoundTimer } from "../support/round-timer.ts";

/** `written` are the organizations that the next round finds to be written to. The clock is that of the timer. */
function engineWith(timer: Timer, written: number[] = []): Engine {
  let report: WriteListener = () => {};
  // Safe: the scheduler uses only these members.
  const members = {
    leaseJobs: async () => {
      report(written.splice(0));
      return true;
    },
    watchWrites: (listener: WriteListener) => {
      report = listener;
      return () => {};
    },
    ping: async () => {},
    now: timer.elapsed,
  };
  return members as unknown as Engine;
}
const log = { info: () => {}, error: () => {} };

/**
 * Jobs of organizations with the ids from 1 on. `isDue` returns whether the job `scores` has work for one; `onStep` is
 * called in its step, and returns whether there is more. `listed` are the ids whose due jobs were read by each statement.
 */
function jobsOf(count: number, isDue: (id: number) => boolean, onStep: (id: number) => unknown) {
  const listed: (readonly number[])[] = [];
  // Safe: the scheduler uses only these members.
  const jobs = {
    listOrganizations: async (afterId: number, limit: number) =>
      Array.from({ length: Math.max(0, Math.min(limit, count - afterId)) }, (_, i) => afterId + 1 + i),
    async listDue(ids: readonly number[]) {
      listed.push(ids);
      return ids.map((id) => ({ organizationId: id, jobs: isDue(id) ? ["scores"] : [] }));
    },
    steps: {
      scores: async ({ organizationId }: { organizationId: number }) => onStep(organizationId) === true,
    },
    tenant: (organizationId: number) => ({ organizationId }),
  } as unknown as Jobs;
  return { jobs, listed };
}

test("all due jobs of all organizations run: those are read in pages, and only due steps run", async () => {
  const steps: number[] = [];
  const { jobs, listed } = jobsOf(
    120,
    (id) => id % 10 === 0,
    (id) => steps.push(id) > 12,
  );
  const timer = new FakeTimer();
  await runDueJobs({ engine: engineWith(timer), jobs, timer });
  expect(steps).toEqual(Array.from({ length: 12 }, (_, i) => 10 * (i + 1)));
  expect(listed.map((ids) => ids.length)).toEqual([50, 50, 20]);
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
  const stop = startJobs({ engine: engineWith(timer), jobs, timer, log });
  await timer.roundEnd();
  expect(steps.splice(0)).toEqual([1, 2, 3]);
  await timer.nextRound();
  expect(steps.splice(0)).toEqual([4, 5, 1]);
  await timer.nextRound();
  expect(steps.splice(0)).toEqual([2, 3, 1]);
  await stop();
});

test("an organization with more to do when a round is over begins the next one", async () => {
  const timer = new RoundTimer();
  const steps: number[] = [];
  let hasMore = true;
  const { jobs } = jobsOf(
    3,
    () => true,
    (id) => {
      steps.push(id);
      timer.pass(2_000);
      const result = id === 3 && hasMore;
      if (id === 3) hasMore = false;
      return result;
    },
  );
  const stop = startJobs({ engine: engineWith(timer), jobs, timer, log });
  await timer.roundEnd();
  expect(steps.splice(0)).toEqual([1, 2, 3]);
  await timer.nextRound();
  expect(steps.splice(0)).toEqual([3, 1, 2]);
  await stop();
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
    listDue: async (ids) => {
      if (ids[0] === 101) throw new Error("damaged");
      return jobs.listDue(ids);
    },
    listAll: async (ids) => ids.map((organizationId) => ({ organizationId, jobs: ["scores"] })),
  };
  const timer = new FakeTimer();
  const round = runDueJobs({ engine: engineWith(timer), jobs: failing, timer });
  await expect(round).rejects.toThrow("damaged");
  expect(steps).toEqual([50, ...Array.from({ length: 50 }, (_, i) => 101 + i), 250]);
});

test("the first round reads all organizations; a later one those that were written to, and the next page, each at most once in 5 s", async () => {
  const timer = new RoundTimer();
  const written: number[] = [];
  const { jobs, listed } = jobsOf(
    120,
    () => false,
    () => {},
  );
  const stop = startJobs({ engine: engineWith(timer, written), jobs, timer, log });
  await timer.roundEnd();
  expect(listed.splice(0).flat()).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
  const rounds: (readonly number[])[] = [];
  for (const ids of [[], [110, 7], [], [], [3], []]) {
    written.push(...ids);
    await timer.nextRound();
    rounds.push(listed.splice(0).flat());
  }
  const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const firstPages = [from(1, 50), [110, 7, ...from(51, 100)], from(101, 120)];
  expect(rounds).toEqual([...firstPages, [], [3], from(1, 50)]);
  await stop();
});

test("after a failed step, the next round reads the next page without a pause", async () => {
  const timer = new RoundTimer();
  let isFailing = true;
  const { jobs, listed } = jobsOf(
    3,
    (id) => id === 2,
    () => {
      if (isFailing) throw new Error("a full disk");
    },
  );
  const stop = startJobs({ engine: engineWith(timer), jobs, timer, log });
  await timer.roundEnd();
  const counts = [listed.splice(0).length];
  for (let round = 0; round < 5; round += 1) {
    isFailing = round < 2;
    await timer.nextRound();
    counts.push(listed.splice(0).length);
  }
  expect(counts).toEqual([1, 1, 1, 1, 0, 0]);
  await stop();
});

test("a process that gets the lease again reads all organizations: another one ran the jobs meanwhile", async () => {
  const timer = new RoundTimer();
  const { jobs, listed } = jobsOf(
    120,
    () => false,
    () => {},
  );
  const leases = [true, false, true];
  const engine = { ...engineWith(timer), leaseJobs: async () => leases.shift() ?? true };
  const stop = startJobs({ engine, jobs, timer, log });
  await timer.roundEnd();
  const counts = [listed.splice(0).flat().length];
  for (let round = 0; round < 3; round += 1) {
    await timer.nextRound();
    counts.push(listed.splice(0).flat().length);
  }
  expect(counts).toEqual([120, 0, 120, 50]);
  await stop();
});

test("a row that cannot be read does not make every round read all organizations, and is logged once", async () => {
  const timer = new RoundTimer();
  const { jobs, listed } = jobsOf(
    200,
    () => false,
    () => {},
  );
  const failing: Jobs = {
    ...jobs,
    listDue: async (ids) => {
      await jobs.listDue(ids);
      if (ids.includes(60)) throw new Error("damaged");
      return [];
    },
    listAll: async () => [],
  };
  const logged: unknown[] = [];
  const error = (_event: string, fields: { job?: unknown } = {}) => logged.push(fields.job);
  const stop = startJobs({ engine: engineWith(timer), jobs: failing, timer, log: { ...log, error } });
  await timer.roundEnd();
  const counts = [listed.splice(0).flat().length];
  for (let round = 0; round < 8; round += 1) {
    await timer.nextRound();
    counts.push(listed.splice(0).flat().length);
  }
  expect(counts.filter((count) => count > 50)).toEqual([200]);
  expect(logged).toEqual(["due jobs from organization 51"]);
  await stop();
});

test("after a lease that was lost in the middle of the pages, the first round has all organizations", async () => {
  const timer = new RoundTimer();
  const { jobs, listed } = jobsOf(
    120,
    () => false,
    () => {},
  );
  const leases = [true, true, false, true];
  const engine = { ...engineWith(timer), leaseJobs: async () => leases.shift() ?? true };
  const stop = startJobs({ engine, jobs, timer, log });
  await timer.roundEnd();
  for (let round = 0; round < 3; round += 1) {
    listed.length = 0;
    await timer.nextRound();
  }
  expect(listed.flat().length).toBe(120);
  await stop();
});
