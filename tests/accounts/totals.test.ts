import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

async function totalsWorld() {
  const here = await world();
  const rows = [
    ...[{ name: "Acme", mrr: 100.1, status: "active", attributes: { plan: "pro", seats: 5 } }],
    ...[{ name: "Acorn", mrr: 0.2, status: "churned", attributes: { plan: "pro" } }],
    ...[{ name: "Globex", mrr: -3, status: "onboarding", attributes: { plan: "team" } }],
    ...[{ name: "Initech", mrr: 7, status: "active" }],
  ];
  for (const row of rows) await here.account(row);
  const totals = async (query: string, options = {}) => {
    const reply = await here.call("GET", `/api/v1/accounts?${query}`, undefined, options);
    return reply.status === 200 ? reply.body.totals : reply.body;
  };
  return { ...here, totals };
}

test("include=totals: the number and the revenue of all accounts that match the filters, whatever the page", async () => {
  const { totals, call } = await totalsWorld();
  const all = { accounts: 4, mrr: 104.3 };
  const cases: [string, object][] = [
    ["include=totals", all],
    ["include=totals&pageSize=1&page=3", all],
    ["include=totals&page=9", all],
    ["include=status,totals&cursor=&pageSize=2", all],
    ["include=totals&sortBy=attributes.seats", all],
    ["include=totals&sortBy=contactActivityAt", all],
    ["include=totals&fields=name", all],
    ["include=totals&status=active,onboarding", { accounts: 3, mrr: 104.1 }],
    ["include=totals&search=ac&sortBy=mrr", { accounts: 2, mrr: 100.3 }],
    ["include=totals&search=ac&status=churned", { accounts: 1, mrr: 0.2 }],
    ["include=totals&mrr[gte]=0&mrr[lt]=100", { accounts: 2, mrr: 7.2 }],
    ["include=totals&attributes.plan=pro", { accounts: 2, mrr: 100.3 }],
    ["include=totals&attributes.plan=pro&attributes.seats[gte]=1&sortBy=mrr", { accounts: 1, mrr: 100.1 }],
    ["include=totals&tier=none", all],
    ["include=totals&search=nothing", { accounts: 0, mrr: 0 }],
    ["include=totals&attributes.absent=1", { accounts: 0, mrr: 0 }],
  ];
  for (const [query, expected] of cases) expect([query, await totals(query)]).toEqual([query, expected]);
  const { data, pagination } = (await call("GET", "/api/v1/accounts?include=totals&pageSize=2")).body;
  expect([data.length, pagination.total, Object.keys(data[0]).includes("totals")]).toEqual([2, 4, false]);
});

test("a list without include=totals has none, and the totals of an organization without accounts are 0", async () => {
  const { totals, second } = await totalsWorld();
  expect(await totals("include=status")).toBeUndefined();
  expect(await totals("include=totals", { key: second.key })).toEqual({ accounts: 0, mrr: 0 });
});

test("one account has no totals to include", async () => {
  const { call } = await totalsWorld();
  for (const [method, path] of [
    ["GET", "/api/v1/accounts/1"],
    ["PATCH", "/api/v1/accounts/1"],
  ] as const)
    expect(
      (await call(method, `${path}?include=totals`, method === "PATCH" ? {} : undefined)).body,
    ).toMatchObject({
      ...{ status: 400, errors: [{ parameter: "include", code: "not_allowed" }] },
    });
});
