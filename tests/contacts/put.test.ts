import { expect, test } from "bun:test";
import { beginningText } from "../support/world.ts";
import { contactWorld } from "./contact-world.ts";

const laterText = "2026-01-02T03:04:06.678Z";

test("PUT creates the contact with this externalId: status 201, its path in Location", async () => {
  const { put, call } = await contactWorld();
  const reply = await put("crm-7", { accountId: 2, name: "Ada", email: "ada@x.io" });
  expect([reply.status, reply.headers.get("location")]).toEqual([201, "/api/v1/contacts/1"]);
  expect(reply.body).toEqual({
    data: {
      id: 1,
      accountId: 2,
      externalId: "crm-7",
      name: "Ada",
      email: "ada@x.io",
      lastSeenAt: null,
      attributes: {},
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  });
  expect((await call("GET", "/api/v1/contacts/1")).text).toBe(reply.text);
});

test("PUT updates the contact with this externalId: status 200, also if it was created by POST", async () => {
  const { put, contact, get, pass, list } = await contactWorld();
  const before = await contact({ name: "Ada", email: "ada@x.io", externalId: "crm-7" });
  pass(1000);
  const reply = await put("crm-7", { accountId: 1, name: "Ada Lovelace", email: null });
  expect([reply.status, reply.headers.get("location")]).toEqual([200, null]);
  expect(reply.body).toEqual({
    data: { ...before, name: "Ada Lovelace", email: null, updatedAt: laterText },
  });
  expect((await get(before.id)).text).toBe(reply.text);
  expect((await list()).body.pagination.total).toBe(1);
});

test("PUT leaves absent members unchanged, including the account", async () => {
  const { put, contact, pass } = await contactWorld();
  const before = await contact({ name: "Ada", email: "ada@x.io", externalId: "crm-7" });
  pass(1000);
  expect((await put("crm-7", { name: "Other" })).body.data).toEqual({
    ...before,
    name: "Other",
    updatedAt: laterText,
  });
  expect((await put("crm-7", { email: "b@x.io" })).body.data).toMatchObject({
    accountId: 1,
    name: "Other",
    email: "b@x.io",
  });
});

test("a PUT without a change leaves updatedAt; a PUT with a change increases it", async () => {
  const { put, pass } = await contactWorld();
  const body = { accountId: 1, name: "Ada", email: "ada@x.io" };
  const before = (await put("crm-7", body)).body.data;
  const again = await put("crm-7", { ...body, name: "Eve" });
  expect(again.body.data.updatedAt).toBe("2026-01-02T03:04:05.679Z");
  pass(1000);
  for (const same of [{ ...body, name: "Eve" }, { accountExternalId: "acme" }, {}]) {
    const reply = await put("crm-7", same);
    expect([reply.status, reply.body.data]).toEqual([200, again.body.data]);
  }
  expect(again.body.data).toEqual({ ...before, name: "Eve", updatedAt: again.body.data.updatedAt });
});

test("PUT of a new contact requires a name or an address, and an account", async () => {
  const { put, list } = await contactWorld();
  const errorsOf = async (body: object) => {
    const reply = await put("new", body);
    expect([reply.status, reply.body.code]).toEqual([400, "invalid_request"]);
    return reply.body.errors;
  };
  const account = { pointer: "/accountId", code: "required", detail: "or accountExternalId is required" };
  const name = { pointer: "/name", code: "required", detail: "is required" };
  expect(await errorsOf({})).toEqual([account, name]);
  expect(await errorsOf({ name: "Ada" })).toEqual([account]);
  expect(await errorsOf({ accountId: 1 })).toEqual([name]);
  expect(await errorsOf({ email: "ada@x.io" })).toEqual([account]);
  expect(await errorsOf({ accountExternalId: "acme", email: null })).toEqual([name]);
  expect((await list()).body.data).toEqual([]);
});

test("accountId or accountExternalId is the account; another account moves the contact there", async () => {
  const { put, embedded, pass } = await contactWorld();
  const created = await put("crm-7", { accountExternalId: "acme", name: "Ada" });
  expect([created.status, created.body.data.accountId]).toEqual([201, 1]);
  pass(1000);
  const moved = await put("crm-7", { accountExternalId: "globex" });
  expect([moved.status, moved.body.data]).toEqual([
    200,
    { ...created.body.data, accountId: 2, updatedAt: laterText },
  ]);
  expect([await embedded(1), await embedded(2)]).toEqual([[], [{ id: 1, name: "Ada", email: null }]]);
  expect((await put("crm-7", { accountId: 1 })).body.data.accountId).toBe(1);
  const both = await put("crm-7", { accountId: 2, accountExternalId: "acme" });
  expect(both.body.data.accountId).toBe(2);
});

test("PUT with an account that does not exist, or of another organization, is 404, and changes nothing", async () => {
  const { put, contact, get, account, second } = await contactWorld();
  const before = await contact({ name: "Ada", externalId: "crm-7" });
  const theirs = await account({ name: "Theirs", externalId: "theirs" }, { key: second.key });
  for (const externalId of ["crm-7", "new"])
    for (const reference of [
      { accountId: 999 },
      { accountExternalId: "nobody" },
      { accountId: theirs.id },
      { accountExternalId: "theirs" },
    ]) {
      const reply = await put(externalId, { ...reference, name: "Changed" });
      expect(reply.body).toEqual({
        type: "urn:accountd:problem:not_found",
        title: "Not found",
        status: 404,
        detail: `There is no account with this ${"accountId" in reference ? "id" : "externalId"} in your organization.`,
        code: "not_found",
      });
    }
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PUT rejects the same values as POST, and invalid account references", async () => {
  const { put, list } = await contactWorld();
  for (const [member, values] of Object.entries({
    name: [null, "", " ", "x".repeat(256), 5],
    email: ["ada", 5],
    accountId: [null, "1", -1, 1.5, 2 ** 53],
    accountExternalId: [null, "", "x".repeat(256), 5],
  }))
    for (const value of values)
      expect((await put("new", { accountId: 1, name: "Ada", [member]: value })).body).toMatchObject({
        status: 400,
        errors: [{ pointer: `/${member}` }],
      });
  expect((await list()).body.data).toEqual([]);
});

test("PUT ignores unknown and read-only members, including an externalId in the body", async () => {
  const { put } = await contactWorld();
  const ignored = { id: 9, externalId: "other", lastSeenAt: laterText, createdAt: laterText, extra: {} };
  const { data } = (await put("crm-7", { accountId: 1, name: "Ada", ...ignored })).body;
  expect(data).toMatchObject({ id: 1, externalId: "crm-7", lastSeenAt: null, createdAt: beginningText });
});
