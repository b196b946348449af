import { expect, test } from "bun:test";
import { type Body, world } from "../support/world.ts";

const contacts = "/api/v1/contacts";

async function userWorld() {
  const here = await world();
  await here.account({ name: "Acme", externalId: "acme" });
  await here.account({ name: "Globex", externalId: "globex" });
  const create = (body: Body, accountId = 1) =>
    here.call("POST", `/api/v1/accounts/${accountId}/contacts`, { name: "Ada", ...body });
  const conflict = {
    status: 409,
    code: "user_id_conflict",
    errors: [{ pointer: "/userId", code: "user_id_conflict", detail: "is in use by another contact" }],
  };
  return { ...here, create, conflict };
}

test("a contact is read by its userId, byte for byte, with an entity tag and fields", async () => {
  const { call, create } = await userWorld();
  const userId = "auth0|ü/7 %";
  const created = (await create({ userId })).body.data;
  expect(created).toMatchObject({ userId, externalId: null });
  const path = `${contacts}/user/${encodeURIComponent(userId)}`;
  const { body, headers } = await call("GET", path);
  expect(body.data).toEqual(created);
  const unchanged = { headers: { "if-none-match": headers.get("etag") ?? "" } };
  expect((await call("GET", path, undefined, unchanged)).status).toBe(304);
  expect((await call("GET", `${path}?fields=userId`)).body.data).toEqual({ id: created.id, userId });
  const missing = await call("GET", `${contacts}/user/AUTH0`);
  expect([missing.status, missing.body.detail]).toEqual([
    404,
    "There is no contact with this userId in your organization.",
  ]);
});

test("a userId is unique in the organization: every write of another one is 409 user_id_conflict", async () => {
  const { call, create, conflict, account, second } = await userWorld();
  await create({ userId: "u1", externalId: "one" });
  await create({ userId: "u2", externalId: "two" });
  expect((await create({ userId: "u1" }, 2)).body).toMatchObject(conflict);
  expect((await call("PATCH", `${contacts}/2`, { userId: "u1" })).body).toMatchObject(conflict);
  expect((await call("PUT", `${contacts}/external/two`, { userId: "u1" })).body).toMatchObject(conflict);
  const three = { name: "Eve", userId: "u1", accountExternalId: "globex" };
  expect((await call("PUT", `${contacts}/external/three`, three)).body).toMatchObject(conflict);
  const operations = [
    { method: "PATCH", path: `${contacts}/1`, body: { userId: null } },
    { method: "PATCH", path: `${contacts}/2`, body: { userId: "u1" } },
    { method: "POST", path: "/api/v1/accounts/1/contacts", body: { name: "Bob", userId: "u1" } },
  ];
  const { results } = (await call("POST", "/api/v1/batch", { mode: "partial", operations })).body.data;
  expect(results.map(({ status }: Body) => status)).toEqual([200, 200, 409]);
  const upserts = [
    { externalId: "acme", contacts: [{ externalId: "one", userId: "u2" }] },
    { externalId: "globex", contacts: [{ externalId: "five", name: "Five", userId: "u1" }] },
  ];
  const upserted = await call("POST", "/api/v1/accounts/batch", { accounts: upserts });
  expect(upserted.body.data.results).toMatchObject([
    { result: "updated" },
    { result: "failed", problem: { errors: [{ pointer: "/accounts/1/contacts/0/userId" }] } },
  ]);
  const other = await account({ name: "Other" }, { key: second.key });
  const own = await call(
    "POST",
    `/api/v1/accounts/${other.id}/contacts`,
    { name: "A", userId: "u1" },
    second,
  );
  expect(own.status).toBe(201);
});

test("a userId has 1 to 255 characters; an empty one and null remove it", async () => {
  const { call, create } = await userWorld();
  await create({ userId: "u1" });
  expect((await call("PATCH", `${contacts}/1`, { userId: "" })).body.data.userId).toBe(null);
  expect((await create({ userId: "" })).body.data.userId).toBe(null);
  expect((await call("PATCH", `${contacts}/1`, { userId: "x".repeat(255) })).status).toBe(200);
  const long = await call("PATCH", `${contacts}/1`, { userId: "x".repeat(256) });
  expect(long.body.errors).toMatchObject([{ pointer: "/userId", code: "too_long" }]);
  expect((await call("PATCH", `${contacts}/1`, { userId: 7 })).body.errors).toMatchObject([
    { pointer: "/userId", code: "wrong_type" },
  ]);
});

test("contacts are filtered by one and by several user ids", async () => {
  const { call, create } = await userWorld();
  for (const [i, userId] of ["u1", "u2", "a,b", undefined].entries()) await create({ userId }, 1 + (i % 2));
  for (const [query, ids] of [
    ["userId=u1", [1]],
    ["userId=U1", []],
    ["userId=a,b", [3]],
    ["userId[in]=u1,u2", [1, 2]],
    ["userId[in]=u1,u2&accountId=2", [2]],
    ["userId[in]=a%5C,b&cursor=", [3]],
  ] as const) {
    const { data } = (await call("GET", `${contacts}?sortBy=createdAt&sortOrder=asc&${query}`)).body;
    expect([query, data.map(({ id }: Body) => id)]).toEqual([query, [...ids]]);
  }
});
