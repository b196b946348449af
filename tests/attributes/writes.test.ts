import { describe, expect, test } from "bun:test";
import type { Body } from "../support/world.ts";
import { accounts, attributeWorld, resources } from "./attribute-world.ts";

const names = (count: number, prefix = "a") =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, i]));

describe.each([...resources])("$resource", (resource) => {
  const { noun, rows } = resource;

  test("a create stores strings, numbers and booleans; the reply has them sorted by name", async () => {
    const { create, attributesOf, stored } = await attributeWorld(resource);
    const attributes = {
      plan: "pro ✓ \"'\\",
      seats: 25.5,
      trial: false,
      empty: "",
      zero: -0,
      big: 1e21,
      constructor: "a",
      toString: 5,
      hasOwnProperty: true,
      long: "😀".repeat(500),
    };
    const id = await create(attributes);
    const read = await attributesOf(id);
    expect(read).toEqual({ ...attributes, zero: 0 });
    expect(Object.keys(read)).toEqual(Object.keys(attributes).toSorted());
    const { values, names } = await stored();
    expect([values.length, names.length]).toEqual([10, 10]);
    expect(names).toContain(`${noun} toString number 1`);
    expect(names).toContain(`${noun} trial boolean 1`);
  });

  test("a row without attributes has an empty object; null in a create is ignored", async () => {
    const { create, attributesOf, stored } = await attributeWorld(resource);
    const id = await create({ plan: null });
    expect(await attributesOf(id)).toEqual({});
    expect(await stored()).toEqual({ values: [], names: [] });
  });

  test("PATCH merges: it sets and replaces members, null removes one, and the others stay", async () => {
    const { create, patch, attributesOf, stored } = await attributeWorld(resource);
    const id = await create({ plan: "pro", seats: 5, owner: "ada" });
    const reply = await patch(id, { plan: "team", owner: null, trial: true, other: null });
    expect([reply.status, reply.body.data.attributes]).toEqual([
      200,
      { plan: "team", seats: 5, trial: true },
    ]);
    expect(await attributesOf(id)).toEqual({ plan: "team", seats: 5, trial: true });
    expect((await stored()).names).toEqual([
      `${noun} plan string 1`,
      `${noun} seats number 1`,
      `${noun} trial boolean 1`,
    ]);
  });

  test("a PATCH without a difference changes nothing: not updatedAt, not the change feed", async () => {
    const { create, patch, row, pass, send } = await attributeWorld(resource);
    const id = await create({ b: 1, a: "x" });
    const [before, changes] = [await row(id), (await send("GET", "/api/v1/changes")).length];
    pass(1000);
    for (const attributes of [{}, { a: "x" }, { a: "x", b: 1.0 }, { c: null }])
      expect((await patch(id, attributes)).status).toBe(200);
    expect(await row(id)).toEqual(before);
    expect(await send("GET", "/api/v1/changes")).toHaveLength(changes);
  });

  test("PUT by external id merges too, and creates a row with attributes", async () => {
    const { send } = await attributeWorld(resource);
    const path = `${rows}/external/x${resource.query}`;
    const reference = noun === "contact" ? { accountId: 1 } : {};
    const put = (attributes: Body) => send("PUT", path, { name: "Row", ...reference, attributes });
    expect((await put({ plan: "pro", seats: 1 })).attributes).toEqual({ plan: "pro", seats: 1 });
    expect((await put({ seats: null, trial: true })).attributes).toEqual({ plan: "pro", trial: true });
  });

  test("attributes that are no object of valid names and values are 400", async () => {
    const { tryCreate, stored } = await attributeWorld(resource);
    for (const [attributes, pointer, code] of [
      [5, "/attributes", "wrong_type"],
      [[], "/attributes", "wrong_type"],
      [null, "/attributes", "wrong_type"],
      [{ a: [] }, "/attributes/a", "wrong_type"],
      [{ a: {} }, "/attributes/a", "wrong_type"],
      [{ a: "😀".repeat(501) }, "/attributes/a", "too_long"],
      [{ "": 1 }, "/attributes", "not_allowed"],
      [{ "1a": 1 }, "/attributes", "not_allowed"],
      [{ _a: 1 }, "/attributes", "not_allowed"],
      [{ "a.b": 1 }, "/attributes", "not_allowed"],
      [{ é: 1 }, "/attributes", "not_allowed"],
      [{ ["a".repeat(65)]: 1 }, "/attributes", "not_allowed"],
      [names(51), "/attributes", "too_many"],
    ] as const) {
      const { status, body } = await tryCreate(attributes);
      const errors = [{ pointer, code, detail: expect.any(String) }];
      expect([attributes, status, body.code, body.errors]).toEqual([
        ...[attributes, 400, "invalid_request", errors],
      ]);
    }
    expect(await stored()).toEqual({ values: [], names: [] });
  });

  test("a number that JSON cannot store and the name __proto__ are 400", async () => {
    const { call } = await attributeWorld(resource);
    for (const attributes of ['{"a":1e999}', '{"__proto__":1}', '{"__proto__":{"a":1}}']) {
      const reply = await call("POST", resource.newRows, `{"name":"Row","attributes":${attributes}}`);
      expect([attributes, reply.status]).toEqual([attributes, 400]);
    }
  });

  test("every invalid member has an error, at most 20 of them", async () => {
    const { tryCreate } = await attributeWorld(resource);
    const { errors } = (await tryCreate({ a: [], b: {}, "c d": 1, e: 1 })).body;
    expect(errors.map(({ pointer }: Body) => pointer)).toEqual([
      "/attributes/a",
      "/attributes/b",
      "/attributes",
    ]);
    const many = Object.fromEntries(Object.keys(names(40)).map((name) => [name, []]));
    expect((await tryCreate(many)).body.errors).toHaveLength(20);
  });

  test("a row has at most 50 attributes after merging; a removed one makes room", async () => {
    const { create, patch, attributesOf } = await attributeWorld(resource);
    const id = await create(names(50));
    const reply = await patch(id, { more: 1 });
    expect([reply.status, reply.body.errors]).toEqual([
      400,
      [{ pointer: "/attributes", code: "too_many", detail: expect.stringContaining("at most 50") }],
    ]);
    expect((await patch(id, { more: 1, a0: null })).status).toBe(200);
    expect(Object.keys(await attributesOf(id))).toHaveLength(50);
  });

  test("the rows of a resource have at most 1,000 names together; a removed one makes room", async () => {
    const { create, tryCreate, call } = await attributeWorld(resource);
    const ids: number[] = [];
    for (let i = 0; i < 20; i += 1) ids.push(await create(names(50, `of${i}_`)));
    const reply = await tryCreate({ of0_0: 1, more: 1 });
    expect([reply.status, reply.body.errors]).toEqual([
      400,
      [{ pointer: "/attributes/more", code: "too_many", detail: expect.stringContaining("1000 names") }],
    ]);
    const path = resource.resource === "accounts" ? rows : `${accounts}/1/contacts`;
    const operations = [
      { method: "PATCH", path: `${rows}/${ids[0]}`, body: { attributes: { of0_0: null } } },
      { method: "POST", path, body: { name: "Row", attributes: { more: 1 } } },
      { method: "POST", path, body: { name: "Row", attributes: { further: 1 } } },
    ];
    const { data } = (await call("POST", "/api/v1/batch", { mode: "partial", operations })).body;
    expect(data.results.map(({ status }: Body) => status)).toEqual([200, 201, 400]);
    expect((await tryCreate({ more: 2, of2_0: 1 })).status).toBe(201);
  });

  test("a name has one type while any row has it: 400 attribute_type_conflict with the pointer and the type", async () => {
    const { create, tryCreate, patch, remove, attributesOf, stored } = await attributeWorld(resource);
    const [first, second] = [await create({ plan: "pro" }), await create({ plan: "team", seats: 5 })];
    const reply = await tryCreate({ plan: 5, seats: "5", other: 1 });
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.objectContaining({
        code: "attribute_type_conflict",
        errors: [
          {
            pointer: "/attributes/plan",
            code: "attribute_type_conflict",
            detail: expect.stringContaining("a string"),
          },
          {
            pointer: "/attributes/seats",
            code: "attribute_type_conflict",
            detail: expect.stringContaining("a number"),
          },
        ],
      }),
    ]);
    // Another row has the name.
    expect((await patch(first, { plan: true })).body.code).toBe("attribute_type_conflict");
    expect(await attributesOf(first)).toEqual({ plan: "pro" });
    await remove(second);
    // The only row with the name may change its type.
    expect((await patch(first, { plan: true })).status).toBe(200);
    expect((await stored()).names).toEqual([`${noun} plan boolean 1`]);
    expect((await patch(first, { plan: null })).status).toBe(200);
    expect(await stored()).toEqual({ values: [], names: [] });
    await create({ plan: 5 });
  });

  test("the types of another organization, and of the other resource, are independent", async () => {
    const here = await attributeWorld(resource);
    await here.create({ plan: "pro" });
    const options = { key: here.second.key };
    const theirs = await here.account({ name: "Theirs", attributes: { plan: 5 } }, options);
    await here.send(
      "POST",
      `${accounts}/${theirs.id}/contacts`,
      { name: "T", attributes: { plan: true } },
      options,
    );
    const other = noun === "account" ? `${accounts}/1/contacts` : accounts;
    await here.send("POST", other, { name: "Other", attributes: { plan: 5 } });
  });

  test("the change feed has all attributes of a new and of a deleted row, and only those that an update changed", async () => {
    const { create, patch, remove, send } = await attributeWorld(resource);
    const id = await create({ plan: "pro", seats: 5 });
    await patch(id, { plan: "team", trial: true, seats: 5 });
    await patch(id, { plan: null });
    await remove(id);
    const changes = (await send("GET", `/api/v1/changes?resource=${noun}`)).slice(-4);
    expect(
      changes.map(({ before, after }: Body & Record<"before" | "after", Body | null>) => [
        before?.attributes,
        after?.attributes,
      ]),
    ).toEqual([
      [undefined, { plan: "pro", seats: 5 }],
      [
        { plan: "pro", trial: null },
        { plan: "team", trial: true },
      ],
      [{ plan: "team" }, { plan: null }],
      [{ seats: 5, trial: true }, undefined],
    ]);
  });

  test("a dry run and a failed operation of a batch store nothing, and do not count as a use of a type", async () => {
    const { send, call, stored } = await attributeWorld(resource);
    const body = { name: "Row", attributes: { plan: "pro" } };
    await send("POST", `${resource.newRows}?dryRun=true`, body);
    expect(await stored()).toEqual({ values: [], names: [] });
    const operation = (attributes: Body, externalId: string) => ({
      method: "POST",
      path: resource.newRows,
      body: { ...body, attributes, externalId },
    });
    const { data } = (
      await call("POST", "/api/v1/batch", {
        mode: "partial",
        operations: [
          operation({ plan: "pro" }, "one"),
          operation({ plan: 5, new: 5 }, "two"),
          operation({ plan: "team", new: "text" }, "one"),
          operation({ plan: "team", new: "text" }, "three"),
          operation({ new: 1 }, "four"),
        ],
      })
    ).body;
    expect(data.results.map(({ status }: { status: number }) => status)).toEqual([201, 400, 409, 201, 400]);
    expect((await stored()).names).toEqual([`${noun} new string 1`, `${noun} plan string 2`]);
  });
});

test("the delete of an account removes its attributes and those of its contacts", async () => {
  const { send, account, stored, faults } = await attributeWorld(resources[0]);
  const { id } = await account({ name: "Acme", attributes: { plan: "pro" } });
  await account({ name: "Globex", attributes: { plan: "pro" } });
  for (const name of ["Ada", "Bob"])
    await send("POST", `${accounts}/${id}/contacts`, { name, attributes: { role: name } });
  await send("POST", `${accounts}/1/contacts`, { name: "Carl", attributes: { role: "Carl" } });
  await send("DELETE", `${accounts}/${id}`);
  expect((await stored()).names).toEqual(["account plan string 1", "contact role string 1"]);
  expect(await faults(0)).toEqual([]);
});
