import { expect, test } from "bun:test";
import { eventWorld, path } from "./event-world.ts";

const event = { event: "opened", externalId: "acme" };
const unknown = { ...event, externalId: "unknown" };
const today = "2026-01-02";
const tables = ["events", "usage_days", "unmatched_ids"];

/** A world whose database breaks off a change that would put such a row into a table. */
async function brittleWorld(table: string, condition: string, how = "ABORT") {
  const here = await eventWorld();
  here.tamper(
    `CREATE TRIGGER brittle BEFORE INSERT ON ${table} WHEN ${condition} BEGIN SELECT RAISE(${how}, 'broken'); END`,
  );
  return {
    ...here,
    mend: () => here.tamper("DROP TRIGGER brittle"),
    /** How many rows there are of events, of days and of unmatched ids. */
    counts: () =>
      tables.map((table) => here.rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)[0]?.count),
  };
}

test.each([
  ["an event", "events", "NEW.message_id = 'm400'", "ABORT"],
  ["an event, and with it the batch of changes", "events", "NEW.message_id = 'm400'", "ROLLBACK"],
  ["a day", "usage_days", "NEW.event = 'last'", "ABORT"],
  ["a user of a day", "usage_users", "NEW.user_id = 'u400'", "ABORT"],
  ["an unmatched id, which comes last", "unmatched_ids", "true", "ABORT"],
])("a request whose transaction fails at %s stores nothing, and can be sent again", async (...given) => {
  const [, table, condition, how] = given;
  const { call, send, usage, unmatched, mend, counts } = await brittleWorld(table, condition, how);
  const events = Array.from({ length: 500 }, (_, i) => ({
    ...event,
    messageId: `m${i}`,
    userId: `u${i}`,
    event: i < 499 ? "opened" : "last",
  }));
  const all = [...events, { ...unknown, messageId: "parked" }];
  const reply = await call("POST", path, { events: all });
  expect([reply.status, reply.body.code]).toEqual([500, "internal_error"]);
  expect(counts()).toEqual([0, 0, 0]);
  mend();
  expect(await send(all)).toMatchObject({ accepted: 500, parked: 1, duplicates: 0 });
  expect(await usage()).toEqual([
    [today, "last", 1, 1],
    [today, "opened", 499, 499],
  ]);
  expect(await unmatched()).toMatchObject([{ externalId: "unknown", count: 1 }]);
});

test("a request that fails takes no other back that waits at the same moment", async () => {
  const { call, usage, counts } = await brittleWorld("events", "NEW.event = 'bad'");
  const requests = Array.from({ length: 30 }, (_, i) => [
    { ...event, userId: `u${i}` },
    { ...event, event: i % 3 === 0 ? "bad" : "opened", userId: "u" },
  ]);
  const replies = await Promise.all(requests.map((events) => call("POST", path, { events })));
  expect(replies.map(({ status }) => status)).toEqual(requests.map((_, i) => (i % 3 === 0 ? 500 : 200)));
  expect(await usage()).toEqual([[today, "opened", 40, 21]]);
  expect(counts()).toEqual([40, 1, 0]);
});

const takes: [string, string, string, object][] = [
  ["create", "POST", "/api/v1/accounts", { name: "New", externalId: "unknown" }],
  ["PATCH", "PATCH", "/api/v1/accounts/1", { externalId: "unknown", name: "Renamed" }],
  ["PUT", "PUT", "/api/v1/accounts/external/unknown", { name: "New" }],
];
test.each(takes)(
  "a %s that cannot attach what is parked changes nothing",
  async (_name, method, to, body) => {
    const { call, send, usage, unmatched, mend, counts } = await brittleWorld(
      "usage_days",
      "NEW.event = 'last'",
    );
    await send([...Array.from({ length: 600 }, () => unknown), { ...unknown, event: "last" }]);
    const before = (await call("GET", "/api/v1/accounts")).body;
    expect((await call(method, to, body)).status).toBe(500);
    expect((await call("GET", "/api/v1/accounts")).body).toEqual(before);
    expect(await unmatched()).toMatchObject([{ externalId: "unknown", count: 601 }]);
    expect(counts()).toEqual([601, 0, 1]);
    mend();
    const { id } = (await call(method, to, body)).body.data;
    expect(await usage(id)).toEqual([
      [today, "last", 1, 0],
      [today, "opened", 600, 0],
    ]);
  },
);
