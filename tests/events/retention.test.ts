import { expect, test } from "bun:test";
import { day, eventWorld } from "./event-world.ts";

const event = { event: "opened", externalId: "acme" };
const today = "2026-01-02";
const rawEvents = "SELECT message_id AS id FROM events ORDER BY id";
const usersOfDays =
  "SELECT user_id AS id FROM usage_users UNION ALL SELECT first_user FROM usage_days WHERE first_user <> '' ORDER BY 1";

/** A world with the message ids of the stored events, and the stored users. */
async function retentionWorld() {
  const here = await eventWorld();
  const idsOf = async (sql: string) => (await here.rows<{ id: string }>(sql)).map(({ id }) => id);
  return { ...here, raw: () => idsOf(rawEvents), users: () => idsOf(usersOfDays) };
}

test.each([[35], [60], [365]])(
  "events are deleted after %d days, and their users later; the daily counts stay",
  async (eventDays) => {
    const { send, usage, pass, runJobs, at, raw, users } = await retentionWorld();
    await send([
      { ...event, messageId: "m1", userId: "u1" },
      { ...event, messageId: "m2", userId: "u2", timestamp: at(-20 * day) },
      { ...event, messageId: "m3" },
    ]);
    const before = await usage();
    expect(before).toEqual([
      ["2025-12-13", "opened", 1, 1],
      [today, "opened", 2, 1],
    ]);
    pass(eventDays * day);
    await runJobs(eventDays);
    expect(await raw()).toEqual(["m1", "m2", "m3"]);
    expect(await users()).toEqual(["u1", "u2"]);
    pass(1);
    await runJobs(eventDays);
    expect(await raw()).toEqual([]);
    expect(await usage()).toEqual(before);
    pass(31 * day);
    await runJobs(eventDays);
    expect(await users()).toEqual([]);
    expect(await usage()).toEqual(before);
  },
);

test("the retention of an event begins with its receipt, not with its timestamp", async () => {
  const { send, pass, runJobs, at, raw } = await retentionWorld();
  await send([{ ...event, messageId: "m1", timestamp: at(-35 * day) }]);
  pass(10 * day);
  await send([{ ...event, messageId: "m2" }]);
  pass(26 * day + 1);
  await runJobs();
  expect(await raw()).toEqual(["m2"]);
  pass(10 * day);
  await runJobs();
  expect(await raw()).toEqual([]);
});

test("pending and attached events are deleted as others are; their counts stay", async () => {
  const { account, send, usage, unmatched, pass, runJobs, raw, users } = await retentionWorld();
  await send([
    { ...event, externalId: "unknown", messageId: "m1", userId: "u1" },
    { ...event, externalId: "other", messageId: "m2", userId: "u2" },
  ]);
  pass(29 * day);
  const { id } = await account({ name: "New", externalId: "unknown" });
  await runJobs();
  expect([await raw(), await users()]).toEqual([["m1", "m2"], ["u1"]]);
  pass(7 * day + 1);
  await runJobs();
  expect([await raw(), await users(), await unmatched()]).toEqual([[], ["u1"], []]);
  pass(30 * day);
  await runJobs();
  expect(await users()).toEqual([]);
  expect(await usage(id)).toEqual([[today, "opened", 1, 1]]);
});

test("old events of more than one step are deleted in one run, in every organization", async () => {
  const { account, send, usage, pass, runJobs, rows, second } = await retentionWorld();
  const theirs = { key: second.key };
  await account({ name: "Theirs", externalId: "acme" }, theirs);
  const many = Array.from({ length: 1_000 }, (_, i) => ({ ...event, userId: `u${i}` }));
  for (const options of [{}, {}, theirs]) await send(many, options);
  pass(2 * day);
  await send([{ ...event, userId: "u1" }]);
  pass(34 * day + 1);
  await runJobs();
  expect(await rows("SELECT count(*) AS count FROM events")).toEqual([{ count: 1 }]);
  pass(30 * day);
  await runJobs();
  expect(await rows(usersOfDays)).toEqual([{ id: "u1" }]);
  expect(await usage()).toEqual([
    [today, "opened", 2_000, 1_000],
    ["2026-01-04", "opened", 1, 1],
  ]);
});

test("events that are kept longer than 35 days are not replaced by a new event with their messageId", async () => {
  const { send, pass, runJobs, rows } = await retentionWorld();
  await send([{ ...event, messageId: "m1" }]);
  pass(40 * day);
  await runJobs(60);
  expect((await send([{ ...event, messageId: "m1" }])).accepted).toBe(1);
  expect(await rows("SELECT count(*) AS count FROM events")).toEqual([{ count: 2 }]);
});

test("users of a day are stored exactly as long as an event of that day can be attached", async () => {
  const { call, send, usage, pass, runJobs, at, users } = await retentionWorld();
  const timestamp = at(0);
  await send([
    { ...event, userId: "u1", timestamp },
    { ...event, userId: "u2", timestamp },
  ]);
  pass(35 * day);
  await send([{ ...event, externalId: "unknown", userId: "u2", timestamp }]);
  pass(30 * day - 1);
  await runJobs();
  await call("PATCH", "/api/v1/accounts/1", { externalId: "unknown" });
  expect(await usage()).toEqual([[today, "opened", 3, 2]]);
  pass(1);
  await runJobs();
  expect(await users()).toEqual(["u1", "u2"]);
  pass(day);
  await runJobs();
  expect(await users()).toEqual([]);
  expect(await usage()).toEqual([[today, "opened", 3, 2]]);
});

test("a user of a day is deleted, also if its messageId was used again", async () => {
  const { send, pass, runJobs, raw, users } = await retentionWorld();
  await send([{ ...event, messageId: "m1", userId: "u1" }]);
  pass(35 * day);
  expect((await send([{ ...event, messageId: "m1", userId: "u2" }])).accepted).toBe(1);
  pass(66 * day);
  await runJobs();
  expect([await raw(), await users()]).toEqual([[], []]);
});

test("health does not change when its events are deleted", async () => {
  const { call, send, pass, runJobs } = await retentionWorld();
  await send([event, event]);
  pass(36 * day + 1);
  const health = async () => (await call("GET", "/api/v1/accounts/1/health")).body.data;
  const before = await health();
  expect(before).toMatchObject({ coverage: 0.65, contactActivity: { source: "event" } });
  await runJobs();
  expect(await health()).toEqual(before);
  const [listed] = (await call("GET", "/api/v1/health")).body.data;
  expect(listed).toMatchObject({ accountId: 1, score: before.score, coverage: 0.65 });
});
