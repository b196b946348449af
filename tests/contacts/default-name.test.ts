import { expect, test } from "bun:test";
import { importWorld } from "../imports/import-world.ts";
import { contactWorld } from "../resources/sub-resource-world.ts";
import { invalidRequest } from "../support/problems.ts";

const email = "Ada@x.io";

test("a new contact without a name is called by its address: POST, PUT and both batches", async () => {
  const { create, put, call, list } = await contactWorld();
  expect((await create({ email })).body.data).toMatchObject({ name: email, email });
  expect((await put("put", { accountId: 2, email })).body.data).toMatchObject({ name: email, email });
  const accounts = [{ externalId: "acme", contacts: [{ externalId: "hs1", email: "only@mail.example" }] }];
  const { results } = (await call("POST", "/api/v1/accounts/batch", { accounts })).body.data;
  expect(results).toEqual([{ id: 1, result: "updated" }]);
  const operations = [
    { method: "POST", path: "/api/v1/accounts/1/contacts", body: { email: "post@x.io" } },
    { method: "PUT", path: "/api/v1/contacts/external/b", body: { accountId: 1, email: "put@x.io" } },
  ];
  const batch = await call("POST", "/api/v1/batch", { mode: "partial", operations });
  expect(batch.body.data.results.map(({ status }: { status: number }) => status)).toEqual([201, 201]);
  const names = (await list()).body.data.map(({ name }: { name: string }) => name);
  expect(names).toEqual([email, "only@mail.example", "post@x.io", "put@x.io"]);
});

test("the name stays when the address changes, and a PUT without a name does not change it", async () => {
  const { contact, patch, put } = await contactWorld();
  const { id } = await contact({ email, externalId: "ada" });
  expect((await patch(id, { email: "new@x.io" })).body.data).toMatchObject({
    name: email,
    email: "new@x.io",
  });
  expect((await put("ada", { email: "put@x.io" })).body.data).toMatchObject({
    name: email,
    email: "put@x.io",
  });
});

test("a contact with neither name nor address is 400 required, and a blank name is invalid, with an address too", async () => {
  const { create, list, call } = await contactWorld();
  for (const body of [{}, { email: null }, { externalId: "ada" }])
    for (const accountId of [1, 999])
      expect((await create(body, accountId)).body).toMatchObject(invalidRequest("/name", "required"));
  expect((await create({ name: "", email })).body).toMatchObject(invalidRequest("/name", "too_short"));
  expect((await create({ name: " ", email })).body).toMatchObject(invalidRequest("/name", "blank"));
  expect((await create({ name: null, email })).body).toMatchObject(invalidRequest("/name", "wrong_type"));
  const operations = [{ method: "POST", path: "/api/v1/accounts/1/contacts", body: {} }];
  const { results } = (await call("POST", "/api/v1/batch", { mode: "partial", operations })).body.data;
  expect(results[0].body).toMatchObject(invalidRequest("/operations/0/body/name", "required"));
  expect((await list()).body.data).toEqual([]);
});

test("imported contacts without a name are called by their addresses: without the column, with an empty cell, in JSON", async () => {
  const { importBytes, account, call } = await importWorld();
  await account({ name: "Acme", externalId: "acme" });
  const settings = { resource: "contacts" } as const;
  const columns = await importBytes("externalId,accountExternalId,email\n1,acme,a@x.io\n", settings);
  const cells = await importBytes(
    "externalId,accountExternalId,name,email\n2,acme,,b@x.io\n3,acme,,\n",
    settings,
  );
  const line = { externalId: "4", accountExternalId: "acme", email: "c@x.io" };
  const json = await importBytes(JSON.stringify(line), { ...settings, name: "file.jsonl" });
  expect([columns.counts.created, cells.counts.created, json.counts.created]).toEqual([1, 1, 1]);
  expect(cells.reasons).toEqual([[3, "name is required"]]);
  const { data } = (await call("GET", "/api/v1/contacts")).body;
  expect(data.map(({ name }: { name: string }) => name)).toEqual(["a@x.io", "b@x.io", "c@x.io"]);
});
