import { expect, test } from "bun:test";
import { contactWorld } from "./contact-world.ts";

const missing = {
  type: "urn:accountd:problem:not_found",
  title: "Not found",
  status: 404,
  detail: "There is no contact with this id in your organization.",
  code: "not_found",
};

test("DELETE is 204 without a body; a second one is 404", async () => {
  const { contact, remove, get, patch, list } = await contactWorld();
  const { id } = await contact({ name: "Ada", email: "ada@x.io" });
  const kept = await contact({ name: "Bob" });
  const reply = await remove(id);
  expect([reply.status, reply.text, reply.headers.get("content-type")]).toEqual([204, "", null]);
  for (const reply of [await remove(id), await get(id), await patch(id, { name: "Eve" })])
    expect(reply.body).toEqual(missing);
  expect((await list()).body.data).toEqual([kept]);
});

test("the id of a deleted contact is not reused", async () => {
  const { contact, remove } = await contactWorld();
  await remove((await contact({ name: "Ada" })).id);
  expect((await contact({ name: "Ada" })).id).toBe(2);
});

test("GET and DELETE of a contact that does not exist, or of another organization, are 404", async () => {
  const { get, remove, put, account, call, second } = await contactWorld();
  const options = { key: second.key };
  const theirs = await account({ name: "Theirs" }, options);
  const { data } = (await put("theirs", { accountId: theirs.id, name: "Eve" }, options)).body;
  for (const operation of [get, remove])
    for (const id of [data.id, 0, 999, Number.MAX_SAFE_INTEGER])
      expect((await operation(id)).body).toEqual(missing);
  expect((await call("GET", `/api/v1/contacts/${data.id}`, undefined, options)).body.data).toEqual(data);
  for (const id of ["x", "-1", "01", "1.0", "1e3", "9007199254740992"])
    for (const method of ["GET", "DELETE"])
      expect((await call(method, `/api/v1/contacts/${id}`)).body).toMatchObject({
        status: 400,
        errors: [{ parameter: "contactId" }],
      });
});

test("of two concurrent DELETEs one is 204 and one 404", async () => {
  const { contact, remove } = await contactWorld();
  const { id } = await contact({ name: "Ada" });
  const replies = await Promise.all([remove(id), remove(id)]);
  expect(replies.map((reply) => reply.status).sort()).toEqual([204, 404]);
});

test("the embedded contacts of an account have only id, name and email, and are current", async () => {
  const { contact, patch, put, remove, embedded } = await contactWorld();
  await contact({ name: "Ada", email: "ada@x.io", externalId: "ada" });
  await put("bob", { accountId: 1, name: "Bob" });
  expect(await embedded()).toEqual([
    { id: 1, name: "Ada", email: "ada@x.io" },
    { id: 2, name: "Bob", email: null },
  ]);
  await patch(1, { name: "Ada Lovelace", email: null });
  await put("bob", { email: "bob@x.io" });
  expect(await embedded()).toEqual([
    { id: 1, name: "Ada Lovelace", email: null },
    { id: 2, name: "Bob", email: "bob@x.io" },
  ]);
  await put("bob", { accountId: 2 });
  expect([await embedded(1), await embedded(2)]).toEqual([
    [{ id: 1, name: "Ada Lovelace", email: null }],
    [{ id: 2, name: "Bob", email: "bob@x.io" }],
  ]);
  for (const id of [1, 2]) await remove(id);
  expect([await embedded(1), await embedded(2)]).toEqual([[], []]);
});
