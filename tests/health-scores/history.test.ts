import { expect, test } from "bun:test";
import { dayOf } from "../../src/core/timestamps.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { day, healthWorld } from "./health-world.ts";

type Point = { day: string; score: number | null; tier: string | null };

async function historyWorld() {
  const here = await healthWorld();
  const get = (query = "", accountId = 1) =>
    here.call("GET", `/api/v1/accounts/${accountId}/health/history${query}`);
  return {
    ...here,
    get,
    runJobs: () => runDueJobs(here),
    /** Each point as the day of the month and the score. */
    async points(query = "", accountId = 1): Promise<[string, number | null][]> {
      const { data } = (await get(query, accountId)).body;
      return data.map(({ day, score }: Point) => [day.slice(5), score]);
    },
  };
}

test("GET returns a point for each UTC day from the first score on; a day without a change has the score of the day before", async () => {
  const { scored, get, pass, runJobs } = await historyWorld();
  await scored(100);
  await runJobs();
  pass(5 * day);
  await runJobs();
  const reply = await get();
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: [
      ...["02", "03", "04", "05", "06"].map((date) => ({
        day: `2026-01-${date}`,
        score: 100,
        tier: "healthy",
      })),
      { day: "2026-01-07", score: 80, tier: "healthy" },
    ],
  });
});

test("an account that never had a score has no points; one that lost it has points without a score", async () => {
  const { scored, points, change, pass, runJobs } = await historyWorld();
  await scored(100);
  await scored(null);
  await runJobs();
  pass(day);
  await change({ status: "churned" });
  expect(await points()).toEqual([
    ["01-02", 100],
    ["01-03", null],
  ]);
  pass(day);
  expect(await points()).toEqual([
    ["01-02", 100],
    ["01-03", null],
    ["01-04", null],
  ]);
  expect(await points("", 2)).toEqual([]);
});

test("the last score of a day is its point; the present score is that of today", async () => {
  const { scored, points, change, pass } = await historyWorld();
  await scored(100);
  expect(await points()).toEqual([["01-02", 100]]);
  await change({ contactActivityAt: "2025-12-20" });
  expect(await points()).toEqual([["01-02", 60]]);
  await change({ contactActivityAt: "2025-12-28" });
  expect(await points()).toEqual([["01-02", 80]]);
  pass(day);
  await change({ contactActivityAt: "2026-01-03" });
  expect(await points()).toEqual([
    ["01-02", 80],
    ["01-03", 100],
  ]);
});

test("from and to are days, both included; the default is the last 90 days; days after today are left out", async () => {
  const { scored, points, pass, runJobs } = await historyWorld();
  await scored(100);
  await runJobs();
  for (let i = 0; i < 100; i += 1) {
    pass(day);
    await runJobs();
  }
  const last = await points();
  expect([last.length, last[0], last.at(-1)]).toEqual([90, ["01-13", 60], ["04-12", 20]]);
  expect(await points("?from=2026-01-04&to=2026-01-06")).toEqual([
    ["01-04", 100],
    ["01-05", 80],
    ["01-06", 80],
  ]);
  expect(await points("?from=2026-04-11&to=2026-05-01")).toEqual([
    ["04-11", 20],
    ["04-12", 20],
  ]);
  expect(await points("?from=2025-12-01&to=2026-01-01")).toEqual([]);
  expect(await points("?from=2025-12-01&to=2026-01-02")).toEqual([["01-02", 100]]);
  expect(await points("?to=2026-01-03")).toHaveLength(2);
});

test.each([
  ["?from=2026-01-02&to=2026-01-01", "from", "after_to"],
  ["?from=2024-01-01&to=2025-01-01", "from", "range_too_long"],
  ["?from=x", "from", "invalid_date"],
  ["?to=2026-02-30", "to", "invalid_date"],
])("%s is 400", async (query, parameter, code) => {
  const { account, get } = await historyWorld();
  await account({ name: "Acme" });
  expect((await get(query)).body).toMatchObject({
    status: 400,
    code: "invalid_request",
    errors: [{ parameter, code }],
  });
});

test("changes of more than 400 days ago are deleted, except for the score that the account had then", async () => {
  const { scored, points, change, pass, rows, textOf, now, runJobs } = await historyWorld();
  const setActivity = async (daysAgo: number) => {
    await change({ contactActivityAt: textOf(now() - daysAgo * day) });
    await runJobs();
  };
  const first = dayOf(now());
  await scored(100);
  await runJobs();
  for (const daysAgo of [7, 3]) {
    pass(day);
    await setActivity(daysAgo);
  }
  const stored = () => rows("SELECT day - ? AS day, score FROM health_days ORDER BY day", first);
  expect(await stored()).toEqual([
    { day: 0, score: 100 },
    { day: 1, score: 60 },
    { day: 2, score: 80 },
  ]);
  pass(401 * day);
  await setActivity(0);
  expect(await stored()).toEqual([
    { day: 2, score: 80 },
    { day: 403, score: 100 },
  ]);
  const year = await points(`?from=${textOf(now() - 365 * day).slice(0, 10)}`);
  expect(year.map(([, score]) => score)).toEqual([...new Array(365).fill(80), 100]);
});

test("after the clock was set back, days that are in the future have no stored score", async () => {
  const { scored, points, jump, rows, runJobs, now } = await historyWorld();
  await scored(100);
  await runJobs();
  jump(20 * day);
  await runJobs();
  expect(await points()).toHaveLength(21);
  jump(-20 * day + 1_000);
  await runJobs();
  expect(await points()).toEqual([["01-02", 100]]);
  expect(await rows("SELECT day, score FROM health_days")).toEqual([{ day: dayOf(now()), score: 100 }]);
});
