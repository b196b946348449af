import { expect, test } from "bun:test";
import { publicPaths } from "../../src/http/guard/route-table.ts";
import { world } from "../support/world.ts";
import { accountCases } from "./accounts.ts";
import { batchCases } from "./batches.ts";
import { type Case, isolationWorld } from "./isolation-world.ts";
import { keyCases } from "./keys.ts";
import { casesOf, requestCases } from "./resources.ts";
import { usageCases } from "./usage.ts";
import { webhookCases } from "./webhooks.ts";

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
  ...webhookCases,
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

/** Runs the cases of routes one after the other in a new world. */
async function checkInWorld(routes: readonly [string, Case][]): Promise<void> {
  const here = await isolationWorld();
  const before = replies ?? (await here.theirReplies());
  replies = before;
  const rows = await here.rowsOf("theirs");
  for (const text of [before, rows]) expect(text).toContain("ada@x.io");
  for (const [route, check] of routes) {
    await check(here).catch((error: unknown) => {
      throw new Error(route, { cause: error });
    });
    expect([route, await here.rowsOf("theirs")]).toEqual([route, rows]);
  }
  expect(await here.theirReplies()).toBe(before);
}

const isRead = ([route]: [string, Case]) => route.startsWith("GET ");

test("in reads, rows of another organization behave as not found, and do not change", () =>
  checkInWorld(Object.entries(cases).filter(isRead)));

for (const [route, check] of Object.entries(cases).filter((one) => !isRead(one)))
  test(`${route}: rows of another organization behave as not found, and do not change`, () =>
    checkInWorld([[route, check]]));

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
