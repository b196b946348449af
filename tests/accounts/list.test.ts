import { expect, test } from "bun:test";
import { beginningText, world } from "../support/world.ts";

const path = "/api/v1/accounts";
type Listed = { id: number; name: string; externalId: string | null };

test("GET returns a page of accounts of the organization, without contacts, meetings and requests", async () => {
  const { call, account, second } = await world();
  await account({ name: "Acme", externalId: "acme", mrr: 5, contactName: "Ada" });
  await account({ name: "Theirs" }, { key: second.key });
  const reply = await call("GET", path);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: [
      {
        id: 1,
        name: "Acme",
        externalId: "acme",
        mrr: 5,
        active: true,
        churned: false,
        onboarding: false,
        logoUrl: null,
        createdAt: beginningText,
        updatedAt: beginningText,
      },
    ],
    pagination: { page: 1, pageSize: 25, total: 1, totalPages: 1, hasNextPage: false, hasPrevPage: false },
  });
});

test("name sorts by its case-folded form", async () => {
  const { call, account } = await world();
  for (const name of ["b", "A", "C", "a", "B", "Straße", "STRASSE a", "strasse"]) await account({ name });
  const names = (await call("GET", path)).body.data.map(({ name }: Listed) => name);
  expect(names).toEqual(["A", "a", "b", "B", "C", "Straße", "strasse", "STRASSE a"]);
});

test("externalId is an exact match that returns the account with it", async () => {
  const { call, account, second } = await world();
  const stored = ["acme", "Acme", "acme-2", "100%", " acme", "é", "e\u0301"];
  for (const externalId of stored) await account({ name: "Acme", externalId });
  await account({ name: "Theirs", externalId: "theirs" }, { key: second.key });
  const externalIds = async (externalId: string) => {
    const { data, pagination } = (await call("GET", `${path}?externalId=${encodeURIComponent(externalId)}`))
      .body;
    expect(pagination.total).toBe(data.length);
    return data.map(({ externalId }: Listed) => externalId);
  };
  for (const externalId of stored) expect(await externalIds(externalId)).toEqual([externalId]);
  for (const externalId of ["ACME", "acme-", "", "theirs", "acme "])
    expect(await externalIds(externalId)).toEqual([]);
  expect((await call("GET", `${path}?externalId=acme&page=2`)).body.pagination.total).toBe(1);
});

test("deep pages of a long list have all rows in order, in every order and status", async () => {
  const { call } = await world();
  const statuses = ["active", "onboarding", "churned"];
  const count = 3_300;
  for (let from = 0; from < count; from += 300)
    await call("POST", "/api/v1/accounts/batch", {
      accounts: Array.from({ length: 300 }, (_, j) => from + j).map((i) => ({
        ...{ externalId: `${i}`, name: `Acme ${i % 70}`, mrr: i % 11, status: statuses[i % 3] },
      })),
    });
  type Row = { id: number; name: string; mrr: number };
  const byName = (a: Row, b: Row) => (a.name < b.name ? -1 : 1);
  const orders: [query: string, rows: number, compare: (a: Row, b: Row) => number][] = [
    ["sortBy=name", count, (a, b) => (a.name === b.name ? a.id - b.id : byName(a, b))],
    ["sortBy=mrr&sortOrder=desc", count, (a, b) => b.mrr - a.mrr || b.id - a.id],
    ["sortBy=createdAt&status=churned", count / 3, (a, b) => a.id - b.id],
  ];
  for (const [query, length, compare] of orders) {
    const rows: Row[] = [];
    for (let page = 1, isMore = true; isMore; page += 1) {
      const { body } = await call("GET", `/api/v1/accounts?${query}&pageSize=100&page=${page}`);
      rows.push(...body.data);
      isMore = body.pagination.hasNextPage;
    }
    expect(new Set(rows.map(({ id }) => id)).size).toBe(length);
    expect(rows).toEqual(rows.toSorted(compare));
    if (query.includes("status")) continue;
    // So many matches for so small pages that they are read in the order of the page.
    for (const page of [1, 2, 3]) {
      const { data, pagination } = (
        await call("GET", `/api/v1/accounts?${query}&search=ACME&pageSize=3&page=${page}`)
      ).body;
      expect(data).toEqual(rows.slice(3 * page - 3, 3 * page));
      expect(pagination.total).toBe(length);
    }
  }
});
