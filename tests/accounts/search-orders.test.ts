import { expect, test } from "bun:test";
import { accountResource } from "../../src/accounts/resource.ts";
import { Random } from "../support/random.ts";
import { type Body, world } from "../support/world.ts";

const orders = ["mrr", "createdAt", "updatedAt"].flatMap((sortBy) =>
  ["asc", "desc"].map((sortOrder) => ({ sortBy, sortOrder })),
);

/** 2,600 accounts, of which 1,300 match "group", with few different values in each order. */
async function manyMatches() {
  const here = await world();
  const random = new Random(1);
  await here.tenant().write(async (tx) => {
    for (let i = 0; i < 2_600; i += 1) {
      const name = `${i % 2 === 0 ? "Group" : "Other"} ${random.below(500)}`;
      const status = random.of(["active", "active", "churned"] as const);
      await accountResource.insert(tx, { name, mrr: random.below(40), status });
    }
  });
  for (let i = 1; i <= 40; i += 1) {
    here.pass(1_000);
    await here.call("PATCH", `/api/v1/accounts/${1 + random.below(2_600)}`, { mrr: 50 + i });
  }
  const all: Body[] = [];
  for (let page = 1; page <= 26; page += 1)
    all.push(...(await here.call("GET", `/api/v1/accounts?pageSize=100&page=${page}`)).body.data);
  return { ...here, groups: all.filter(({ name }) => String(name).startsWith("Group")) };
}

test("a search with more than 1,000 matches has every order, on the first and the last pages", async () => {
  const { call, groups } = await manyMatches();
  expect(groups).toHaveLength(1_300);
  for (const { sortBy, sortOrder } of orders) {
    const sign = sortOrder === "asc" ? 1 : -1;
    const sorted = groups.toSorted((a, b) => {
      const [one, other] = [a[sortBy] ?? "", b[sortBy] ?? ""];
      const byValue = one < other ? -1 : Number(one > other);
      return sign * (byValue || Number(a.id) - Number(b.id));
    });
    for (const page of [1, 2, 7, 25, 26, 27]) {
      const query = `search=GROUP&sortBy=${sortBy}&sortOrder=${sortOrder}&pageSize=50&page=${page}`;
      const { data, pagination } = (await call("GET", `/api/v1/accounts?${query}`)).body;
      expect([query, pagination.total]).toEqual([query, 1_300]);
      expect(data).toEqual(sorted.slice((page - 1) * 50, page * 50));
    }
  }
});
