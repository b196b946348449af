import { expect, test } from "bun:test";
import { day, eventWorld } from "./event-world.ts";

const accounts = "/api/v1/accounts";
const event = { event: "opened", externalId: "unknown" };
const today = "2026-01-02";
type World = Awaited<ReturnType<typeof eventWorld>>;

/** Each operation that sets the externalId of an account. Returns the account's id. */
const ways: [string, (here: World) => Promise<number>][] = [
  ["a create", async ({ account }) => (await account({ name: "New", externalId: "unknown" })).id],
  [
    "a PATCH of an account without one",
    async ({ account, call }) => {
      const { id } = await account({ name: "New" });
      await call("PATCH", `${accounts}/${id}`, { externalId: "unknown" });
      return id;
    },
  ],
  [
    "a PATCH of an account with another",
    async ({ call }) => (await call("PATCH", `${accounts}/1`, { externalId: "unknown" })).body.data.id,
  ],
  [
    "a PUT",
    async ({ call }) => (await call("PUT", `${accounts}/external/unknown`, { name: "New" })).body.data.id,
  ],
];

test.each(ways)(
  "pending events are attached to the account that gets their id by %s",
  async (_way, setExternalId) => {
    const here = await eventWorld();
    const { send, usage, unmatched, at, rows } = here;
    await send([
      { ...event, userId: "u1", timestamp: at(-day) },
      { ...event, userId: "u1" },
      { ...event, userId: "u2" },
      { ...event, event: "closed", userId: null },
      { ...event, externalId: "other", userId: "u3" },
    ]);
    const id = await setExternalId(here);
    expect(await usage(id)).toEqual([
      ["2026-01-01", "opened", 1, 1],
      [today, "closed", 1, 0],
      [today, "opened", 2, 2],
    ]);
    expect(await unmatched()).toMatchObject([{ externalId: "other", count: 1 }]);
    const attached = "SELECT count(*) AS count FROM events WHERE account_id = ? AND external_id IS NULL";
    expect(await rows(attached, id)).toEqual([{ count: 4 }]);
    await send([{ ...event, userId: "u2" }]);
    expect((await usage(id)).at(-1)).toEqual([today, "opened", 3, 2]);
  },
);

test("contact activity and health include the events that were attached", async () => {
  const { account, call, send, at } = await eventWorld();
  await send([{ ...event, timestamp: at(-4 * day) }]);
  // The scores that were computed before become stale.
  expect((await call("GET", "/api/v1/health")).body.data).toMatchObject([
    { coverage: 0, score: null },
    { coverage: 0, score: null },
  ]);
  const { id } = await account({ name: "New", externalId: "unknown" });
  const { coverage, score, contactActivity } = (await call("GET", `${accounts}/${id}/health`)).body.data;
  expect({ coverage, score }).toEqual({ coverage: 0.5, score: 72 });
  expect(contactActivity).toEqual({ at: at(-4 * day), source: "event" });
  const listed = (await call("GET", "/api/v1/health?sortBy=score")).body.data[0];
  expect(listed).toMatchObject({ accountId: id, coverage, score });
});

test("attached events are merged into the account's days: counts are added, users are counted once", async () => {
  const { call, send, usage, at } = await eventWorld();
  const uses = (externalId: string, users: string[], timestamp: string) =>
    users.map((userId) => ({ ...event, externalId, userId, timestamp }));
  await send([
    ...uses("acme", ["u1", "u2", "u2"], at(0)),
    ...uses("acme", ["u1"], at(-day)),
    ...uses("unknown", ["u2", "u3", "u3"], at(0)),
    ...uses("unknown", ["u4"], at(-day)),
    ...uses("unknown", ["u1"], at(-2 * day)),
  ]);
  await call("PATCH", `${accounts}/1`, { externalId: "unknown" });
  expect(await usage()).toEqual([
    ["2025-12-31", "opened", 1, 1],
    ["2026-01-01", "opened", 2, 2],
    [today, "opened", 6, 3],
  ]);
  await send(uses("unknown", ["u1", "u2", "u3", "u5"], at(0)));
  expect((await usage()).at(-1)).toEqual([today, "opened", 10, 4]);
});

test("an account that gets several externalIds one after the other has the events of all", async () => {
  const { call, send, usage, unmatched } = await eventWorld();
  for (const externalId of ["one", "two", "three"]) await send([{ ...event, externalId, userId: "u" }]);
  for (const externalId of ["one", null, "two", "three"])
    await call("PATCH", `${accounts}/1`, { externalId });
  expect(await usage()).toEqual([[today, "opened", 3, 1]]);
  expect(await unmatched()).toEqual([]);
});

test("pending events are attached once, and not again to the next account with the id", async () => {
  const { call, account, send, usage } = await eventWorld();
  await send([event]);
  await call("PATCH", `${accounts}/1`, { externalId: "unknown" });
  await call("PATCH", `${accounts}/1`, { externalId: null });
  const next = await account({ name: "Next", externalId: "unknown" });
  expect(await usage(1)).toEqual([[today, "opened", 1, 0]]);
  expect(await usage(next.id)).toEqual([]);
});

test.each([500, 501, 1_601])("%d events of one id are all attached, with any timestamps", async (count) => {
  const { account, send, usage, unmatched, at } = await eventWorld();
  const events = Array.from({ length: count }, (_, i) => ({
    ...event,
    messageId: `m${i}`,
    userId: `u${i % 300}`,
    // Most have the same timestamp, and the last that were sent are the earliest.
    timestamp: at(i % 10 === 0 ? -i * 1000 : -1000),
  }));
  while (events.length > 0) await send(events.splice(0, 700));
  expect(await unmatched()).toMatchObject([{ count }]);
  const { id } = await account({ name: "New", externalId: "unknown" });
  expect(await usage(id)).toEqual([[today, "opened", count, 300]]);
  expect(await unmatched()).toEqual([]);
});

test("of 10 concurrent creates with the id, one is 201 and has the events; the others are 409 and attach nothing", async () => {
  const { call, send, usage, unmatched, rows } = await eventWorld();
  await send([{ ...event, userId: "u1" }, event]);
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => call("POST", accounts, { name: `New ${i}`, externalId: "unknown" })),
  );
  const [created, ...others] = replies.toSorted((a, b) => a.status - b.status);
  expect(others.map(({ status }) => status)).toEqual(Array(9).fill(409));
  expect(await usage(created?.body.data.id)).toEqual([[today, "opened", 2, 1]]);
  expect(await rows("SELECT DISTINCT account_id FROM usage_days")).toHaveLength(1);
  expect(await unmatched()).toEqual([]);
});

test("a rejected PATCH attaches nothing", async () => {
  const { call, send, usage, unmatched } = await eventWorld();
  await send([event]);
  const patch = async (body: object, id = 1) => (await call("PATCH", `${accounts}/${id}`, body)).status;
  expect(await patch({ externalId: "globex" })).toBe(409);
  expect(await patch({ externalId: "unknown", mrr: "much" })).toBe(400);
  expect(await patch({ externalId: "unknown", contactActivityAt: "2030-01-01" })).toBe(400);
  expect(await patch({ externalId: "unknown" }, 99)).toBe(404);
  expect((await call("PUT", `${accounts}/external/unknown`, {})).status).toBe(400);
  expect(await unmatched()).toMatchObject([{ count: 1 }]);
  expect(await usage()).toEqual([]);
});

test("another organization's account with the id gets none of the events", async () => {
  const { call, account, send, unmatched, second } = await eventWorld();
  const theirs = { key: second.key };
  await send([event]);
  const { id } = await account({ name: "Theirs", externalId: "unknown" }, theirs);
  expect((await call("GET", `${accounts}/${id}/usage`, undefined, theirs)).body.data).toEqual([]);
  expect(await unmatched()).toMatchObject([{ count: 1 }]);
});

test("events that arrive while an account gets their id are all counted once", async () => {
  const { account, send, usage, unmatched } = await eventWorld();
  const batch = (name: string) =>
    Array.from({ length: 50 }, (_, i) => ({ ...event, messageId: `${name} ${i}`, userId: `u${i}` }));
  const before = Array.from({ length: 10 }, (_, i) => send(batch(`before ${i}`)));
  const created = account({ name: "New", externalId: "unknown" });
  const after = Array.from({ length: 10 }, (_, i) => send(batch(`after ${i}`)));
  await Promise.all([...before, ...after]);
  expect(await usage((await created).id)).toEqual([[today, "opened", 1_000, 50]]);
  expect(await unmatched()).toEqual([]);
});
