import { describe, expect, test } from "bun:test";
import type { Body } from "../support/world.ts";
import { attributeWorld, resources } from "./attribute-world.ts";

describe.each([...resources])("$resource", (resource) => {
  async function filteredWorld() {
    const here = await attributeWorld(resource);
    await here.create({ seats: 5, trial: true, plan: "pro", note: "none" });
    const get = (query: string) => here.call("GET", `${resource.rows}?${query}`);
    return { ...here, get, total: async (query: string) => (await get(query)).body.pagination.total };
  }

  test("a filter or an order with an invalid value is 400 with the parameter", async () => {
    const { get } = await filteredWorld();
    for (const [query, parameter, code] of [
      ["attributes.seats=five", "attributes.seats", "wrong_type"],
      ["attributes.seats=", "attributes.seats", "wrong_type"],
      ["attributes.seats[gt]=1e999", "attributes.seats[gt]", "wrong_type"],
      ["attributes.seats[gt]=none", "attributes.seats[gt]", "wrong_type"],
      ["attributes.seats[in]=1,x", "attributes.seats[in]", "wrong_type"],
      ["attributes.seats[contains]=5", "attributes.seats[contains]", "not_allowed"],
      ["attributes.trial[ieq]=TRUE", "attributes.trial[ieq]", "not_allowed"],
      ["attributes.plan[ieq]=a&attributes.plan%5Bieq%5D=b", "attributes.plan[ieq]", "repeated"],
      ["attributes.trial=1", "attributes.trial", "wrong_type"],
      ["attributes.trial[lt]=yes", "attributes.trial[lt]", "wrong_type"],
      [`attributes.plan[in]=${"a,".repeat(100)}`, "attributes.plan[in]", "too_many"],
      ["attributes.plan=a&attributes.plan=b", "attributes.plan", "repeated"],
      ["attributes.plan.ieq=a&attributes[plan][ieq]=b", "attributes[plan][ieq]", "repeated"],
      ["attributes.seats.gt=x", "attributes.seats.gt", "wrong_type"],
      ["attributes[seats][gt]=x", "attributes[seats][gt]", "wrong_type"],
      ["sortBy=attributes.", "sortBy", "not_allowed"],
      ["sortBy=attributes.a-b", "sortBy", "not_allowed"],
      ["sortBy=attributes", "sortBy", "not_allowed"],
    ] as const) {
      const { status, body } = await get(query);
      const errors = [{ parameter, code, detail: expect.any(String) }];
      expect([query, status, body.errors]).toEqual([query, 400, errors]);
    }
  });

  test("filters that contradict each other find no row", async () => {
    const { total } = await filteredWorld();
    for (const query of [
      "attributes.seats[gt]=5&attributes.seats[gte]=5",
      "attributes.trial=true&attributes.trial[in]=false",
    ])
      expect([query, await total(query)]).toEqual([query, 0]);
  });

  test("filters by ten attributes are accepted, and those of an eleventh are 400", async () => {
    const { get } = await filteredWorld();
    const filters = Array.from({ length: 11 }, (_, i) => `attributes.n${i}[gt]=1&attributes.n${i}[lt]=3`);
    expect((await get(filters.slice(0, 10).join("&"))).body.data).toEqual([]);
    const { status, body } = await get(filters.join("&"));
    expect([status, body.errors.map(({ code }: Body) => code)]).toEqual([400, ["too_many"]]);
  });

  test("an unused name matches nothing; none matches the rows without it, and another operator with none nothing", async () => {
    const { total } = await filteredWorld();
    const all = await total("");
    expect(await total("attributes.unused=x")).toBe(0);
    expect(await total("attributes.unused[lt]=9")).toBe(0);
    expect(await total("attributes.unused=none")).toBe(all);
    expect(await total("attributes.seats=none")).toBe(all - 1);
    expect(await total("attributes.seats=none&attributes.seats[gt]=1")).toBe(0);
    // The text `none` is found by `in`.
    expect([await total("attributes.note=none"), await total("attributes.note[in]=none")]).toEqual([
      all - 1,
      1,
    ]);
  });

  test("names that every object has are names as others", async () => {
    const { create, total } = await filteredWorld();
    await create({ constructor: "a", toString: "b" });
    expect(await total("attributes.constructor=a&attributes.toString=b&sortBy=attributes.toString")).toBe(1);
    expect(await total("attributes.hasOwnProperty=a")).toBe(0);
  });

  test("a cursor is invalid for other filters by attributes, and after a change of the type", async () => {
    const { create, get, patch, remove } = await filteredWorld();
    const ids = [await create({ level: 1 }), await create({ level: 2 })];
    const sorted = "sortBy=attributes.level&pageSize=1";
    const cursor = (await get(`${sorted}&cursor=`)).body.pagination.nextCursor;
    expect((await get(`${sorted}&cursor=${cursor}`)).status).toBe(200);
    expect((await get(`${sorted}&attributes.seats=none&cursor=${cursor}`)).body.code).toBe("invalid_cursor");
    await remove(ids[1] ?? 0);
    await patch(ids[0] ?? 0, { level: "one" });
    expect((await get(`${sorted}&cursor=${cursor}`)).body.code).toBe("invalid_cursor");
  });

  test("a cursor does not depend on the order of the parameters", async () => {
    const { create, get } = await filteredWorld();
    for (const seats of [6, 7, 8]) await create({ seats, plan: "pro" });
    const parameters = ["attributes.seats[lt]=9", "attributes.plan=pro", "attributes.seats[gt]=5"];
    const query = (names: string[]) => `${names.join("&")}&sortBy=attributes.seats&pageSize=1`;
    const cursor = (await get(`${query(parameters)}&cursor=`)).body.pagination.nextCursor;
    const reply = await get(`${query(parameters.toReversed())}&cursor=${cursor}`);
    expect([reply.status, reply.body.data.length]).toEqual([200, 1]);
  });

  test("a cursor stays valid when no row has the attribute of the order any more", async () => {
    const { create, get, patch } = await filteredWorld();
    const ids = [await create({ level: 1 }), await create({ level: 2 })];
    const pageOf = async (order: string, cursor: string) =>
      (await get(`sortBy=attributes.level&sortOrder=${order}&pageSize=1&cursor=${cursor}`)).body;
    const ascending = (await pageOf("asc", "")).pagination.nextCursor;
    let descending = await pageOf("desc", "");
    while (descending.data[0].id !== ids[1])
      descending = await pageOf("desc", descending.pagination.nextCursor);
    for (const id of ids) await patch(id, { level: null });
    // Rows without the attribute follow the others in ascending order, and precede them in descending order.
    expect((await pageOf("asc", ascending)).data).toHaveLength(1);
    expect((await pageOf("desc", descending.pagination.nextCursor)).data).toEqual([]);
  });

  test("fields, include, search and status apply together with attributes", async () => {
    const { create, get } = await filteredWorld();
    await create({ plan: "pro" }, { name: "Zed" });
    const extra =
      resource.noun === "account"
        ? "&status=active&include=attributes&mrr[gte]=0"
        : "&updatedAt[gt]=2020-01-01";
    const { data, pagination } = (await get(`attributes.plan=pro&search=ze&sortBy=attributes.plan${extra}`))
      .body;
    expect(data).toMatchObject([{ name: "Zed", attributes: { plan: "pro" } }]);
    expect(pagination.total).toBe(1);
  });
});

test("the lists of meetings and requests, and of one account's contacts, are not filtered by the attributes of others", async () => {
  const { call, create, send } = await attributeWorld(resources[1]);
  for (const path of ["/api/v1/meetings", "/api/v1/requests"])
    expect((await call("GET", `${path}?attributes.plan=pro`)).body.code).toBe("unknown_parameter");
  await create({ plan: "pro" });
  const { id } = (await call("POST", "/api/v1/accounts", { name: "Other" })).body.data;
  await send("POST", `/api/v1/accounts/${id}/contacts`, { name: "Bob", attributes: { plan: "pro" } });
  const { data, pagination } = (
    await call("GET", `/api/v1/accounts/${id}/contacts?attributes.plan=pro&sortBy=attributes.plan`)
  ).body;
  expect([data.map(({ name }: Body) => name), pagination.total]).toEqual([["Bob"], 1]);
});
