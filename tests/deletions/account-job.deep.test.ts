import { expect, test } from "bun:test";
import { finishAccountDeletions } from "../../src/deletions/accounts.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { reactions } from "../../src/reactions.ts";
import { accounts, accountTables, deleteWorld } from "../accounts/delete-world.ts";
import { quantileOf } from "../support/quantile.ts";

type World = Awaited<ReturnType<typeof deleteWorld>>;
/** A generous limit for a busy machine: a step takes a few milliseconds of processor time. */
const maxWaitMilliseconds = 1_000;
const maxStepMilliseconds = 20;

/** Inserts events of both accounts, and usage of the first by many users. */
async function fill({ execute, acme, globex }: World, eventCount: number, userCount: number, bytes = 30) {
  const properties = JSON.stringify({ filler: "x".repeat(bytes) });
  await execute(
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${eventCount})
     INSERT INTO events (organization_id, account_id, event, timestamp, received_at, properties)
     SELECT 1, CASE WHEN n % 6 = 0 THEN ${globex.account} ELSE ${acme.account} END, 'opened', 0, 9000000000000,
       '${properties}' FROM n`,
  );
  for (let day = 1; day <= 10; day += 1) {
    await execute(`INSERT INTO usage_days (organization_id, account_id, day, event, count, users, first_user, first_at, last_at)
      VALUES (1, ${acme.account}, ${day}, 'opened', ${userCount}, ${userCount}, 'u', 0, 0)`);
    await execute(
      `WITH RECURSIVE n(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < ${userCount})
       INSERT INTO usage_users SELECT 1, ${acme.account}, ${day}, 'opened', 'u' || n FROM n`,
    );
  }
}

/** The tables in which the account has rows. */
async function tablesOf({ rowsOf }: World, accountId: number): Promise<string[]> {
  const counts = await rowsOf(accountId);
  return accountTables.filter((table) => Number(counts[table]) > 0);
}

test("a large account is deleted in steps, between which other requests run; other accounts are not changed", async () => {
  const here = await deleteWorld();
  const { acme, globex, call, send, status, rowsOf, runJobs } = here;
  await fill(here, 20_000, 500);
  const before = await rowsOf(globex.account);
  expect(await status("DELETE", `${accounts}/${acme.account}`)).toBe(204);
  let isDone = false;
  const waits: number[] = [];
  const deleting = runJobs().finally(() => {
    isDone = true;
  });
  for (let index = 0; !isDone; index += 1) {
    const start = performance.now();
    const replies = await Promise.all([
      call("GET", `${accounts}/${globex.account}`),
      call("PATCH", `${accounts}/${globex.account}`, { mrr: index }),
    ]);
    waits.push(performance.now() - start);
    expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
    await Bun.sleep(5);
  }
  await deleting;
  expect(waits.length).toBeGreaterThan(20);
  expect(Math.max(...waits)).toBeLessThan(maxWaitMilliseconds);
  expect(await tablesOf(here, acme.account)).toEqual(["changes"]);
  const after = await rowsOf(globex.account);
  expect(Number(after.changes)).toBeGreaterThan(Number(before.changes));
  expect({ ...after, changes: 0 }).toEqual({ ...before, changes: 0 });
  expect((await send("GET", `${accounts}/${globex.account}/usage?from=2025-12-01`)).length).toBeGreaterThan(
    0,
  );
});

const sizes: [string, number, number, number][] = [
  ["50,000 events and 10,000 users", 50_000, 1_000, 30],
  ["2,000 events of 30 kB", 2_000, 10, 30_000],
];
test.each(sizes)(
  "each step of the deletion takes less than 20 ms of processor time: %s",
  async (_what, count, users, bytes) => {
    const here = await deleteWorld();
    await fill(here, count, users, bytes);
    await here.send("DELETE", `${accounts}/${here.acme.account}`);
    const times: number[] = [];
    for (let isMore = true; isMore; ) {
      const before = process.cpuUsage();
      isMore = await finishAccountDeletions(here.jobs.tenant(here.first.id));
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1_000);
    }
    expect(times.length).toBeGreaterThan(50);
    expect(quantileOf(times, 0.5)).toBeLessThan(maxStepMilliseconds);
    expect(await tablesOf(here, here.acme.account)).toEqual(["changes"]);
  },
);

test.each([1, 20, 55])(
  "a deletion that was interrupted after %d steps continues after a restart",
  async (steps) => {
    const here = await deleteWorld();
    const { acme, globex, first, jobs, openEngine, rowsOf, send, status } = here;
    // About 50 steps of events, and 15 of usage.
    await fill(here, 12_000, 300);
    const before = await rowsOf(globex.account);
    await send("DELETE", `${accounts}/${acme.account}`);
    for (let step = 0; step < steps; step += 1) await finishAccountDeletions(jobs.tenant(first.id));
    expect(await tablesOf(here, acme.account)).toContain("account_deletions");
    expect(await status("GET", `${accounts}/${acme.account}`)).toBe(404);

    // A second engine has only the state that is stored in the database.
    const engine = await openEngine();
    await runDueJobs({ engine, jobs: createJobs({ engine, reactions, eventDays: 35, changeDays: 400 }) });
    expect(await tablesOf(here, acme.account)).toEqual(["changes"]);
    expect(await rowsOf(globex.account)).toEqual(before);
  },
);

test("several accounts that are deleted concurrently are all deleted, each in its organization", async () => {
  const here = await deleteWorld();
  const { acme, globex, account, call, rowsOf, runJobs, second, status } = here;
  const theirs = await account({ name: "Theirs", externalId: "acme" }, { key: second.key });
  const event = { event: "read", externalId: "acme", userId: "u" };
  await call("POST", "/api/v1/events", { events: [event, event] }, { key: second.key });
  await runJobs();
  const before = await rowsOf(theirs.id);
  await fill(here, 6_000, 100);
  const deletes = [acme, globex].map((one) => status("DELETE", `${accounts}/${one.account}`));
  expect(await Promise.all(deletes)).toEqual([204, 204]);
  await runJobs();
  expect([await tablesOf(here, acme.account), await tablesOf(here, globex.account)]).toEqual([
    ["changes"],
    ["changes"],
  ]);
  expect(await rowsOf(theirs.id)).toMatchObject({ ...before, changes: expect.any(Number) });
});

test("events that arrive during the deletion are all counted", async () => {
  const here = await deleteWorld();
  const { acme, globex, rowsOf, runJobs, send } = here;
  await fill(here, 20_000, 100);
  const before = await rowsOf(globex.account);
  await send("DELETE", `${accounts}/${acme.account}`);
  const deleting = runJobs();
  const events = Array.from({ length: 25 }, () => ({ event: "written", externalId: "globex" }));
  for (let index = 0; index < 20; index += 1) {
    expect(await send("POST", "/api/v1/events", { events })).toMatchObject({ accepted: 25 });
    await Bun.sleep(2);
  }
  await deleting;
  await runJobs();
  expect(await tablesOf(here, acme.account)).toEqual(["changes"]);
  expect(await rowsOf(globex.account)).toMatchObject({ events: Number(before.events) + 500 });
  const usage = await send("GET", `${accounts}/${globex.account}/usage?from=2025-12-01&event=written`);
  expect(usage).toMatchObject([{ count: 500 }]);
});

test("the score job and the retention of events do not fail on events of a deleted account", async () => {
  const here = await deleteWorld();
  const { acme, globex, pass, runJobs, rowsOf, send } = here;
  // The score job has not read these events.
  for (const externalId of ["acme", "globex"])
    await send("POST", "/api/v1/events", { events: [{ event: "read", externalId, userId: "new" }] });
  await send("DELETE", `${accounts}/${acme.account}`);
  expect(await send("GET", "/api/v1/health")).toMatchObject([{ accountId: globex.account }]);
  // All events are old before the deletion has read them; their days have users.
  pass(36 * 86_400_000);
  await runJobs();
  expect(await tablesOf(here, acme.account)).toEqual(["changes"]);
  expect(await rowsOf(globex.account)).toMatchObject({ events: 0 });
  pass(100 * 86_400_000);
  await runJobs();
  expect(await tablesOf(here, acme.account)).toEqual(["changes"]);
  expect(await rowsOf(globex.account)).toMatchObject({ usage_users: 0, expiring_days: 0 });
});
