import { expect, test } from "bun:test";
import { publicPaths } from "../src/http/paths.ts";
import { type Reply, world } from "./support/world.ts";

type World = Awaited<ReturnType<typeof world>>;
type Case = (here: World, theirs: number, key: string) => Promise<void>;

/** What each route must do when the key is another organization's. A route without a case fails below. */
const cases: Record<string, Case> = {
  "GET /api/v1/accounts": async ({ call }, _, key) => {
    for (const query of [
      "",
      "?search=theirs",
      "?externalId=theirs",
      "?status=active",
      "?sortBy=mrr&search=t",
    ]) {
      const { data, pagination } = (await call("GET", `/api/v1/accounts${query}`, undefined, { key })).body;
      expect(data).toEqual([]);
      expect(pagination.total).toBe(0);
    }
  },
  "GET /api/v1/accounts/:accountId": async ({ call }, theirs, key) => {
    await sameAsMissing((id) => call("GET", `/api/v1/accounts/${id}`, undefined, { key }), theirs);
  },
  "PATCH /api/v1/accounts/:accountId": async ({ call }, theirs, key) => {
    for (const change of [
      { name: "Mine" },
      { externalId: null },
      { status: "churned" },
      { externalId: "theirs" },
    ])
      await sameAsMissing((id) => call("PATCH", `/api/v1/accounts/${id}`, change, { key }), theirs);
    const refused = { unknown: 1 };
    const foreign = await call("PATCH", `/api/v1/accounts/${theirs}`, refused, { key });
    expect(foreign.text).toBe((await call("PATCH", "/api/v1/accounts/999999", refused, { key })).text);
  },
  "POST /api/v1/accounts": async ({ call }, _, key) => {
    const reply = await call("POST", "/api/v1/accounts", { name: "Mine", externalId: "theirs" }, { key });
    expect(reply.status).toBe(201);
    expect((await call("GET", "/api/v1/accounts", undefined, { key })).body.pagination.total).toBe(1);
  },
};

test("every route that needs a key has an isolation case", async () => {
  const { app } = await world();
  const routes = app.routes
    .filter(({ path }) => !publicPaths.has(path))
    .map(({ method, path }) => `${method} ${path}`);
  expect(routes.length).toBeGreaterThan(3);
  expect(routes.toSorted()).toEqual(Object.keys(cases).toSorted());
});

for (const [route, check] of Object.entries(cases)) {
  test(`${route}: an account of another organization behaves as not found`, async () => {
    const here = await world();
    const body = {
      name: "Theirs",
      externalId: "theirs",
      mrr: 7,
      contactName: "Ada",
      contactEmail: "ada@x.io",
    };
    const { id } = await here.account(body);
    const before = await whole(here, id);
    await check(here, id, here.second.key);
    expect(await whole(here, id)).toBe(before);
  });
}

test("an organization's pages, totals and ids are its own, also when two fill at once", async () => {
  const { call, account, first, second } = await world();
  const all = Array.from({ length: 40 }, (_, i) =>
    account({ name: `A ${i}` }, { key: i % 2 ? first.key : second.key }),
  );
  await Promise.all(all);
  const ids = async (key: string) =>
    (await call("GET", "/api/v1/accounts?pageSize=100", undefined, { key })).body.data.map(
      (one: { id: number }) => one.id,
    );
  const [ours, theirs] = [await ids(first.key), await ids(second.key)];
  expect([ours.length, theirs.length]).toEqual([20, 20]);
  expect(ours.filter((id: number) => theirs.includes(id))).toEqual([]);
});

/** Byte for byte the answer for a missing account; the request id is in a header alone. */
async function sameAsMissing(ask: (id: number) => Promise<Reply>, theirs: number): Promise<void> {
  const [foreign, missing] = [await ask(theirs), await ask(987_654_321)];
  expect([foreign.status, missing.status]).toEqual([404, 404]);
  expect(foreign.text).toBe(missing.text);
  expect(headersBut(foreign)).toEqual(headersBut(missing));
}

function headersBut({ headers }: Reply): [string, string][] {
  return [...headers].filter(([name]) => name !== "x-request-id");
}

async function whole({ call, first }: World, id: number): Promise<string> {
  const account = await call("GET", `/api/v1/accounts/${id}`, undefined, { key: first.key });
  const list = await call("GET", "/api/v1/accounts", undefined, { key: first.key });
  return account.text + list.text;
}
