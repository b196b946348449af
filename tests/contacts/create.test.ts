import { expect, test } from "bun:test";
import { invalidRequest } from "../support/problems.ts";
import { beginningText } from "../support/world.ts";
import { contactWorld } from "./contact-world.ts";

test("POST creates a contact of the account: status 201, its fields in data, its path in Location", async () => {
  const { create, call } = await contactWorld();
  const reply = await create({ name: "Ada Lovelace", externalId: "crm-7", email: "Ada@x.io" });
  expect([reply.status, reply.headers.get("location")]).toEqual([201, "/api/v1/contacts/1"]);
  expect(reply.body).toEqual({
    data: {
      id: 1,
      accountId: 1,
      externalId: "crm-7",
      name: "Ada Lovelace",
      email: "Ada@x.io",
      lastSeenAt: null,
      attributes: {},
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  });
  const read = await call("GET", reply.headers.get("location") ?? "");
  expect([read.status, read.text]).toEqual([200, reply.text]);
});

test("name is the only required member without an address: externalId, email and lastSeenAt are null", async () => {
  const { create } = await contactWorld();
  expect((await create({ name: "Ada" }, 2)).body).toEqual({
    data: {
      id: 1,
      accountId: 2,
      externalId: null,
      name: "Ada",
      email: null,
      lastSeenAt: null,
      attributes: {},
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  });
});

test("name is 1 to 255 characters, not blank, and stored as sent", async () => {
  const { create, contact, list } = await contactWorld();
  for (const name of ["𝔸".repeat(255), "  E\u0301va \"q\" 'x' "])
    expect((await contact({ name })).name).toBe(name);
  expect((await create({})).body).toMatchObject(invalidRequest("/name", "required"));
  expect((await create({ name: "" })).body).toMatchObject(invalidRequest("/name", "too_short"));
  expect((await create({ name: " \t\u2003" })).body).toMatchObject(invalidRequest("/name", "blank"));
  expect((await create({ name: "𝔸".repeat(256) })).body).toMatchObject(invalidRequest("/name", "too_long"));
  for (const name of [null, 5, {}, []])
    expect((await create({ name })).body).toMatchObject(invalidRequest("/name", "wrong_type"));
  expect((await list()).body.pagination.total).toBe(2);
});

test("email is an e-mail address of at most 254 characters, or null", async () => {
  const { create, contact, list } = await contactWorld();
  const longest = `${"a".repeat(60)}@${`${"b".repeat(59)}.`.repeat(3)}${"c".repeat(13)}`;
  expect(longest).toHaveLength(254);
  for (const email of ["a.b+c@sub.x.io", longest, null])
    expect((await contact({ name: "Ada", email })).email).toBe(email);
  for (const email of ["ada", "a b@x.io", "@x.io", "ada@", "a@b@x.io", "<ada@x.io>"])
    expect((await create({ name: "Ada", email })).body).toMatchObject(
      invalidRequest("/email", "invalid_email"),
    );
  expect((await create({ name: "Ada", email: `a${longest}` })).body).toMatchObject(
    invalidRequest("/email", "too_long"),
  );
  for (const email of [5, true, {}, []])
    expect((await create({ name: "Ada", email })).body).toMatchObject(invalidRequest("/email", "wrong_type"));
  expect((await list()).body.pagination.total).toBe(3);
});

test("externalId has at most 255 characters, compared byte for byte; null and an empty string are stored as null", async () => {
  const { create, contact } = await contactWorld();
  for (const externalId of ["a", "A", " a", "é", "e\u0301", "🚀/%+ ", "𝔸".repeat(255)])
    expect((await contact({ name: "Ada", externalId })).externalId).toBe(externalId);
  for (const externalId of [null, "", null, ""])
    expect((await contact({ name: "Ada", externalId })).externalId).toBeNull();
  expect((await create({ name: "Ada", externalId: "x".repeat(256) })).body).toMatchObject(
    invalidRequest("/externalId", "too_long"),
  );
  for (const externalId of [5, true, {}, []])
    expect((await create({ name: "Ada", externalId })).body).toMatchObject(
      invalidRequest("/externalId", "wrong_type"),
    );
});

test("externalId is unique within the organization, across accounts: 409 external_id_conflict", async () => {
  const { create, contact, call, account, list, second } = await contactWorld();
  await contact({ name: "Ada", externalId: "crm-7" });
  for (const accountId of [1, 2]) {
    const reply = await create({ name: "Bob", externalId: "crm-7" }, accountId);
    expect(reply.status).toBe(409);
    expect(reply.body).toEqual({
      type: "urn:accountd:problem:external_id_conflict",
      title: "External id in use",
      status: 409,
      detail: "Use another externalId, or update the contact that has this one.",
      code: "external_id_conflict",
      errors: [
        { pointer: "/externalId", code: "external_id_conflict", detail: "is in use by another contact" },
      ],
    });
    expect((await list("", accountId)).body.pagination.total).toBe(accountId === 1 ? 1 : 0);
  }
  const options = { key: second.key };
  const { id } = await account({ name: "Theirs" }, options);
  const body = { name: "Ada", externalId: "crm-7" };
  expect((await call("POST", `/api/v1/accounts/${id}/contacts`, body, options)).status).toBe(201);
});

test("50 concurrent POSTs of one externalId: one 201, 49 times 409, one row", async () => {
  const { create, list } = await contactWorld();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, i) => create({ name: `Contact ${i}`, externalId: "same" })),
  );
  expect(replies.map((reply) => reply.status).sort()).toEqual([201, ...Array(49).fill(409)]);
  expect((await list()).body.pagination.total).toBe(1);
});

test("unknown and read-only members are ignored", async () => {
  const { contact } = await contactWorld();
  const ignored = {
    id: 77,
    accountId: 2,
    organizationId: 2,
    lastSeenAt: 5,
    createdAt: "x",
    extra: { a: [1] },
  };
  expect(await contact({ name: "Ada", ...ignored, updatedAt: null })).toEqual({
    id: 1,
    accountId: 1,
    externalId: null,
    name: "Ada",
    email: null,
    lastSeenAt: null,
    attributes: {},
    createdAt: beginningText,
    updatedAt: beginningText,
  });
});

test("POST for an account that does not exist, or of another organization, is 404 with the same bytes", async () => {
  const { create, account, call, second } = await contactWorld();
  const theirs = await account({ name: "Theirs" }, { key: second.key });
  const [missing, foreign] = [await create({ name: "Ada" }, 999), await create({ name: "Ada" }, theirs.id)];
  expect(missing.status).toBe(404);
  expect(missing.body).toEqual({
    type: "urn:accountd:problem:not_found",
    title: "Not found",
    status: 404,
    detail: "There is no account with this id in your organization.",
    code: "not_found",
  });
  expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  const list = `/api/v1/accounts/${theirs.id}/contacts`;
  expect((await call("GET", list, undefined, { key: second.key })).body.data).toEqual([]);
});
