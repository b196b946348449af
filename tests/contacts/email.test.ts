import { expect, test } from "bun:test";
import { contactWorld } from "../resources/sub-resource-world.ts";

const conflict = {
  type: "urn:accountd:problem:contact_email_conflict",
  title: "E-mail address in use",
  status: 409,
  detail: "Use another address, or update the contact of this account that has this one.",
  code: "contact_email_conflict",
  errors: [
    {
      pointer: "/email",
      code: "contact_email_conflict",
      detail: "is in use by another contact of the account",
    },
  ],
};

test("two contacts of one account may not share an e-mail address: POST is 409 contact_email_conflict", async () => {
  const { create, contact, list } = await contactWorld();
  const ada = await contact({ name: "Ada", email: "ada@x.io" });
  for (const email of ["ada@x.io", "ADA@X.IO", "Ada@x.Io"]) {
    const reply = await create({ name: "Bob", email, externalId: "bob" });
    expect([reply.status, reply.body]).toEqual([409, conflict]);
  }
  expect((await list()).body.data).toEqual([ada]);
});

test("PATCH and PUT to the e-mail address of another contact are 409, and change nothing", async () => {
  const { contact, patch, put, get } = await contactWorld();
  await contact({ name: "Ada", email: "ada@x.io" });
  const bob = await contact({ name: "Bob", email: "bob@x.io", externalId: "bob" });
  const change = { name: "Changed", email: "Ada@X.io" };
  for (const reply of [await patch(bob.id, change), await put("bob", change)])
    expect([reply.status, reply.body]).toEqual([409, conflict]);
  expect((await get(bob.id)).body.data).toEqual(bob);
});

test("a PUT that would create a second contact with the e-mail address is 409, and creates no contact", async () => {
  const { contact, put, list } = await contactWorld();
  await contact({ name: "Ada", email: "ada@x.io" });
  const reply = await put("new", { accountId: 1, name: "Bob", email: "ADA@x.io" });
  expect([reply.status, reply.body]).toEqual([409, conflict]);
  expect((await list()).body.pagination.total).toBe(1);
});

test("a PUT that moves a contact to an account that has its e-mail address is 409, and moves nothing", async () => {
  const { contact, put, get } = await contactWorld();
  await contact({ name: "Ada", email: "ada@x.io" }, 2);
  const here = await contact({ name: "Ada", email: "Ada@x.io", externalId: "ada" });
  for (const account of [{ accountId: 2 }, { accountExternalId: "globex" }]) {
    const reply = await put("ada", account);
    expect([reply.status, reply.body]).toEqual([409, conflict]);
  }
  expect((await get(here.id)).body.data).toEqual(here);
  const moved = await put("ada", { accountId: 2, email: "ada@y.io" });
  expect(moved.body.data).toMatchObject({ id: here.id, accountId: 2, email: "ada@y.io" });
});

test("contacts of two accounts may share an e-mail address", async () => {
  const { create } = await contactWorld();
  const statuses = [];
  for (const accountId of [1, 2, 1])
    statuses.push((await create({ name: "Ada", email: "ada@x.io" }, accountId)).status);
  expect(statuses).toEqual([201, 201, 409]);
});

test("contacts without an e-mail address never conflict", async () => {
  const { create, contact, patch, put } = await contactWorld();
  const { id } = await contact({ name: "Ada", email: "ada@x.io" });
  for (const body of [{}, { email: null }, { email: null }])
    expect((await create({ name: "Bob", ...body })).status).toBe(201);
  expect((await patch(id, { email: null })).status).toBe(200);
  expect((await put("new", { accountId: 1, name: "Eve", email: null })).status).toBe(201);
});

test("an e-mail address is free after its contact is deleted, moved or changes its address", async () => {
  const { contact, patch, put, remove } = await contactWorld();
  const { id } = await contact({ name: "Ada", email: "ada@x.io" });
  await remove(id);
  const next = await contact({ name: "Ada", email: "ada@x.io", externalId: "ada" });
  await put("ada", { accountId: 2 });
  const last = await contact({ name: "Ada", email: "ada@x.io" });
  await patch(last.id, { email: "ada@y.io" });
  expect((await put("ada", { accountId: 1 })).body.data).toMatchObject({ id: next.id, accountId: 1 });
});

test("a contact's own e-mail address, in any letter case, is no conflict", async () => {
  const { contact, patch, put } = await contactWorld();
  const { id } = await contact({ name: "Ada", email: "ada@x.io", externalId: "ada" });
  expect((await patch(id, { email: "ADA@x.io" })).body.data.email).toBe("ADA@x.io");
  expect((await put("ada", { accountId: 1, email: "Ada@x.io" })).body.data.email).toBe("Ada@x.io");
});

for (const [existing, duplicate] of [
  ["JOSÉ@x.io", "josé@x.io"],
  ["jose\u0301@x.io", "JOS\u00c9@x.io"],
  ["straße@x.io", "STRAẞE@x.io"],
  ["info@MÜLLER.de", "info@xn--mller-kva.DE"],
  ["ΝΊΚΟΣ@x.io", "νίκος@x.io"],
] as const) {
  test(`e-mail addresses are compared in NFC and lower case, domains in their ASCII form: ${existing} and ${duplicate} conflict`, async () => {
    const { create, contact, patch, put } = await contactWorld();
    expect((await contact({ name: "First", email: existing })).email).toBe(existing);
    const { id } = await contact({ name: "Second", externalId: "second" });
    await contact({ name: "Elsewhere", email: duplicate, externalId: "elsewhere" }, 2);
    const replies = [
      await create({ name: "Third", email: duplicate }),
      await patch(id, { email: duplicate }),
      await put("second", { email: duplicate }),
      await put("third", { accountId: 1, name: "Third", email: duplicate }),
      await put("elsewhere", { accountId: 1 }),
    ];
    for (const reply of replies) expect([reply.status, reply.body]).toEqual([409, conflict]);
  });
}

test("20 concurrent POSTs of one e-mail address: one 201, 19 times 409, one row", async () => {
  const { create, list } = await contactWorld();
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      create({ name: `Contact ${i}`, email: i % 2 ? "ada@x.io" : "ADA@X.IO" }),
    ),
  );
  expect(replies.map((reply) => reply.status).sort()).toEqual([201, ...Array(19).fill(409)]);
  for (const reply of replies) if (reply.status === 409) expect(reply.body).toEqual(conflict);
  expect((await list()).body.pagination.total).toBe(1);
});

test("An empty e-mail address is null in POST, PATCH, PUT and the operations of a batch", async () => {
  const { call, create, contact, patch, put } = await contactWorld();
  for (const name of ["Ada", "Bob"])
    expect((await create({ name, email: "" })).body.data).toMatchObject({ name, email: null });
  const { id } = await contact({ name: "Eve", email: "eve@x.io", externalId: "eve" });
  expect((await patch(id, { email: "" })).body.data.email).toBeNull();
  await patch(id, { email: "eve@x.io" });
  expect((await put("eve", { email: "" })).body.data.email).toBeNull();
  expect((await put("new", { accountId: 1, name: "New", email: "" })).body.data.email).toBeNull();
  const unnamed = await put("unnamed", { accountId: 1, email: "" });
  expect(unnamed.body).toMatchObject({ status: 400, errors: [{ pointer: "/name", code: "required" }] });
  const path = "/api/v1/accounts/1/contacts";
  const operations = [{ method: "POST", path, body: { name: "Cid", email: "" } }];
  const { data } = (await call("POST", "/api/v1/batch", { mode: "partial", operations })).body;
  expect(data.results[0]).toMatchObject({ status: 201, body: { data: { name: "Cid", email: null } } });
});
