import { expect, test } from "bun:test";
import { day, eventWorld } from "../events/event-world.ts";
import type { Body } from "../support/world.ts";

const path = "/api/v1/accounts/1/usage";
const event = { event: "opened", externalId: "acme" };

/** A world with functions that read an account's usage; `days` returns each row as `day event`. */
async function usageWorld() {
  const here = await eventWorld();
  return {
    ...here,
    get: (query = "") => here.call("GET", path + query),
    async days(query = "") {
      const { data } = (await here.call("GET", path + query)).body;
      return data.map(({ day, event }: Body) => `${day} ${event}`);
    },
  };
}

test("GET usage returns the account's days, with the count and the distinct users of each event", async () => {
  const { get, send, at } = await usageWorld();
  await send([
    { ...event, userId: "u1" },
    { ...event, userId: "u2", timestamp: at(-day) },
    { ...event, userId: "u1" },
    { ...event, event: "closed" },
    { ...event, externalId: "globex", userId: "u9" },
  ]);
  const reply = await get();
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: [
      { day: "2026-01-01", event: "opened", count: 1, users: 1 },
      { day: "2026-01-02", event: "closed", count: 1, users: 0 },
      { day: "2026-01-02", event: "opened", count: 2, users: 1 },
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
});

test("user ids and event names are compared byte for byte", async () => {
  const { send, usage } = await usageWorld();
  const users = ["u", "U", "u ", "é", "e\u0301", "1", "01"];
  const names = ["opened", "Opened", "opened ", "opened 1"];
  await send(names.flatMap((name) => users.map((userId) => ({ ...event, event: name, userId }))));
  const days = await usage();
  expect(days.map(([, name, count, users]) => [name, count, users])).toEqual(
    names.toSorted().map((name) => [name, 7, 7]),
  );
});

test("a day is a UTC day, including its first and last millisecond", async () => {
  const { send, days } = await usageWorld();
  const timestamps = ["2025-12-31T23:59:59.999Z", "2026-01-01T00:00:00Z", "2026-01-01T23:59:59.999Z"];
  const offset = "2026-01-02T05:00:00+05:30";
  await send([...timestamps, offset].map((timestamp, i) => ({ ...event, timestamp, event: `${i}` })));
  expect(await days()).toEqual(["2025-12-31 0", "2026-01-01 1", "2026-01-01 2", "2026-01-01 3"]);
});

test("from and to are days, both inclusive", async () => {
  const { send, days, at } = await usageWorld();
  await send([0, 1, 2, 3].map((ago) => ({ ...event, timestamp: at(-ago * day) })));
  const all = ["2025-12-30 opened", "2025-12-31 opened", "2026-01-01 opened", "2026-01-02 opened"];
  expect(await days("?from=2025-12-31&to=2026-01-01")).toEqual(all.slice(1, 3));
  expect(await days("?from=2025-12-31&to=2025-12-31")).toEqual(all.slice(1, 2));
  expect(await days("?from=2025-12-31")).toEqual(all.slice(1));
  expect(await days("?to=2025-12-31")).toEqual(all.slice(0, 2));
  expect(await days("?from=2026-01-01&to=2026-12-31")).toEqual(all.slice(2));
  expect(await days("?from=2026-01-03&to=2026-01-04")).toEqual([]);
});

test("without from and to the range is the 30 days up to today; without from, the 30 days up to to", async () => {
  const { send, days, at, pass } = await usageWorld();
  await send([29, 30, 31].map((ago) => ({ ...event, timestamp: at(-ago * day) })));
  expect(await days()).toEqual(["2025-12-04 opened"]);
  expect(await days("?to=2026-01-01")).toEqual(["2025-12-03 opened", "2025-12-04 opened"]);
  pass(day);
  expect(await days()).toEqual([]);
});

test("without to the range ends today, and from must not be later", async () => {
  const { get } = await usageWorld();
  expect((await get("?from=2026-01-02")).status).toBe(200);
  expect((await get("?from=2026-01-03")).status).toBe(400);
});

test("the range is at most 366 days, at any time in the past", async () => {
  const { get } = await usageWorld();
  expect((await get("?from=2024-01-01&to=2024-12-31")).status).toBe(200);
  expect((await get("?from=2025-01-02&to=2026-01-02")).status).toBe(200);
  expect((await get("?from=0001-01-01&to=0001-12-31")).status).toBe(200);
  for (const query of [
    "?from=2024-01-01&to=2025-01-01",
    "?from=2025-01-01",
    "?from=0001-01-01&to=2026-01-02",
  ])
    expect((await get(query)).body).toMatchObject({
      status: 400,
      code: "invalid_request",
      errors: [{ parameter: "from", code: "range_too_long" }],
    });
});

test("event is an exact match of the event name", async () => {
  const { send, days, get, at } = await usageWorld();
  const names = ["opened", "Opened", "opened & closed"];
  await send(
    names.flatMap((name) => [0, -day].map((ago) => ({ ...event, event: name, timestamp: at(ago) }))),
  );
  for (const name of names)
    expect(await days(`?event=${encodeURIComponent(name)}`)).toEqual([
      `2026-01-01 ${name}`,
      `2026-01-02 ${name}`,
    ]);
  expect(await days("?event=opened&from=2026-01-02")).toEqual(["2026-01-02 opened"]);
  expect(await days("?event=open")).toEqual([]);
  expect((await get("?event=opened")).body.pagination.total).toBe(2);
  expect((await get(`?event=${"a".repeat(129)}`)).status).toBe(400);
});

test("the rows are ordered by day and event; pageSize is 1,000 by default and at most", async () => {
  const { send, get, at } = await usageWorld();
  const names = Array.from({ length: 60 }, (_, i) => `event ${String((i * 37) % 60).padStart(2, "0")}`);
  for (let ago = 0; ago < 20; ago += 1)
    await send(names.map((name) => ({ ...event, event: name, timestamp: at(-ago * day) })));
  const all: string[] = [];
  for (let page = 1; page <= 3; page += 1) {
    const { data, pagination } = (await get(`?page=${page}&pageSize=500`)).body;
    expect(pagination).toEqual({
      page,
      pageSize: 500,
      total: 1_200,
      totalPages: 3,
      hasNextPage: page < 3,
      hasPrevPage: page > 1,
    });
    all.push(...data.map(({ day, event }: Body) => `${day} ${event}`));
  }
  expect(new Set(all).size).toBe(1_200);
  expect(all).toEqual(all.toSorted());
  expect((await get()).body.data).toHaveLength(1_000);
  expect((await get("?page=9")).body).toMatchObject({ data: [], pagination: { total: 1_200 } });
  for (const query of ["?pageSize=0", "?pageSize=1001", "?page=0", "?page=x"])
    expect((await get(query)).status).toBe(400);
});
