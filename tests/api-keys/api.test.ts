import { expect, test } from "bun:test";
import type { Scope } from "../../src/core/tenant/scopes.ts";
import type { LimitSettings } from "../../src/http/guard/admission.ts";
import { storeKey } from "../support/keys.ts";
import { type Body, beginningText, world } from "../support/world.ts";

const path = "/api/v1/keys";
const accounts = "/api/v1/accounts";
const keyForm = /^ak_[0-9A-Za-z]{36}$/;

async function keyWorld(limits?: LimitSettings) {
  const here = await world(limits ? { limits } : {});
  const { call, engine, first } = here;
  return {
    ...here,
    create: (body: unknown, key = first.key) => call("POST", path, body, { key }),
    async keyWith(scopes: readonly Scope[]) {
      return (await storeKey(engine, { organizationId: first.id, name: "", expiresAt: null, scopes })).secret;
    },
    list: async (query = "") => (await call("GET", path + query)).body,
    statusOf: async (key: string, method = "GET", body?: Body) =>
      (await call(method, accounts, body, { key })).status,
  };
}

test("POST creates a key, returns it once, and it is valid at once with its scopes only", async () => {
  const { create, list, statusOf, rows, first } = await keyWorld();
  const reply = await create({ name: "import", scopes: ["write", "read", "read"], expiresAt: "2026-01-03" });
  const { key, ...stored } = reply.body.data;
  expect([reply.status, reply.headers.get("location")]).toEqual([201, `${path}/${stored.id}`]);
  expect(key).toMatch(keyForm);
  expect(stored).toEqual({
    id: expect.any(Number),
    name: "import",
    lastFour: key.slice(-4),
    scopes: ["read", "write"],
    rateLimit: null,
    createdAt: beginningText,
    expiresAt: "2026-01-03T00:00:00.000Z",
    revokedAt: null,
    lastUsedAt: null,
  });
  expect((await list()).data[1]).toEqual(stored);
  expect([await statusOf(key), await statusOf(key, "POST", { name: "Acme" })]).toEqual([200, 201]);
  expect(await rows("SELECT name, organization_id FROM api_keys WHERE id = ?", stored.id)).toEqual([
    { name: "import", organization_id: first.id },
  ]);
});

test("scopes are read, write and events by default; expiresAt null and absent mean never", async () => {
  const { create } = await keyWorld();
  for (const body of [{ name: "a" }, { name: "a", expiresAt: null }])
    expect((await create(body)).body.data).toMatchObject({
      scopes: ["read", "write", "events"],
      expiresAt: null,
    });
});

test("a key creates no key with a scope that it lacks, also by default", async () => {
  const { create, keyWith, list } = await keyWorld();
  const admin = await keyWith(["admin", "read"]);
  for (const [body, names] of [
    [{ name: "a", scopes: ["write"] }, "scope `write`"],
    [{ name: "a", scopes: ["admin", "events", "write"] }, "scopes `events` and `write`"],
    [{ name: "a" }, "scopes `write` and `events`"],
  ] as const) {
    const reply = await create(body, admin);
    expect([reply.status, reply.body.code]).toEqual([403, "insufficient_scope"]);
    expect(reply.body.detail).toBe(`Use a key with the ${names}.`);
  }
  expect((await list()).pagination.total).toBe(2);
  expect((await create({ name: "a", scopes: ["read"] }, admin)).status).toBe(201);
  const { key } = (await create({ name: "a", scopes: ["admin"] }, admin)).body.data;
  expect((await create({ name: "b", scopes: ["read"] }, key)).status).toBe(403);
  expect((await create({ name: "b", scopes: ["admin"] }, key)).status).toBe(201);
});

const rejected: [body: unknown, pointer: string, code: string][] = [
  [{}, "/name", "required"],
  [{ name: null }, "/name", "wrong_type"],
  [{ name: "" }, "/name", "too_short"],
  [{ name: " " }, "/name", "blank"],
  [{ name: "x".repeat(256) }, "/name", "too_long"],
  [{ name: "a\u001b[31m" }, "/name", "not_allowed"],
  [{ name: "a\nb" }, "/name", "not_allowed"],
  ['{"name":"a\\u0000"}', "/name", "ill_formed_text"],
  ['{"name":"a\\ud800"}', "/name", "ill_formed_text"],
  [{ name: "a", scopes: null }, "/scopes", "wrong_type"],
  [{ name: "a", scopes: "read" }, "/scopes", "wrong_type"],
  [{ name: "a", scopes: { 0: "read", length: 1 } }, "/scopes", "wrong_type"],
  [{ name: "a", scopes: [] }, "/scopes", "too_short"],
  [{ name: "a", scopes: new Array(5).fill("read") }, "/scopes", "too_many"],
  [{ name: "a", scopes: ["read", "all"] }, "/scopes/1", "not_allowed"],
  [{ name: "a", scopes: ["constructor"] }, "/scopes/0", "not_allowed"],
  [{ name: "a", scopes: ["read,admin"] }, "/scopes/0", "not_allowed"],
  [{ name: "a", scopes: [["read"]] }, "/scopes/0", "not_allowed"],
  [{ name: "a", rateLimit: 0 }, "/rateLimit", "out_of_range"],
  [{ name: "a", rateLimit: 1_000_001 }, "/rateLimit", "out_of_range"],
  [{ name: "a", rateLimit: 1.5 }, "/rateLimit", "wrong_type"],
  [{ name: "a", rateLimit: "600" }, "/rateLimit", "wrong_type"],
  [{ name: "a", expiresAt: "soon" }, "/expiresAt", "invalid_timestamp"],
  [{ name: "a", expiresAt: 1 }, "/expiresAt", "wrong_type"],
  [{ name: "a", expiresAt: "2026-01-02T03:04:05.678Z" }, "/expiresAt", "in_past"],
  [{ name: "a", expiresAt: "2020-01-01" }, "/expiresAt", "in_past"],
];
test("an invalid body is rejected with a pointer, and creates no key", async () => {
  const { create, list } = await keyWorld();
  for (const [body, pointer, code] of rejected) {
    const { status, body: problem } = await create(body);
    const errors = [{ pointer, code, detail: expect.stringMatching(/\w/) }];
    expect([body, status, problem.errors]).toEqual([body, 400, errors]);
  }
  expect((await list()).pagination.total).toBe(1);
});

test("unknown members are ignored, so that no caller sets the id, the organization or the hash", async () => {
  const { create, second, rows } = await keyWorld();
  const body = { name: "a", id: 99, organizationId: second.id, organization_id: second.id, hash: "x" };
  const { data } = (await create(body)).body;
  expect(data.id).not.toBe(99);
  expect(await rows("SELECT id FROM api_keys WHERE organization_id = ?", second.id)).toHaveLength(1);
  const strict = { prefer: "handling=strict" };
  const { call } = await keyWorld();
  expect((await call("POST", path, body, { headers: strict })).body.code).toBe("unknown_member");
});

test("GET lists the keys of the organization, oldest first, with pages, and never a key or its hash", async () => {
  const { create, call, list, pass, rows, first } = await keyWorld();
  for (const name of ["a", "b", "c"]) {
    pass(1);
    await create({ name });
  }
  const names = (body: Body) => (body.data as Body[]).map(({ name }) => name);
  expect(names(await list())).toEqual(["test", "a", "b", "c"]);
  expect(names(await list("?sortOrder=desc&pageSize=3&sortBy=createdAt"))).toEqual(["c", "b", "a"]);
  const second = await list("?page=2&pageSize=3");
  expect(names(second)).toEqual(["c"]);
  expect(second.pagination).toMatchObject({ total: 4, totalPages: 2 });
  const { text } = await call("GET", path);
  expect(text).not.toContain(first.key.slice(3, -4));
  for (const { hash } of await rows<{ hash: string }>("SELECT hash FROM api_keys"))
    expect(text).not.toContain(hash);
  expect((await call("GET", `${path}?page=x`)).status).toBe(400);
  expect((await call("GET", `${path}?scope=read`)).body.code).toBe("unknown_parameter");
});

test("GET with a cursor reads every key once, and a cursor of another organization is invalid", async () => {
  const { create, list, call, second } = await keyWorld();
  for (const name of ["a", "b"]) await create({ name });
  const page = await list("?cursor=&pageSize=2");
  const { nextCursor } = page.pagination;
  const rest = await call("GET", `${path}?cursor=${nextCursor}&pageSize=2`);
  const names = [...page.data, ...rest.body.data].map(({ name }: Body) => name);
  expect([names, rest.body.pagination.nextCursor]).toEqual([["test", "a", "b"], null]);
  expect(rest.headers.get("link")).toBe(`<${path}?pageSize=2&cursor=>; rel="first"`);
  const foreign = await call("GET", `${path}?cursor=${nextCursor}`, undefined, { key: second.key });
  expect([foreign.status, foreign.body.code]).toEqual([400, "invalid_cursor"]);
});

test("GET by id returns a key as the list has it", async () => {
  const { create, call, list } = await keyWorld();
  const { id } = (await create({ name: "a" })).body.data;
  expect((await call("GET", `${path}/${id}`)).body.data).toEqual((await list()).data[1]);
  for (const missing of ["0", "999999", "9007199254740991"])
    expect((await call("GET", `${path}/${missing}`)).body.detail).toBe(
      "There is no key with this id in your organization.",
    );
  for (const invalid of ["x", "-1", "01", "1e3"])
    for (const method of ["GET", "DELETE"])
      expect((await call(method, `${path}/${invalid}`)).status).toBe(400);
});

test("DELETE revokes a key at once; the list keeps it, and a second DELETE changes nothing", async () => {
  const { create, call, list, statusOf, pass } = await keyWorld();
  const { id, key } = (await create({ name: "a" })).body.data;
  expect(await statusOf(key)).toBe(200);
  const reply = await call("DELETE", `${path}/${id}`);
  expect([reply.status, reply.text]).toEqual([204, ""]);
  expect(await statusOf(key)).toBe(401);
  pass(1000);
  expect((await call("DELETE", `${path}/${id}`)).status).toBe(204);
  expect((await list()).data[1]).toMatchObject({ id, revokedAt: beginningText });
  expect((await call("DELETE", `${path}/999999`)).status).toBe(404);
});

test("a key can revoke itself; then it is unauthorized", async () => {
  const { call, list, first } = await keyWorld();
  const [{ id }] = (await list()).data;
  expect((await call("DELETE", `${path}/${id}`)).status).toBe(204);
  expect((await call("GET", path, undefined, { key: first.key })).status).toBe(401);
});
