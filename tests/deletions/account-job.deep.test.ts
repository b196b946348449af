import { expect, test } from "bun:test";
import { finishAccountDeletions } from "../../src/deletions/accounts.ts";
import { accounts, accountTables, deleteWorld } from "../accounts/delete-world.ts";
import { quantileOf } from "../support/quantile.ts";

type World = Awaited<ReturnType<typeof deleteWorld>>;
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
