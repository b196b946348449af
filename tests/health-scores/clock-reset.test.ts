import { expect, test } from "bun:test";
import { createJobs } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { reactions } from "../../src/reactions.ts";
import { day, healthWorld } from "./health-world.ts";

test("a process that starts after the clock was set back computes scores again", async () => {
  const { scored, engine, jobs, jump, list } = await healthWorld();
  for (let i = 0; i < 101; i += 1) await scored(100);
  jump(100 * day);
  await runDueJobs({ engine, jobs });
  jump(-100 * day);
  // New jobs, as after a restart.
  const restarted = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
  await runDueJobs({ engine, jobs: restarted });
  const { data, pagination } = (await list("?tier=healthy&pageSize=100")).body;
  expect([data.length, pagination.total]).toEqual([100, 101]);
});

test("a process that starts after the clock was set back computes scores again that kept their tier", async () => {
  const { scored, engine, jobs, jump, list } = await healthWorld();
  await scored(100);
  const score = async () => (await list()).body.data[0].score;
  await runDueJobs({ engine, jobs });
  expect(await score()).toBe(100);
  jump(4 * day);
  await runDueJobs({ engine, jobs });
  expect(await score()).toBe(80);
  jump(-4 * day);
  const restarted = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
  // A refresh before the job does not hide that the clock was ahead.
  await restarted.steps.scores?.(restarted.tenant(1));
  await runDueJobs({ engine, jobs: restarted });
  expect(await score()).toBe(100);
});

test("a process whose clock is a little behind that of another one does not compute all scores again", async () => {
  const { scored, engine, jobs, jump, rows, openEngine } = await healthWorld();
  await scored(100);
  await runDueJobs({ engine, jobs });
  const staleAt = () => rows("SELECT score_stale_at FROM accounts");
  const before = await staleAt();
  jump(-2_000);
  const other = createJobs({ engine: await openEngine(), reactions, eventDays: 35, changeDays: 400 });
  await other.steps["scores after a clock reset"]?.(other.tenant(1));
  expect(await staleAt()).toEqual(before);
});
