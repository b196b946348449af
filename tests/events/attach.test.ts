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

test("pending events are attached once, and not again to the next account with the id", async () => {
  const { call, account, send, usage } = await eventWorld();
  await send([event]);
  await call("PATCH", `${accounts}/1`, { externalId: "unknown" });
  await call("PATCH", `${accounts}/1`, { externalId: null });
  const next = await account({ name: "Next", externalId: "unknown" });
  expect(await usage(1)).toEqual([[today, "opened", 1, 0]]);
  expect(await usage(next.id)).toEqual([]);
});

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

test("pending events with large properties are all attached", async () => {
  const { account, send, usage } = await eventWorld();
  const properties = { text: "x".repeat(30_000) };
  await send(Array.from({ length: 30 }, () => ({ ...event, properties })));
  const { id } = await account({ name: "New", externalId: "unknown" });
  expect(await usage(id)).toEqual([[today, "opened", 30, 0]]);
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
