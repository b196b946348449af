import { expect, test } from "bun:test";
import { day, eventWorld } from "../events/event-world.ts";
import { Random } from "../support/random.ts";

const path = "/api/v1/usage/accounts";
const event = { event: "opened", externalId: "acme" };

async function rankingWorld() {
  const here = await eventWorld();
  const get = (query = "") => here.call("GET", path + query);
  return {
    ...here,
    get,
    /** Each row as the id of the account and the count. */
    async ranking(query = ""): Promise<[number, number][]> {
      const { data } = (await get(query)).body;
      return data.map(({ accountId, count }: { accountId: number; count: number }) => [accountId, count]);
    },
  };
}

test("GET returns the accounts with events, the most events first, with the time of the last one", async () => {
  const { get, send, at } = await rankingWorld();
  await send([
    { ...event, externalId: "globex" },
    { ...event, externalId: "globex", event: "closed", timestamp: at(-day) },
    { ...event, timestamp: at(-1_000) },
  ]);
  const reply = await get();
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: [
      { accountId: 2, name: "Globex", externalId: "globex", count: 2, lastAt: at(0) },
      { accountId: 1, name: "Acme", externalId: "acme", count: 1, lastAt: at(-1_000) },
    ],
    pagination: { page: 1, pageSize: 25, total: 2, totalPages: 1, hasNextPage: false, hasPrevPage: false },
  });
});

test("event and days select the events that are counted, and their last time", async () => {
  const { get, ranking, send, at } = await rankingWorld();
  await send([
    ...[0, 1, 2].map((ago) => ({ ...event, timestamp: at(-ago * day) })),
    { ...event, externalId: "globex", event: "closed" },
    { ...event, externalId: "globex", timestamp: at(-2 * day) },
    { ...event, timestamp: at(-31 * day) },
  ]);
  expect(await ranking()).toEqual([
    [1, 3],
    [2, 2],
  ]);
  expect(await ranking("?event=closed")).toEqual([[2, 1]]);
  expect(await ranking("?event=Closed")).toEqual([]);
  expect(await ranking("?from=2025-12-31&to=2025-12-31")).toEqual([
    [1, 1],
    [2, 1],
  ]);
  const { data } = (await get("?event=opened&to=2026-01-01")).body;
  expect(data.map(({ lastAt }: { lastAt: string }) => lastAt)).toEqual([at(-day), at(-2 * day)]);
  for (const query of [
    "?from=2026-01-02&to=2026-01-01",
    "?from=2024-01-01",
    "?to=x",
    "?pageSize=101",
    "?page=0",
  ])
    expect((await get(query)).status).toBe(400);
  expect((await get("?cursor=")).body.code).toBe("unknown_parameter");
});

test("a deleted account, and one of another organization, is not ranked", async () => {
  const { call, get, ranking, send, second } = await rankingWorld();
  await send([event, { ...event, externalId: "globex" }]);
  await call("DELETE", "/api/v1/accounts/1");
  expect(await ranking()).toEqual([[2, 1]]);
  expect((await get()).body.pagination.total).toBe(1);
  expect((await call("GET", path, undefined, { key: second.key })).body.data).toEqual([]);
});

test("the pages of a ranking of many accounts have each account once; ties are ordered by id", async () => {
  const { call, ranking, get, send } = await rankingWorld();
  const random = new Random(5);
  const items = Array.from({ length: 150 }, (_, i) => ({ name: `Account ${i}`, externalId: `x${i}` }));
  expect((await call("POST", "/api/v1/accounts/batch", { accounts: items })).status).toBe(200);
  const counts = items.map(() => random.below(6));
  await send(
    items.flatMap(({ externalId }, i) =>
      Array.from({ length: counts[i] ?? 0 }, () => ({ ...event, externalId })),
    ),
  );
  const expected = counts
    .map((count, i): [number, number] => [i + 3, count])
    .filter(([, count]) => count > 0)
    .sort(([idA, a], [idB, b]) => b - a || idA - idB);
  const all: [number, number][] = [];
  for (let page = 1; page <= Math.ceil(expected.length / 40); page += 1)
    all.push(...(await ranking(`?pageSize=40&page=${page}`)));
  expect(all).toEqual(expected);
  expect((await get("?page=99")).body).toMatchObject({ data: [], pagination: { total: expected.length } });
});

test("accounts with many days of usage are ranked, too", async () => {
  const { execute, ranking, get, send } = await rankingWorld();
  await send([event]);
  await execute(
    `INSERT INTO usage_days (organization_id, account_id, day, event, count, users, first_user, first_at, last_at) WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 3000)
     SELECT 1, 2, 20000 + n % 300, 'e' || n, 2, 0, NULL, 1728000000000 + n, 1728000000000 + n FROM number`,
  );
  const range = "?from=2024-10-04&to=2025-09-01";
  expect(await ranking(range)).toEqual([[2, 6_000]]);
  expect((await get(`${range}&event=e7`)).body.data).toMatchObject([
    { accountId: 2, count: 2, lastAt: new Date(20_000 * day + 7).toISOString() },
  ]);
});

test("a page that begins after the first 10,000 accounts is 400, and is empty past the end", async () => {
  const { execute, first, get } = await rankingWorld();
  await execute(
    `INSERT INTO accounts (organization_id, name, folded_name, mrr, created_at, updated_at, status)
     WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10030)
     SELECT ${first.id}, 'a' || n, 'a' || n, 1, 1, 1, 'active' FROM number`,
  );
  await execute(
    `INSERT INTO usage_days (organization_id, account_id, day, event, count, users, first_user, first_at, last_at) SELECT ${first.id}, id, 20000, 'login', 1, 0, NULL, 1728000000000, 1728000000000 FROM accounts WHERE id > 2`,
  );
  const range = "&from=2024-10-04&to=2024-10-04";
  const last = (await get(`?page=100&pageSize=100${range}`)).body;
  expect(last.pagination).toMatchObject({ total: 10_030, totalPages: 101, hasNextPage: true });
  expect(last.data.map(({ accountId }: { accountId: number }) => accountId)).toEqual(
    Array.from({ length: 100 }, (_, i) => 9_903 + i),
  );
  const deep = await get(`?page=101&pageSize=100${range}`);
  expect([deep.status, deep.body.errors]).toEqual([
    400,
    [
      {
        parameter: "page",
        code: "out_of_range",
        detail: "must begin within the first 10,000 accounts: select fewer with from, to or event",
      },
    ],
  ]);
  expect((await get(`?page=102&pageSize=100${range}`)).body).toMatchObject({ data: [] });
  const far = await get(`?page=9007199254740991&pageSize=100${range}`);
  expect(far.body).toMatchObject({ data: [], pagination: { total: 10_030, hasPrevPage: true } });
}, 60_000);
