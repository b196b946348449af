import { expect, test } from "bun:test";
import { publicPaths } from "../../src/http/guard/route-table.ts";
import { world } from "../support/world.ts";
import { accountCases } from "./accounts.ts";
import { batchCases } from "./batches.ts";
import { type Case, isolationWorld } from "./isolation-world.ts";
import { keyCases } from "./keys.ts";
import { casesOf, requestCases } from "./resources.ts";
import { usageCases } from "./usage.ts";

/** The test fails for a route without a case. */
const cases: Record<string, Case> = {
  ...accountCases,
  ...casesOf("contacts"),
  ...casesOf("meetings"),
  ...casesOf("requests"),
  ...requestCases,
  ...usageCases,
  ...batchCases,
  ...keyCases,
};

test("every route that needs a key has an isolation case", async () => {
  const { app } = await world();
  const routes = app.routes
    .filter(({ path }) => !publicPaths.has(path))
    .map(({ method, path }) => `${method} ${path}`);
  expect(routes.length).toBeGreaterThan(30);
  expect(routes.toSorted()).toEqual(Object.keys(cases).toSorted());
});

/** The replies to reads of the owner of `theirs`, which are the same in each new world. */
let replies: string | undefined;

for (const [route, check] of Object.entries(cases)) {
  test(`${route}: rows of another organization behave as not found, and do not change`, async () => {
    const here = await isolationWorld();
    replies ??= await here.theirReplies();
    const before = [replies, await here.rowsOf("theirs")];
    expect(before.join()).toContain("ada@x.io");
    await check(here);
    expect([await here.theirReplies(), await here.rowsOf("theirs")]).toEqual(before);
  });
}

test("pages, totals and ids are those of the organization, also with concurrent writes of another one", async () => {
  const { call, account, first, second } = await world();
  async function fill(key: string, i: number): Promise<void> {
    const { id } = await account({ name: `A ${i}` }, { key });
    await call("POST", `/api/v1/accounts/${id}/requests`, { title: `R ${i}` }, { key });
  }
  await Promise.all(Array.from({ length: 40 }, (_, i) => fill(i % 2 ? first.key : second.key, i)));
  for (const path of ["/api/v1/accounts", "/api/v1/requests"]) {
    const ids = async (key: string): Promise<number[]> => {
      const { data, pagination } = (await call("GET", `${path}?pageSize=100`, undefined, { key })).body;
      expect(pagination.total).toBe(20);
      return data.map(({ id }: { id: number }) => id);
    };
    const both = [...(await ids(first.key)), ...(await ids(second.key))];
    expect(new Set(both).size).toBe(40);
  }
});
