import { expect, test } from "bun:test";
import { maxPageBytes } from "../../src/core/lists/json-rows.ts";
import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import { Random } from "../support/random.ts";
import { type Body, beginning, beginningText } from "../support/world.ts";
import { accounts, attachmentWorld } from "./attachment-world.ts";
import { eventWorld, minute, path } from "./event-world.ts";

type World = Awaited<ReturnType<typeof eventWorld>>;

async function pagesOf({ call }: World, query: string): Promise<Body[][]> {
  const pages: Body[][] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body, text } = await call("GET", `${path}?${query}&cursor=${encodeURIComponent(cursor)}`);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxPageBytes);
    pages.push(body.data);
    cursor = body.pagination.nextCursor;
    expect(body.pagination.hasNextPage).toBe(cursor !== null);
  }
  return pages;
}

async function linesOf({ call }: World, query = ""): Promise<Body[]> {
  const { status, text } = await call("GET", `${path}.jsonl?end=true${query}`);
  expect(status).toBe(200);
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.pop()).toEqual({ end: true, rows: lines.length });
  return lines;
}

/** Stores events of account 1 that were received at these times, with ids from 1. */
async function storeReceipts({ execute, first }: World, times: readonly number[]): Promise<void> {
  const values = times.map((time, i) => `(${first.id}, 1, 'e${i % 7}', ${beginning}, ${time})`);
  while (values.length > 0)
    await execute(
      `INSERT INTO events (organization_id, account_id, event, timestamp, received_at) VALUES ${values.splice(0, 5_000).join()}`,
    );
}

const idsOf = (rows: readonly Body[]) => rows.map(({ id }) => id);

test("an empty list of properties, as PHP writes it, is an empty object, also in Segment's calls", async () => {
  const here = await eventWorld();
  const event = { event: "opened", externalId: "acme", properties: [] };
  expect((await here.call("POST", path, event)).body.data.accepted).toBe(1);
  await here.send([event]);
  const call = { event: "opened", context: { groupId: "acme" }, properties: [], traits: [], userId: "u1" };
  expect((await here.call("POST", "/v1/track", call)).status).toBe(200);
  const identify = { type: "identify", userId: "u1", traits: [], context: [] };
  const batch = { batch: [{ ...call, type: "track" }, identify], context: [] };
  expect((await here.call("POST", "/v1/batch", batch)).body.data).toMatchObject({ accepted: 1, rejected: 0 });
  const page = await linesOf(here);
  expect(page.map(({ properties }) => properties)).toEqual([{}, {}, {}, {}]);
});

test("an event is returned with all of its members, also pending, in the order of receipt", async () => {
  const here = await eventWorld();
  const properties = { rows: 12, deep: [{ list: [null, "é"] }] };
  await here.send([
    {
      event: "opened",
      externalId: "acme",
      messageId: "m1",
      userId: "u1",
      properties,
      timestamp: here.at(-minute),
    },
    { event: "closed", externalId: "unknown" },
  ]);
  const data = [
    {
      id: 1,
      accountId: 1,
      externalId: null,
      messageId: "m1",
      event: "opened",
      timestamp: here.at(-minute),
      userId: "u1",
      properties,
      receivedAt: beginningText,
    },
    {
      id: 2,
      accountId: null,
      externalId: "unknown",
      messageId: null,
      event: "closed",
      timestamp: beginningText,
      userId: null,
      properties: null,
      receivedAt: beginningText,
    },
  ];
  const { body, headers } = await here.call("GET", path);
  expect(body).toEqual({ data, pagination: { pageSize: 25, hasNextPage: false, nextCursor: null } });
  expect(headers.get("link")).toBe(`<${path}?cursor=>; rel="first"`);
  expect(await linesOf(here)).toEqual(data);
  const { id } = await here.account({ name: "New", externalId: "unknown" });
  expect((await here.call("GET", path)).body.data).toMatchObject([
    { accountId: 1 },
    { accountId: id, externalId: null },
  ]);
});

test("events are filtered by time of receipt, name and account", async () => {
  const here = await eventWorld();
  const both = ["acme", "globex"].flatMap((externalId) => [
    { event: "opened", externalId },
    { event: "closed", externalId },
  ]);
  for (let i = 0; i < 3; i += 1) {
    await here.send(both);
    here.pass(minute);
  }
  const [from, to] = [here.at(-2 * minute), here.at(-minute)];
  for (const [query, ids] of [
    [`from=${from}`, [5, 6, 7, 8, 9, 10, 11, 12]],
    [`to=${to}`, [1, 2, 3, 4, 5, 6, 7, 8]],
    [`from=${from}&to=${to}`, [5, 6, 7, 8]],
    [`from=${from}&to=${from}`, []],
    [`from=${to}&event=closed&accountId=2`, [12]],
    ["accountId=1&event=opened", [1, 5, 9]],
    ["accountId=3", []],
    ["event=Opened", []],
    ["from=2030-01-01", []],
    ["to=2020-01-01", []],
  ] as const) {
    expect([query, idsOf((await here.call("GET", `${path}?${query}`)).body.data)]).toEqual([query, [...ids]]);
    expect([query, idsOf(await linesOf(here, `&${query}`))]).toEqual([query, [...ids]]);
  }
  for (const [query, parameter, code] of [
    [`from=${to}&to=${from}`, "from", "after_to"],
    ["from=yesterday", "from", "invalid_timestamp"],
    ["to=2026-02-30", "to", "invalid_timestamp"],
    ["accountId=acme", "accountId", "wrong_type"],
    ["pageSize=101", "pageSize", "out_of_range"],
  ])
    for (const file of [path, `${path}.jsonl`]) {
      if (parameter === "pageSize" && file !== path) continue;
      const { status, body } = await here.call("GET", `${file}?${query}`);
      expect([query, status, body.errors]).toMatchObject([query, 400, [{ parameter, code }]]);
    }
});

test("pages by cursor have each event once, also those that are received between two pages", async () => {
  const here = await eventWorld();
  const events = Array.from({ length: 7 }, (_, i) => ({ event: `e${i}`, externalId: "acme" }));
  await here.send(events);
  const first = (await here.call("GET", `${path}?pageSize=4&event=`)).body;
  expect(first.data).toEqual([]);
  const page = async (cursor: string) =>
    (await here.call("GET", `${path}?pageSize=4&from=2026-01-01&cursor=${cursor}`)).body;
  const { data, pagination } = await page("");
  expect(idsOf(data)).toEqual([1, 2, 3, 4]);
  await here.send([
    { event: "late", externalId: "acme" },
    { event: "later", externalId: "acme" },
  ]);
  const second = await page(pagination.nextCursor);
  expect(idsOf(second.data)).toEqual([5, 6, 7, 8]);
  const third = await page(second.pagination.nextCursor);
  expect([idsOf(third.data), third.pagination.nextCursor]).toEqual([[9], null]);
  for (const query of ["", "&from=2026-01-02", "&event=e1", "&accountId=1"]) {
    const { status, body } = await here.call("GET", `${path}?cursor=${pagination.nextCursor}${query}`);
    expect([query, status, body.code]).toEqual([query, 400, "invalid_cursor"]);
  }
});

test("a page reads at most 10,000 events, and the pages after it have the later matches", async () => {
  const here = await eventWorld();
  await storeReceipts(
    here,
    Array.from({ length: 25_000 }, () => beginning),
  );
  await here.send([{ event: "rare", externalId: "acme" }]);
  const pages = await pagesOf(here, "event=rare");
  expect(pages.map((rows) => idsOf(rows))).toEqual([[], [], [25_001]]);
  expect(idsOf(await linesOf(here, "&event=rare"))).toEqual([25_001]);
  expect(idsOf(await linesOf(here, "&event=e6"))).toHaveLength(Math.floor(25_000 / 7));
});

test("a page ends before 2 MiB, and an export has all of it", async () => {
  const here = await eventWorld();
  const properties = { text: "é".repeat(16_000) };
  for (let i = 0; i < 4; i += 1)
    await here.send(Array.from({ length: 25 }, () => ({ event: "large", externalId: "acme", properties })));
  const pages = await pagesOf(here, "pageSize=100");
  expect(pages.length).toBe(2);
  expect(idsOf(pages.flat())).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  expect(await linesOf(here)).toEqual(pages.flat());
});

test("a range has all events of its times, although times of receipt are not in order", async () => {
  const here = await eventWorld();
  const random = new Random(33);
  const hour = 60 * minute;
  let time = beginning - 30 * 24 * hour;
  const times = Array.from({ length: 6_000 }, (_, i) => {
    // The clock is two days ahead for a part of the events, then right again.
    const ahead = i > 2_000 && i < 3_000 ? 48 * hour : 0;
    time += random.below(10 * minute);
    return time + ahead - random.below(hour);
  });
  await storeReceipts(here, times);
  const starts = [
    1_990,
    2_500,
    3_000,
    3_020,
    3_060,
    ...Array.from({ length: 15 }, () => random.below(6_000)),
  ];
  for (const [i, start] of starts.entries()) {
    const from = (times[start] ?? 0) + random.below(3) - 1;
    const to = from + random.below(i % 2 === 0 ? 10 * hour : 200 * hour);
    const expected = times.flatMap((at, k) => (at >= from && at < to ? [k + 1] : []));
    const query = `&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
    expect(idsOf(await linesOf(here, query))).toEqual(expected);
  }
});

test("events of a deleted account are gone at once, also those that are being attached to it", async () => {
  const here = await attachmentWorld();
  await here.send([{ event: "mine", externalId: "globex" }]);
  await here.sendPending("new", 3_000);
  const { id } = await here.account({ name: "New", externalId: "new" });
  expect(await here.attachments()).toHaveLength(1);
  await here.attach(1);
  expect((await linesOf(here)).map(({ accountId }) => accountId)).toContain(id);
  expect(await linesOf(here)).toHaveLength(3_001);
  await here.call("DELETE", `${accounts}/${id}`);
  expect(await here.owners()).not.toEqual([[2, 1]]);
  expect(await linesOf(here)).toMatchObject([{ event: "mine", accountId: 2 }]);
  expect((await pagesOf(here, `accountId=${id}`)).flat()).toEqual([]);
  expect((await pagesOf(here, "pageSize=100")).flat()).toHaveLength(1);
});

test("a call whose messageId is remembered is no event, and an event that was pending for 30 days has no owner", async () => {
  const here = await eventWorld();
  await setOrganizationTraits(here.engine, here.first.id, true);
  const call = { type: "identify", userId: "u1", messageId: "m1", traits: { email: "ada@x.io" } };
  await here.call("POST", "/v1/batch", { batch: [{ ...call, context: { groupId: "acme" } }] });
  await here.send([{ event: "opened", externalId: "unknown" }]);
  expect(await here.rows("SELECT id FROM events")).toHaveLength(2);
  expect(await linesOf(here)).toMatchObject([{ event: "opened", externalId: "unknown" }]);
  here.pass(31 * 24 * 60 * minute);
  await here.runJobs();
  expect(await linesOf(here)).toMatchObject([{ event: "opened", accountId: null, externalId: null }]);
});

test("an export of events is a file of JSON lines", async () => {
  const { call } = await eventWorld();
  const { headers, text } = await call("GET", `${path}.jsonl`);
  expect([headers.get("content-type"), headers.get("content-disposition"), text]).toEqual([
    "application/jsonl",
    'attachment; filename="events.jsonl"',
    "",
  ]);
});
