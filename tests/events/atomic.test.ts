import { expect, test } from "bun:test";
import { eventWorld, path } from "./event-world.ts";

const event = { event: "opened", externalId: "acme" };
const unknown = { ...event, externalId: "unknown" };
const today = "2026-01-02";
const tables = ["events", "usage_days", "unmatched_ids"];

/** A world in which an insert of a row that matches the condition fails. */
async function failingWorld(table: string, when: string, endsTransaction = false) {
  const here = await eventWorld();
  const endFailures = await here.failOn({ table, on: "INSERT", when, message: "broken", endsTransaction });
  return {
    ...here,
    endFailures,
    /** The numbers of rows of events, days and unmatched ids. */
    async counts() {
      const all: (number | undefined)[] = [];
      for (const table of tables) {
        const [row] = await here.rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
        all.push(row?.count);
      }
      return all;
    },
  };
}

test.each<[string, string, string, boolean]>([
  ["an event", "events", "NEW.message_id = 'm400'", false],
  ["an event, and rolls back the whole batch", "events", "NEW.message_id = 'm400'", true],
  ["a day", "usage_days", "NEW.event = 'last'", false],
  ["a user of a day", "usage_users", "NEW.user_id = 'u400'", false],
  ["an unmatched id, the last insert", "unmatched_ids", "true", false],
])("a request whose transaction fails at %s stores nothing, and can be sent again", async (...row) => {
  const [, table, condition, endsTransaction] = row;
  const { call, send, usage, unmatched, endFailures, counts } = await failingWorld(
    table,
    condition,
    endsTransaction,
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
  expect(await counts()).toEqual([0, 0, 0]);
  await endFailures();
  expect(await send(all)).toMatchObject({ accepted: 500, parked: 1, duplicates: 0 });
  expect(await usage()).toEqual([
    [today, "last", 1, 1],
    [today, "opened", 499, 499],
  ]);
  expect(await unmatched()).toMatchObject([{ externalId: "unknown", count: 1 }]);
});

const operations: [string, string, string, object][] = [
  ["create", "POST", "/api/v1/accounts", { name: "New", externalId: "unknown" }],
  ["PATCH", "PATCH", "/api/v1/accounts/1", { externalId: "unknown", name: "Renamed" }],
  ["PUT", "PUT", "/api/v1/accounts/external/unknown", { name: "New" }],
];
test.each(operations)(
  "a %s that fails to attach pending events changes nothing",
  async (_name, method, path, body) => {
    const { call, send, usage, unmatched, endFailures, counts } = await failingWorld(
      "usage_days",
      "NEW.event = 'last'",
    );
    await send([...Array.from({ length: 600 }, () => unknown), { ...unknown, event: "last" }]);
    const before = (await call("GET", "/api/v1/accounts")).body;
    expect((await call(method, path, body)).status).toBe(500);
    expect((await call("GET", "/api/v1/accounts")).body).toEqual(before);
    expect(await unmatched()).toMatchObject([{ externalId: "unknown", count: 601 }]);
    expect(await counts()).toEqual([601, 0, 1]);
    await endFailures();
    const { id } = (await call(method, path, body)).body.data;
    expect(await usage(id)).toEqual([
      [today, "last", 1, 0],
      [today, "opened", 600, 0],
    ]);
  },
);
