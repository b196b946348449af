import { expect, test } from "bun:test";
import { invalidRequest } from "../support/problems.ts";
import { beginningText, world } from "../support/world.ts";

const path = "/api/v1/accounts";
test("POST creates an account in the organization: status 201, its fields in data, its path in Location", async () => {
  const { call } = await world();
  const reply = await call("POST", path, { name: "Acme", externalId: "acme", mrr: 1250.5 });
  expect(reply.status).toBe(201);
  expect(reply.headers.get("location")).toBe("/api/v1/accounts/1");
  expect(reply.body).toEqual({
    data: {
      id: 1,
      name: "Acme",
      externalId: "acme",
      mrr: 1250.5,
      active: true,
      churned: false,
      onboarding: false,
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  });
  const read = (await call("GET", reply.headers.get("location") ?? "")).body.data;
  expect(read).toEqual({ ...reply.body.data, logoUrl: null, contacts: [], meetings: [], requests: [] });
});

test("name is the only required member: externalId null, mrr 0, status active", async () => {
  const { account } = await world();
  expect(await account({ name: "Acme" })).toMatchObject({
    externalId: null,
    mrr: 0,
    active: true,
    churned: false,
    onboarding: false,
  });
});

test("status is active (the default), onboarding or churned, shown as three booleans", async () => {
  const { call, account } = await world();
  const flags = async (status: string) => {
    const { active, onboarding, churned } = await account({ name: "Acme", status });
    return [active, onboarding, churned];
  };
  expect(await flags("active")).toEqual([true, false, false]);
  expect(await flags("onboarding")).toEqual([false, true, false]);
  expect(await flags("churned")).toEqual([false, false, true]);
  expect((await call("POST", path, { name: "Acme", status: "inactive" })).status).toBe(400);
});

test("name must be non-empty: missing, empty and blank are 400", async () => {
  const { call } = await world();
  const post = async (body: object) => (await call("POST", path, body)).body;
  expect(await post({})).toMatchObject(invalidRequest("/name", "required"));
  expect(await post({ name: "" })).toMatchObject(invalidRequest("/name", "too_short"));
  expect(await post({ name: " \t\u2003" })).toMatchObject(invalidRequest("/name", "blank"));
});

test("name is any 1 to 255 characters, and stored as sent", async () => {
  const { call, account } = await world();
  const longest = "𝔸".repeat(255);
  expect((await account({ name: longest })).name).toBe(longest);
  expect((await account({ name: "  E\u0301clair 'n' \"co\" " })).name).toBe("  E\u0301clair 'n' \"co\" ");
  expect((await call("POST", path, { name: "a".repeat(256) })).body).toMatchObject(
    invalidRequest("/name", "too_long"),
  );
});

test("an empty externalId is stored as null", async () => {
  const { account } = await world();
  expect((await account({ name: "Acme", externalId: "" })).externalId).toBeNull();
  expect((await account({ name: "Acme", externalId: "" })).externalId).toBeNull();
});

test("externalId is unique within the organization: 409 external_id_conflict", async () => {
  const { call, account, second } = await world();
  await account({ name: "Acme", externalId: "acme" });
  const reply = await call("POST", path, { name: "Other", externalId: "acme", contactName: "Ada" });
  expect(reply.status).toBe(409);
  expect(reply.body).toEqual({
    type: "urn:accountd:problem:external_id_conflict",
    title: "External id in use",
    status: 409,
    detail: "Use another externalId, or update the account that has this one.",
    code: "external_id_conflict",
    errors: [
      { pointer: "/externalId", code: "external_id_conflict", detail: "is in use by another account" },
    ],
  });
  expect((await call("GET", path)).body.pagination.total).toBe(1);
  expect((await account({ name: "Acme", externalId: "acme" }, { key: second.key })).externalId).toBe("acme");
});

test("50 concurrent creates with one externalId: one 201, 49 times 409, one row", async () => {
  const { call } = await world();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, i) => call("POST", path, { name: `Account ${i}`, externalId: "same" })),
  );
  const statuses = replies.map((reply) => reply.status).sort();
  expect(statuses).toEqual([201, ...Array(49).fill(409)]);
  const list = (await call("GET", path)).body;
  expect([list.data.length, list.pagination.total]).toEqual([1, 1]);
});

test("mrr is any finite JSON number", async () => {
  const { call, account } = await world();
  for (const mrr of [0, -12.5, 0.1 + 0.2, 1e308, 5e-324, 9007199254740991, 123456789.12345679]) {
    const { id } = await account({ name: "Acme", mrr });
    expect((await call("GET", `${path}/${id}`)).body.data.mrr).toBe(mrr);
  }
});

test("contactName, contactEmail or both create an initial contact", async () => {
  const { call, account } = await world();
  const contactsOf = async (body: object) => {
    const { id } = await account({ name: "Acme", ...body });
    return (await call("GET", `${path}/${id}`)).body.data.contacts;
  };
  const both = await contactsOf({ contactName: "Ada", contactEmail: "ada@x.io" });
  expect(both).toEqual([{ id: 1, name: "Ada", email: "ada@x.io" }]);
  expect(await contactsOf({ contactName: "Ada" })).toEqual([{ id: 2, name: "Ada", email: null }]);
  const address = await contactsOf({ contactEmail: "ada@x.io" });
  expect(address).toEqual([{ id: 3, name: "ada@x.io", email: "ada@x.io" }]);
  expect(await contactsOf({})).toEqual([]);
});

test("an empty contactEmail is no address: alone it makes no contact", async () => {
  const { call, account } = await world();
  const contactsOf = async (body: object) => {
    const { id } = await account({ name: "Acme", contactEmail: "", ...body });
    return (await call("GET", `/api/v1/accounts/${id}`)).body.data.contacts;
  };
  expect(await contactsOf({})).toEqual([]);
  expect(await contactsOf({ contactName: "Ada" })).toMatchObject([{ name: "Ada", email: null }]);
});
