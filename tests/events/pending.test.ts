import { expect, test } from "bun:test";
import { day, emptyReceipt, eventWorld, path } from "./event-world.ts";

const event = { event: "opened", externalId: "unknown" };

test("an event of an unknown externalId is parked: stored, reported, and in no account's usage", async () => {
  const { send, rows, usage, at } = await eventWorld();
  const item = {
    index: 0,
    code: "parked",
    detail: "the event is pending: no account has this externalId yet",
  };
  const receipt = await send([{ ...event, messageId: "m", userId: "u", properties: { rows: 1 } }]);
  expect(receipt).toEqual({ ...emptyReceipt, parked: 1, items: [item] });
  expect(
    await rows("SELECT account_id, external_id, message_id, event, user_id, properties FROM events"),
  ).toEqual([
    {
      account_id: null,
      external_id: "unknown",
      message_id: "m",
      event: "opened",
      user_id: "u",
      properties: '{"rows":1}',
    },
  ]);
  expect([await usage(1), await usage(2)]).toEqual([[], []]);
  expect((await send([{ ...event, timestamp: at(-36 * day) }])).rejected).toBe(1);
});

test("the unmatched ids are listed with their counts, first and last time", async () => {
  const { call, send, at } = await eventWorld();
  await send([{ ...event, timestamp: at(-day) }, { ...event, externalId: "other" }, event]);
  await send([
    { ...event, timestamp: at(-3 * day) },
    { ...event, timestamp: at(-2 * day) },
  ]);
  const reply = await call("GET", `${path}/unmatched`);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: [
      { externalId: "other", count: 1, firstAt: at(0), lastAt: at(0) },
      { externalId: "unknown", count: 4, firstAt: at(-3 * day), lastAt: at(0) },
    ],
    pagination: { page: 1, pageSize: 25, total: 2, totalPages: 1, hasNextPage: false, hasPrevPage: false },
  });
});

test("the unmatched ids are compared byte for byte", async () => {
  const { send, unmatched } = await eventWorld();
  const ids = ["Acme", " acme", "e\u0301", "é"];
  await send(ids.map((externalId) => ({ ...event, externalId })));
  expect((await unmatched()).map(({ externalId }: typeof event) => externalId).sort()).toEqual(ids.sort());
});

test("the list has search, order and pages, without repeated ids", async () => {
  const { call, send, unmatched, at } = await eventWorld();
  for (const [index, externalId] of ["b1", "a1", "c2"].entries())
    await send(Array.from({ length: 3 - index }, () => ({ ...event, externalId, timestamp: at(-index) })));
  const ids = async (query: string) =>
    (await unmatched(query)).map(({ externalId }: typeof event) => externalId);
  expect(await ids("")).toEqual(["a1", "b1", "c2"]);
  expect(await ids("?sortBy=count")).toEqual(["c2", "a1", "b1"]);
  expect(await ids("?sortBy=lastAt&sortOrder=desc")).toEqual(["b1", "a1", "c2"]);
  expect(await ids("?sortBy=firstAt")).toEqual(["c2", "a1", "b1"]);
  expect(await ids("?search=1")).toEqual(["a1", "b1"]);
  expect(await ids("?search=A1")).toEqual([]);
  expect(await ids("?pageSize=2&page=2")).toEqual(["c2"]);
  expect((await call("GET", `${path}/unmatched?pageSize=2`)).body.pagination.total).toBe(3);
  expect((await call("GET", `${path}/unmatched?sortBy=id`)).status).toBe(400);
});

test("a former externalId of an account is unknown; its counted events stay", async () => {
  const { call, outcome, usage } = await eventWorld();
  const acme = { ...event, externalId: "acme" };
  expect(await outcome(acme)).toBe("accepted");
  await call("PATCH", "/api/v1/accounts/1", { externalId: "acme-2" });
  expect(await outcome(acme)).toBe("parked");
  expect(await usage()).toEqual([["2026-01-02", "opened", 1, 0]]);
});

const states = [["before the jobs"], ["after the jobs"]];

test.each(states)("a pending event expires after 30 days, and is no longer listed: %s", async (state) => {
  const { send, unmatched, pass, runJobs } = await eventWorld();
  await send([event]);
  pass(30 * day - 1);
  await runJobs();
  expect(await unmatched()).toMatchObject([{ count: 1 }]);
  pass(1);
  if (state === "after the jobs") await runJobs();
  expect(await unmatched()).toEqual([]);
});

test.each(states)("expired events are not attached, the others are: %s", async (state) => {
  const { account, send, unmatched, usage, pass, runJobs, rows } = await eventWorld();
  await send([event, { ...event, event: "closed" }, { ...event, externalId: "other" }]);
  pass(1);
  await send([event]);
  pass(30 * day - 1);
  if (state === "after the jobs") await runJobs();
  const { id } = await account({ name: "Known now", externalId: "unknown" });
  const other = await account({ name: "Too late", externalId: "other" });
  expect(await usage(id)).toEqual([["2026-01-02", "opened", 1, 0]]);
  expect(await usage(other.id)).toEqual([]);
  expect(await unmatched()).toEqual([]);
  const stored = await rows(
    "SELECT account_id, external_id, count(*) AS count FROM events GROUP BY 1, 2 ORDER BY 1 NULLS FIRST",
  );
  expect(stored).toEqual([
    { account_id: null, external_id: null, count: 3 },
    { account_id: id, external_id: null, count: 1 },
  ]);
  await runJobs();
  expect(await usage(id)).toEqual([["2026-01-02", "opened", 1, 0]]);
});

test("pending events of more than one step expire in one run, of many ids and in every organization", async () => {
  const { send, unmatched, pass, runJobs, rows, second } = await eventWorld();
  const theirs = { key: second.key };
  const many = Array.from({ length: 1_000 }, (_, i) => ({ ...event, externalId: `id ${i % 700}` }));
  await send(many);
  await send(many.slice(0, 300));
  await send(many, theirs);
  pass(30 * day - 1);
  await send([{ ...event, externalId: "id 5" }]);
  pass(1);
  await runJobs();
  expect(await unmatched()).toMatchObject([{ externalId: "id 5", count: 1 }]);
  expect(await unmatched("", theirs)).toEqual([]);
  expect(await rows("SELECT count(*) AS count FROM events WHERE external_id IS NOT NULL")).toEqual([
    { count: 1 },
  ]);
  expect(await rows("SELECT count(*) AS count FROM unmatched_ids")).toEqual([{ count: 1 }]);
});
