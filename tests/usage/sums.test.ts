import { expect, test } from "bun:test";
import { daysUntilFinal } from "../../src/core/event-limits.ts";
import { dayOf } from "../../src/core/timestamps.ts";
import { day, eventWorld } from "../events/event-world.ts";
import { Random } from "../support/random.ts";
import { seedsUpTo } from "../support/seeds.ts";

const path = "/api/v1/usage";
const event = { event: "opened", externalId: "acme" };

async function sumWorld() {
  const here = await eventWorld();
  const get = (query = "", key?: string) =>
    here.call("GET", path + query, undefined, key === undefined ? {} : { key });
  return {
    ...here,
    get,
    /** Each row as an array: day, event, count, users, accounts. */
    async sums(query = "") {
      return (await get(query)).body.data.map(Object.values);
    },
    /** The faults of the database as of now. */
    check: () => here.faults(dayOf(here.now()) - daysUntilFinal),
  };
}

test("GET usage returns the events, users and accounts of each day and event; a user of two accounts counts once", async () => {
  const { get, send, at, check } = await sumWorld();
  await send([
    { ...event, userId: "u1" },
    { ...event, externalId: "globex", userId: "u1" },
    { ...event, externalId: "globex", userId: "u2" },
    { ...event, externalId: "nobody", userId: "u3" },
    { ...event, event: "closed" },
    { ...event, userId: "u1", timestamp: at(-day) },
  ]);
  const reply = await get();
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: [
      { day: "2026-01-01", event: "opened", count: 1, users: 1, accounts: 1 },
      { day: "2026-01-02", event: "closed", count: 1, users: 0, accounts: 1 },
      { day: "2026-01-02", event: "opened", count: 3, users: 2, accounts: 2 },
    ],
    pagination: {
      page: 1,
      pageSize: 1_000,
      total: 3,
      totalPages: 1,
      hasNextPage: false,
      hasPrevPage: false,
    },
  });
  expect(await check()).toEqual([]);
});

test.each(seedsUpTo(4))(
  "after random events and deletes of accounts, the sums are those of the days of the accounts (seed %d)",
  async (seed) => {
    const { send, call, account, runJobs, check, pass, at, rows } = await sumWorld();
    const random = new Random(seed);
    const ids = [1, 2];
    for (let round = 0; round < 30; round += 1) {
      if (random.below(4) === 0) ids.push((await account({ name: "New" })).id);
      if (ids.length > 1 && random.below(5) === 0)
        await call("DELETE", `/api/v1/accounts/${ids.splice(random.below(ids.length), 1)}`);
      const sent = Array.from({ length: 1 + random.below(60) }, () => ({
        event: `event ${random.below(2)}`,
        accountId: random.of(ids),
        timestamp: at(-random.below(3) * day),
        ...(random.below(5) > 0 && { userId: `u${random.below(40)}` }),
      }));
      await send(sent);
      if (random.below(3) === 0) await runJobs();
      expect(await check()).toEqual([]);
      pass(random.below(day));
    }
    await runJobs();
    const users = `SELECT day, event, count(DISTINCT user_id) AS users FROM (
        SELECT day, event, user_id FROM usage_users UNION ALL SELECT day, event, first_user FROM usage_days
      ) AS day_users GROUP BY day, event ORDER BY day, event`;
    expect(await rows("SELECT day, event, users FROM usage_sums ORDER BY day, event")).toEqual(
      await rows(users),
    );
  },
);

test("the counts stay when events and users are deleted by age; a later delete of an account subtracts its events", async () => {
  const { send, sums, call, runJobs, pass, check, rows } = await sumWorld();
  await send([1, 2, 3].map((user) => ({ ...event, userId: `u${user}` })));
  await send([{ ...event, externalId: "globex", userId: "u1" }]);
  pass((daysUntilFinal + 1) * day);
  await runJobs();
  expect(await rows("SELECT * FROM usage_sum_users")).toEqual([]);
  const range = "?from=2026-01-01&to=2026-01-31";
  expect(await sums(range)).toEqual([["2026-01-02", "opened", 4, 3, 2]]);
  await call("DELETE", "/api/v1/accounts/1");
  await runJobs();
  // The remaining users are unknown: at most one for each event.
  expect(await sums(range)).toEqual([["2026-01-02", "opened", 1, 1, 1]]);
  expect(await check()).toEqual([]);
});

test("users of a day are stored as long as an event of that day can be counted", async () => {
  const { send, sums, runJobs, pass, account } = await sumWorld();
  await send([
    { ...event, userId: "u1" },
    { ...event, externalId: "later", userId: "u1" },
  ]);
  pass(29 * day);
  await runJobs();
  await account({ name: "Later", externalId: "later" });
  expect(await sums("?from=2026-01-02&to=2026-01-02")).toEqual([["2026-01-02", "opened", 2, 1, 2]]);
});

test("event, from, to and pages select rows as they do for one account", async () => {
  const { send, sums, get, at } = await sumWorld();
  for (const name of ["a", "b"])
    await send([0, 1, 2, 34].map((ago) => ({ ...event, event: name, timestamp: at(-ago * day) })));
  const names = async (query: string) => (await sums(query)).map((row: unknown[]) => `${row[0]} ${row[1]}`);
  const dayRows = (date: string) => [`${date} a`, `${date} b`];
  expect(await names("")).toEqual(["2025-12-31", "2026-01-01", "2026-01-02"].flatMap(dayRows));
  expect(await names("?from=2026-01-01&to=2026-01-01")).toEqual(dayRows("2026-01-01"));
  expect(await names("?event=b")).toEqual(["2025-12-31 b", "2026-01-01 b", "2026-01-02 b"]);
  expect(await names("?event=B")).toEqual([]);
  expect(await names("?page=2&pageSize=4")).toEqual(dayRows("2026-01-02"));
  expect((await get("?page=2&pageSize=4")).body.pagination.total).toBe(6);
  for (const query of ["?from=2026-01-02&to=2026-01-01", "?from=2024-01-01", "?from=x", "?pageSize=1001"])
    expect((await get(query)).status).toBe(400);
});
