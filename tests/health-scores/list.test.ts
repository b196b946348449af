import { expect, test } from "bun:test";
import { beginning } from "../support/world.ts";
import { day, healthWorld, hour } from "./health-world.ts";

/** A health world with six accounts, which have another sequence in each order. */
async function listWorld() {
  const here = await healthWorld();
  await here.scored(100, { name: "Beta", externalId: "beta", mrr: 3 });
  await here.scored(20, { name: "alpha", mrr: 1.25 });
  await here.scored(null, { name: "Gamma", mrr: 2 });
  await here.scored(60, { name: "delta", mrr: 2 });
  await here.scored(60, { name: "Alpha", mrr: 5 });
  await here.scored(null, { name: "Ça", mrr: -1 });
  return here;
}

test("GET returns a page of the organization's accounts with their scores", async () => {
  const { list, scored, second, textOf } = await listWorld();
  await scored(100, { name: "Theirs" }, { key: second.key });
  const reply = await list("?pageSize=2&page=2");
  expect(reply.status).toBe(200);
  const [alpha, beta] = [
    { accountId: 5, name: "Alpha", externalId: null, mrr: 5, score: 60, tier: "attention", coverage: 0.3 },
    { accountId: 1, name: "Beta", externalId: "beta", mrr: 3, score: 100, tier: "healthy", coverage: 0.3 },
  ];
  const scoredAt = textOf(beginning);
  expect(reply.body).toEqual({
    data: [
      { ...alpha, scoredAt },
      { ...beta, scoredAt },
    ],
    pagination: { page: 2, pageSize: 2, total: 6, totalPages: 3, hasNextPage: true, hasPrevPage: true },
  });
  expect((await list("?pageSize=1&page=6")).body.data).toEqual([
    {
      accountId: 6,
      name: "Ça",
      externalId: null,
      mrr: -1,
      score: null,
      tier: null,
      coverage: 0,
      scoredAt: null,
    },
  ]);
});

test("scoredAt is when the score or tier last changed, with filters and orders", async () => {
  const { list, ids, scored, change, meeting, textOf, now, pass } = await healthWorld();
  for (const score of [100, 60, 60]) await scored(score);
  expect(await ids("?sortBy=scoredAt")).toEqual([1, 2, 3]);
  const first = textOf(now());
  pass(hour);
  const second = textOf(now());
  await change({ contactActivityAt: textOf(now()) }, 2);
  // Without a difference, the time stays.
  await change({ contactActivityAt: textOf(now() - 2 * day) }, 1);
  expect(await ids(`?scoredAt[gte]=${second}`)).toEqual([2]);
  expect(await ids(`?scoredAt[lt]=${second}`)).toEqual([3, 1]);
  expect(await ids("?sortBy=scoredAt&sortOrder=desc")).toEqual([2, 3, 1]);
  const times = (await list("?sortBy=scoredAt")).body.data.map((row: { scoredAt: string }) => row.scoredAt);
  expect(times).toEqual([first, first, second]);
  await scored(null);
  expect(await ids("?scoredAt=none")).toEqual([4]);
  expect(await ids("?sortBy=scoredAt&sortOrder=asc")).toEqual([1, 3, 2, 4]);
  pass(31 * day);
  await meeting(now());
  const { body } = await list(`?scoredAt[gt]=${second}&cursor=&pageSize=1`);
  expect([body.data.length, body.pagination.hasNextPage]).toEqual([1, true]);
});

test("the default order is by score, ascending; accounts without a score are last", async () => {
  const { ids } = await listWorld();
  for (const query of ["", "?sortOrder=asc"]) expect(await ids(query)).toEqual([2, 4, 5, 1, 3, 6]);
  expect(await ids("?sortOrder=desc")).toEqual([6, 3, 1, 5, 4, 2]);
});

test("a list computes up to 1,000 stale scores before it replies; with more, it shows what is stored", async () => {
  const { call, execute, rows } = await healthWorld();
  const addAccounts = (count: number) =>
    execute(`INSERT INTO accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at, score_stale_at)
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count})
      SELECT 1, 'Acme', 'acme', 1, 'active', 0, 0, 0 FROM number`);
  const staleAfterList = async () => {
    expect((await call("GET", "/api/v1/health?pageSize=1")).status).toBe(200);
    return rows("SELECT count(*) AS count FROM accounts WHERE score_stale_at = 0");
  };
  await addAccounts(1_000);
  expect(await staleAfterList()).toEqual([{ count: 0 }]);
  await addAccounts(1_001);
  expect(await staleAfterList()).toEqual([{ count: 1_001 }]);
});
