import { expect, test } from "bun:test";
import { beginning } from "../support/world.ts";
import { day, emptyReceipt, eventWorld, minute, path } from "./event-world.ts";

const example = {
  event: "report.exported",
  externalId: "acme",
  messageId: "01JGFJJZ000000000000000000",
  timestamp: "2026-01-02T03:04:05.000Z",
  userId: "u7",
  properties: { rows: 12 },
};
const event = { event: "opened", externalId: "acme" };

test("the body is one event or a list of events; the reply is 200 with the counts", async () => {
  for (const body of [example, { events: [example] }]) {
    const { call, usage } = await eventWorld();
    const reply = await call("POST", path, body);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ data: { ...emptyReceipt, accepted: 1 } });
    expect(await usage()).toEqual([["2026-01-02", "report.exported", 1, 1]]);
  }
});

test("the account is externalId or accountId; accountId takes precedence", async () => {
  const { send, usage } = await eventWorld();
  const event = "opened";
  const references = [{ externalId: "globex" }, { accountId: 1 }, { accountId: 1, externalId: "globex" }];
  const unknown = { accountId: 1, externalId: "unknown" };
  expect((await send([...references, unknown].map((reference) => ({ event, ...reference })))).accepted).toBe(
    4,
  );
  expect(await usage(1)).toEqual([["2026-01-02", "opened", 3, 0]]);
  expect(await usage(2)).toEqual([["2026-01-02", "opened", 1, 0]]);
});

test("timestamp is the time of the event; the default is now", async () => {
  const { send, usage, at, rows } = await eventWorld();
  const timestamps = [
    undefined,
    at(-day),
    "2026-01-01",
    "2025-12-31T23:59:59.999",
    "2026-01-01T00:30:00+01:00",
  ];
  const { accepted } = await send(timestamps.map((timestamp) => ({ ...event, timestamp })));
  expect(accepted).toBe(5);
  expect(await usage()).toEqual([
    ["2025-12-31", "opened", 2, 0],
    ["2026-01-01", "opened", 2, 0],
    ["2026-01-02", "opened", 1, 0],
  ]);
  expect(await rows("SELECT timestamp FROM events WHERE id = 1")).toEqual([{ timestamp: beginning }]);
});

test("a timestamp up to 5 minutes ahead is stored as now; further ahead the event is rejected", async () => {
  const { outcome, at, rows, pass, usage } = await eventWorld();
  pass(Date.UTC(2026, 0, 2, 23, 58) - beginning);
  const timestamp = Date.UTC(2026, 0, 2, 23, 58);
  for (const ahead of [1, 3 * minute, 5 * minute])
    expect(await outcome({ ...event, timestamp: at(ahead) })).toBe("accepted");
  expect(await outcome({ ...event, timestamp: at(5 * minute + 1) })).toBe("in_future");
  expect(await rows("SELECT DISTINCT timestamp FROM events")).toEqual([{ timestamp }]);
  expect(await usage()).toEqual([["2026-01-02", "opened", 3, 0]]);
});

test("an event older than 35 days is rejected; one of 35 days is not", async () => {
  const { outcome, at, usage } = await eventWorld();
  expect(await outcome({ ...event, timestamp: at(-35 * day) })).toBe("accepted");
  expect(await outcome({ ...event, timestamp: at(-35 * day - 1) })).toBe("too_old");
  expect(await outcome({ ...event, timestamp: "0001-01-01" })).toBe("too_old");
  expect(await usage()).toEqual([["2025-11-28", "opened", 1, 0]]);
});

test("userId is the user of the event; an empty string and null are no user", async () => {
  const { send, usage } = await eventWorld();
  const users = [undefined, null, "", "u1", "u2", "u1", "U1", " u1"];
  expect((await send(users.map((userId) => ({ ...event, userId })))).accepted).toBe(8);
  expect(await usage()).toEqual([["2026-01-02", "opened", 8, 4]]);
});

test("properties are any JSON object, stored as sent", async () => {
  const { send, rows } = await eventWorld();
  const all = [
    {},
    { "": null, a: [1, -0.5, true, { deep: [[]] }], "é\u0000": "\u0000\ud800 🎈", toString: 1, "0": 1 },
    JSON.parse('{"__proto__":{"event":"x"},"constructor":5}'),
  ];
  expect((await send(all.map((properties) => ({ ...event, properties })))).accepted).toBe(3);
  expect((await send([event, { ...event, properties: null }])).accepted).toBe(2);
  const stored = await rows<{ properties: string | null }>("SELECT properties FROM events ORDER BY id");
  const parsed = stored.map(({ properties }) => JSON.parse(properties ?? "null"));
  expect(JSON.stringify(parsed)).toBe(JSON.stringify([...all, null, null]));
});

test("unknown members of an event and of the body are ignored", async () => {
  const { call } = await eventWorld();
  const body = { events: [{ ...event, id: 9, organizationId: 2, receivedAt: 0 }], event: "x", sentAt: 5 };
  expect((await call("POST", path, body)).body.data).toEqual({
    ...emptyReceipt,
    accepted: 1,
    undeduplicated: 1,
  });
});

test("an empty list is 200 without effect", async () => {
  const { send } = await eventWorld();
  expect(await send([])).toEqual(emptyReceipt);
});
