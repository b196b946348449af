import { expect, test } from "bun:test";
import { contactWorld } from "../resources/sub-resource-world.ts";
import { operatorOf } from "../support/operator.ts";

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

/** A world with the contacts `ada` and `bob` of account 1, and `eve` of account 2 with the address of no other contact. */
async function takenWorld() {
  const here = await contactWorld();
  for (const name of ["ada", "bob"]) await here.contact({ name, email: `${name}@x.io`, externalId: name });
  const eve = await here.contact({ name: "eve", email: "eve@x.io", externalId: "eve" }, 2);
  const free = await here.contact({ name: "free" });
  const feed = async () => (await here.call("GET", "/api/v1/changes")).body.data.length;
  return { ...here, eve, free, feed };
}

const both = { email: "ADA@x.io", externalId: "bob" };
const externalIdConflict = { status: 409, code: "external_id_conflict" };

test("where the address and the externalId are in use, POST and PATCH report the address, and store nothing", async () => {
  const { create, patch, put, call, free, eve, feed } = await takenWorld();
  const before = await feed();
  const path = "/api/v1/accounts/1/contacts";
  const replies = [
    await create({ name: "New", ...both }),
    await create({ name: "New", email: "ada@x.io", externalId: "ada" }),
    await patch(free.id, both),
    await put("eve", { accountId: 1, email: "ada@x.io" }),
    await call("POST", `${path}?dryRun=true`, { name: "New", ...both }),
    await call("POST", path, { name: "New", ...both }, { headers: { "idempotency-key": "once" } }),
  ];
  for (const reply of replies) expect([reply.status, reply.body]).toEqual([409, conflict]);
  expect((await create({ name: "New", email: "new@x.io", externalId: "bob" })).body).toMatchObject(
    externalIdConflict,
  );
  // The address of a contact of another account is free in this one.
  expect((await create({ name: "New", email: "eve@x.io", externalId: "bob" })).body).toMatchObject(
    externalIdConflict,
  );
  for (const changes of [
    { externalId: "bob" },
    { email: null, externalId: "bob" },
    { ...both, email: "free@x.io" },
  ])
    expect((await patch(free.id, changes)).body).toMatchObject(externalIdConflict);
  expect((await patch(eve.id, { externalId: "ada", email: "EVE@x.io" })).body).toMatchObject(
    externalIdConflict,
  );
  expect(await feed()).toBe(before);
});

test("an operation of a batch reports the address first, too, and the others are stored", async () => {
  const { call, free, list } = await takenWorld();
  const path = "/api/v1/accounts/1/contacts";
  const operations = [
    { method: "POST", path, body: { name: "One", email: "one@x.io" } },
    { method: "POST", path, body: { name: "New", ...both } },
    { method: "PATCH", path: `/api/v1/contacts/${free.id}`, body: both },
    { method: "POST", path, body: { name: "New", externalId: "bob" } },
    { method: "POST", path, body: { name: "Two", email: "one@x.io", externalId: "ada" } },
    { method: "POST", path, body: { name: "Three", email: "three@x.io" } },
  ];
  const batch = async (mode: string) => (await call("POST", "/api/v1/batch", { mode, operations })).body;
  const errors = (index: number) => [
    { pointer: `/operations/${index}/body/email`, code: "contact_email_conflict" },
  ];
  const failed = await batch("atomic");
  expect(failed).toMatchObject({
    status: 422,
    code: "batch_failed",
    errors: [...errors(1), ...errors(2), { pointer: "/operations/3/body/externalId" }, ...errors(4)],
  });
  const { results } = (await batch("partial")).data;
  expect(results).toMatchObject([
    { status: 201 },
    { status: 409, body: { ...conflict, errors: errors(1) } },
    { status: 409, body: { code: "contact_email_conflict", errors: errors(2) } },
    { status: 409, body: { code: "external_id_conflict" } },
    { status: 409, body: { code: "contact_email_conflict", errors: errors(4) } },
    { status: 201 },
  ]);
  const names = (await list()).body.data.map(({ name }: { name: string }) => name);
  expect(names).toEqual(["ada", "bob", "free", "One", "Three"]);
});

test("20 concurrent POSTs of one address and one externalId: one 201, 19 times the address", async () => {
  const { create, list } = await contactWorld();
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => create({ name: `${i}`, email: "ada@x.io", externalId: "ada" })),
  );
  expect(replies.map(({ body }) => body.code ?? "stored").toSorted()).toEqual([
    ...Array(19).fill("contact_email_conflict"),
    "stored",
  ]);
  expect((await list()).body.pagination.total).toBe(1);
});

test("an imported contact and one of a batch of accounts report the address", async () => {
  const { call, engine, first, list } = await takenWorld();
  const { importRows } = operatorOf(engine);
  const rows = [
    { externalId: "bob", email: "ada@x.io" },
    { externalId: "eve", accountId: 1, email: "ada@x.io" },
  ];
  const isTaken = { result: "rejected", reason: "email is in use by another contact of the account" };
  expect(await importRows(first.id, "contacts", rows)).toEqual([isTaken, isTaken]);
  const accounts = [{ externalId: "acme", contacts: [{ externalId: "bob", email: "ada@x.io" }] }];
  const { results } = (await call("POST", "/api/v1/accounts/batch", { accounts })).body.data;
  expect(results[0]).toMatchObject({ result: "failed" });
  expect(JSON.stringify(results[0])).toContain("/accounts/0/contacts/0/email");
  expect((await list()).body.pagination.total).toBe(3);
});
