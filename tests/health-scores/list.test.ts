import { expect, test } from "bun:test";
import { healthWorld } from "./health-world.ts";

type Row = { accountId: number; score: number | null; tier: string | null };

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

const orders = {
  score: [2, 4, 5, 1, 3, 6],
  mrr: [6, 2, 3, 4, 1, 5],
  name: [2, 5, 1, 4, 3, 6],
};

test("GET returns a page of the organization's accounts with their scores", async () => {
  const { list, scored, second } = await listWorld();
  await scored(100, { name: "Theirs" }, { key: second.key });
  const reply = await list("?pageSize=2&page=2");
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: [
      { accountId: 5, name: "Alpha", externalId: null, mrr: 5, score: 60, tier: "attention", coverage: 0.3 },
      { accountId: 1, name: "Beta", externalId: "beta", mrr: 3, score: 100, tier: "healthy", coverage: 0.3 },
    ],
    pagination: { page: 2, pageSize: 2, total: 6, totalPages: 3, hasNextPage: true, hasPrevPage: true },
  });
  expect((await list("?pageSize=1&page=6")).body.data).toEqual([
    { accountId: 6, name: "Ça", externalId: null, mrr: -1, score: null, tier: null, coverage: 0 },
  ]);
});

test("the default order is by score, ascending; accounts without a score are last", async () => {
  const { ids } = await listWorld();
  expect(await ids()).toEqual(orders.score);
  expect(await ids("?sortOrder=asc")).toEqual(orders.score);
  expect(await ids("?sortOrder=desc")).toEqual([6, 3, 1, 5, 4, 2]);
});

for (const [sortBy, order] of Object.entries(orders)) {
  test(`sortBy=${sortBy} orders by this column, then by id, in both directions`, async () => {
    const { ids } = await listWorld();
    expect(await ids(`?sortBy=${sortBy}`)).toEqual(order);
    expect(await ids(`?sortBy=${sortBy}&sortOrder=desc`)).toEqual(order.toReversed());
  });
}

test("tier returns only the accounts of this tier, in every order, with their total", async () => {
  const { list, scored } = await listWorld();
  await scored(80, { name: "Epsilon", mrr: 4 });
  await scored(40, { name: "Zeta", mrr: 0 });
  const tiers = { healthy: [1, 7], attention: [4, 5], at_risk: [8], critical: [2] };
  const ordered = { score: [7, 1], mrr: [1, 7], name: [1, 7] };
  for (const [tier, expected] of Object.entries(tiers))
    for (const [sortBy, healthy] of Object.entries(ordered))
      for (const sortOrder of ["asc", "desc"]) {
        const query = `?tier=${tier}&sortBy=${sortBy}&sortOrder=${sortOrder}&pageSize=1`;
        const pages = [(await list(query)).body, (await list(`${query}&page=2`)).body];
        // The two accounts in "attention" are in the order of their ids, except with sortBy=name.
        const byName = tier === "attention" && sortBy === "name" ? [5, 4] : expected;
        const ascending = tier === "healthy" ? healthy : byName;
        expect(pages.flatMap(({ data }) => data.map((row: Row) => row.accountId))).toEqual(
          sortOrder === "asc" ? ascending : ascending.toReversed(),
        );
        for (const { pagination } of pages) expect(pagination.total).toBe(expected.length);
      }
  expect((await list("?tier=critical")).body.data).toMatchObject([{ accountId: 2, tier: "critical" }]);
});

test("the list includes changes of the account and of time at once", async () => {
  const { list, change, scored, pass } = await healthWorld();
  await scored(100, { name: "Acme", mrr: 1 });
  const row = async () => (await list()).body.data[0];
  expect(await row()).toMatchObject({ score: 100, tier: "healthy" });
  await change({ name: "Globex", mrr: 2, externalId: "globex" });
  expect(await row()).toMatchObject({ name: "Globex", mrr: 2, externalId: "globex", score: 100 });
  pass(30 * 86_400_000 - 1);
  expect(await row()).toMatchObject({ score: 40, tier: "at_risk" });
  pass(1);
  expect(await row()).toMatchObject({ score: 20, tier: "critical" });
  await change({ contactActivityAt: null });
  expect(await row()).toMatchObject({ score: null, tier: null, coverage: 0 });
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
