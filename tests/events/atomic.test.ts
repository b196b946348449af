import { expect, test } from "bun:test";
import { eventWorld, path } from "./event-world.ts";

const event = { event: "opened", externalId: "acme" };
const unknown = { ...event, externalId: "unknown" };
const today = "2026-01-02";
const tables = ["events", "usage_days", "unmatched_ids"];

/** A world with a trigger that fails the transaction when a row that matches the condition is inserted. */
async function worldWithTrigger(table: string, condition: string, how = "ABORT") {
  const here = await eventWorld();
  here.runOnFile(
    `CREATE TRIGGER failing BEFORE INSERT ON ${table} WHEN ${condition} BEGIN SELECT RAISE(${how}, 'broken'); END`,
  );
  return {
    ...here,
    removeTrigger: () => here.runOnFile("DROP TRIGGER failing"),
    /** The numbers of rows of events, days and unmatched ids. */
    counts: () =>
      tables.map((table) => here.rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)[0]?.count),
  };
}

test.each([
  ["an event", "events", "NEW.message_id = 'm400'", "ABORT"],
  ["an event, and rolls back the whole batch", "events", "NEW.message_id = 'm400'", "ROLLBACK"],
  ["a day", "usage_days", "NEW.event = 'last'", "ABORT"],
  ["a user of a day", "usage_users", "NEW.user_id = 'u400'", "ABORT"],
  ["an unmatched id, the last insert", "unmatched_ids", "true", "ABORT"],
])("a request whose transaction fails at %s stores nothing, and can be sent again", async (...row) => {
  const [, table, condition, how] = row;
  const { call, send, usage, unmatched, removeTrigger, counts } = await worldWithTrigger(
    table,
    condition,
    how,
  );
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
  removeTrigger();
  expect(await send(all)).toMatchObject({ accepted: 500, parked: 1, duplicates: 0 });
  expect(await usage()).toEqual([
    [today, "last", 1, 1],
    [today, "opened", 499, 499],
  ]);
  expect(await unmatched()).toMatchObject([{ externalId: "unknown", count: 1 }]);
});

test("a failed request does not roll back the others of its batch", async () => {
  const { call, usage, counts } = await worldWithTrigger("events", "NEW.event = 'bad'");
  const requests = Array.from({ length: 30 }, (_, i) => [
    { ...event, userId: `u${i}` },
    { ...event, event: i % 3 === 0 ? "bad" : "opened", userId: "u" },
  ]);
  const replies = await Promise.all(requests.map((events) => call("POST", path, { events })));
  expect(replies.map(({ status }) => status)).toEqual(requests.map((_, i) => (i % 3 === 0 ? 500 : 200)));
  expect(await usage()).toEqual([[today, "opened", 40, 21]]);
  expect(counts()).toEqual([40, 1, 0]);
});

const operations: [string, string, string, object][] = [
  ["create", "POST", "/api/v1/accounts", { name: "New", externalId: "unknown" }],
  ["PATCH", "PATCH", "/api/v1/accounts/1", { externalId: "unknown", name: "Renamed" }],
  ["PUT", "PUT", "/api/v1/accounts/external/unknown", { name: "New" }],
];
test.each(operations)(
  "a %s that fails to attach pending events changes nothing",
  async (_name, method, path, body) => {
    const { call, send, usage, unmatched, removeTrigger, counts } = await worldWithTrigger(
      "usage_days",
      "NEW.event = 'last'",
    );
    await send([...Array.from({ length: 600 }, () => unknown), { ...unknown, event: "last" }]);
    const before = (await call("GET", "/api/v1/accounts")).body;
    expect((await call(method, path, body)).status).toBe(500);
    expect((await call("GET", "/api/v1/accounts")).body).toEqual(before);
    expect(await unmatched()).toMatchObject([{ externalId: "unknown", count: 601 }]);
    expect(counts()).toEqual([601, 0, 1]);
    removeTrigger();
    const { id } = (await call(method, path, body)).body.data;
    expect(await usage(id)).toEqual([
      [today, "last", 1, 0],
      [today, "opened", 600, 0],
    ]);
  },
);
