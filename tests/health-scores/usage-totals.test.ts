import { expect, test } from "bun:test";
import { readUsage } from "../../src/health-scores/usage-facts.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { reactions } from "../../src/reactions.ts";
import { Random } from "../support/random.ts";
import { seedsUpTo } from "../support/seeds.ts";
import { day, healthWorld, hour } from "./health-world.ts";

type Row = { day: number; count: number; first_at: number; last_at: number };

/** Two accounts with events of many names. `send` sends one event of each name. */
async function usageWorld() {
  const here = await healthWorld();
  for (const name of ["Acme", "Globex"]) await here.account({ name });
  return {
    ...here,
    async send(names: number, at: number, accountId = 1) {
      const events = Array.from({ length: names }, (_, i) => ({
        event: `feature ${i}`,
        accountId,
        timestamp: here.textOf(at),
      }));
      expect((await here.call("POST", "/api/v1/events", { events })).status).toBe(200);
    },
    async refresh() {
      while (await here.jobs.steps.scores?.(here.tenant()));
    },
    async usage(accountId: number, asOf: number) {
      // The usage of other accounts is read by the same statements.
      const usage = await here.tenant().read((snapshot) => readUsage(snapshot, [1, 2], asOf));
      return usage.get(accountId) ?? { usage: [], lastEventAt: null };
    },
    rowsOf: (accountId: number) => here.rows<Row>("SELECT * FROM usage_days WHERE account_id = ?", accountId),
    async stored() {
      const totals = await here.rows<{ account_id: number; day: number; count: number }>(
        "SELECT account_id, day, count FROM usage_totals ORDER BY 1, 2",
      );
      return totals.map(({ account_id: accountId, day, count }) => [accountId, day, count]);
    },
    faults: () => here.faults(0),
  };
}

/** The usage as of a time, computed from the rows one by one: the days of the window, and the last event. */
function usageOf(rows: Row[], asOf: number) {
  const today = Math.floor(asOf / day);
  const begun = rows.filter((row) => row.day <= today && row.first_at <= asOf);
  const days = [...new Set(begun.map((row) => row.day))].sort((a, b) => b - a);
  const usage = days.map((day) => {
    const ofDay = begun.filter((row) => row.day === day);
    const last = ofDay.map((row) => (row.last_at <= asOf ? row.last_at : row.first_at));
    return { day, count: ofDay.reduce((sum, { count }) => sum + count, 0), lastAt: Math.max(...last) };
  });
  return { usage: usage.filter((row) => row.day > today - 29), lastEventAt: usage[0]?.lastAt ?? null };
}

test.each(seedsUpTo(2))("the usage is that of the rows, now and as of any time (seed %d)", async (seed) => {
  const { send, refresh, pass, now, usage, rowsOf, stored, faults } = await usageWorld();
  const random = new Random(seed);
  const begin = now();
  let storedCount = 0;
  for (let step = 0; step < 60; step += 1) {
    const at = now() - random.of([0, 0, random.below(3 * day), random.below(30 * day)]);
    await send(random.of([1, 100, 130]), at, 1 + random.below(2));
    if (random.below(2) === 0) await refresh();
    storedCount = Math.max(storedCount, (await stored()).length);
    for (const accountId of [1, 2]) {
      const all = await rowsOf(accountId);
      const past = begin + random.below(now() - begin + 1);
      for (const asOf of [now(), past, now() + random.of([1, 20, 40]) * day]) {
        const { usage: days, lastEventAt } = await usage(accountId, asOf);
        const read = days.map(({ day, count, lastAt }) => ({ day, count, lastAt }));
        expect({ usage: read, lastEventAt }).toEqual(usageOf(all, asOf));
      }
    }
    if (step % 10 === 9) expect(await faults()).toEqual([]);
    pass(random.below(day));
  }
  expect(storedCount).toBeGreaterThan(5);
});

test("a complete day with many names gets a total, which an event of that day removes", async () => {
  const { send, refresh, pass, now, stored } = await usageWorld();
  const today = Math.floor(now() / day);
  await send(100, now());
  await send(99, now() - day);
  await refresh();
  expect(await stored()).toEqual([]);
  pass(day);
  await refresh();
  expect(await stored()).toEqual([[1, today, 100]]);
  await send(1, now() - day);
  expect(await stored()).toEqual([]);
  await send(1, now());
  await refresh();
  expect(await stored()).toEqual([[1, today, 101]]);
});

test("after the clock was set back, the current day has no total", async () => {
  const { send, refresh, jump, now, stored, jobs, engine, faults } = await usageWorld();
  await runDueJobs({ engine, jobs });
  const today = Math.floor(now() / day);
  await send(100, now());
  await send(100, now() - day);
  jump(2 * day);
  await refresh();
  expect(await stored()).toEqual([
    [1, today - 1, 100],
    [1, today, 100],
  ]);
  jump(-2 * day + hour);
  await runDueJobs({ engine, jobs });
  expect(await stored()).toEqual([[1, today - 1, 100]]);
  await send(1, now());
  expect(await faults()).toEqual([]);
});

test("a process that starts after the clock was set back has no total of the current day", async () => {
  const { send, refresh, jump, now, stored, engine, faults } = await usageWorld();
  const today = Math.floor(now() / day);
  await send(100, now());
  jump(day);
  await send(1, now());
  await refresh();
  expect(await stored()).toEqual([[1, today, 100]]);
  jump(-day + hour);
  const restarted = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
  await runDueJobs({ engine, jobs: restarted });
  expect(await stored()).toEqual([]);
  await send(100, now());
  expect(await faults()).toEqual([]);
});

test("a deleted account has no totals of usage", async () => {
  const { send, refresh, pass, now, stored, call, jobs, tenant } = await usageWorld();
  for (const accountId of [1, 2]) await send(100, now(), accountId);
  const today = Math.floor(now() / day);
  pass(day);
  await refresh();
  await call("DELETE", "/api/v1/accounts/1");
  while (await jobs.steps["account deletions"]?.(tenant()));
  expect(await stored()).toEqual([[2, today, 100]]);
});
