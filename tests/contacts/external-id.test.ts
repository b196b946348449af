import { expect, test } from "bun:test";
import { contactWorld } from "./contact-world.ts";

/** Whatever a calendar or a CRM may call a contact. */
const texts = [
  "a/b",
  "a b",
  " ",
  "100%",
  "%2F",
  "é",
  "e\u0301",
  "É",
  "🚀",
  "a+b",
  "a?b#c",
  "a&b=c;d:e@f",
  "back\\slash",
  '"',
  "\n",
  "[1]",
  "{}",
  "12",
  "true",
  "null",
  "external",
  "constructor",
  "__proto__",
  "...",
];

test("an externalId may hold any characters: percent-encoded, PUT creates and then updates by it", async () => {
  const { put, get, list } = await contactWorld();
  for (const [i, text] of texts.entries()) {
    const made = await put(text, { accountId: 1, name: `Contact ${i}` });
    expect([made.status, made.body.data]).toMatchObject([201, { id: i + 1, externalId: text }]);
  }
  for (const [i, text] of texts.entries()) {
    const changed = await put(text, { name: `Changed ${i}` });
    expect([changed.status, changed.body.data.id]).toEqual([200, i + 1]);
    expect((await get(i + 1)).body.data).toEqual(changed.body.data);
    const found = (await list(`?externalId=${encodeURIComponent(text)}`)).body;
    expect([found.data, found.pagination.total]).toEqual([[changed.body.data], 1]);
  }
  expect((await list()).body.pagination.total).toBe(texts.length);
});

test("a plus in the path is a plus, and every character may be percent-encoded", async () => {
  const { call, contact } = await contactWorld();
  const { id } = await contact({ name: "Ada", externalId: "a+b" });
  for (const encoded of ["a+b", "a%2Bb", "%61%2b%62"]) {
    const reply = await call("PUT", `/api/v1/contacts/external/${encoded}`, { name: encoded });
    expect([reply.status, reply.body.data.id]).toEqual([200, id]);
  }
});

test("an externalId in the path has 1 to 255 characters", async () => {
  const { put, call } = await contactWorld();
  const body = { accountId: 1, name: "Ada" };
  for (const longest of ["a".repeat(255), "𝔸".repeat(255), "/".repeat(255)])
    expect((await put(longest, body)).body.data.externalId).toBe(longest);
  for (const longer of ["a".repeat(256), "𝔸".repeat(256), "/".repeat(256)])
    expect((await put(longer, body)).body).toMatchObject({
      status: 400,
      errors: [{ parameter: "externalId", code: "too_long" }],
    });
  expect((await put("", body)).status).toBe(404);
  for (const ill of ["%", "%zz", "%ff", "%00", "%ED%A0%80"])
    expect((await call("PUT", `/api/v1/contacts/external/${ill}`, body)).body.code).toBe("malformed_url");
});

test("an externalId is another one in each organization", async () => {
  const { put, contact, get, account, second } = await contactWorld();
  const ours = await contact({ name: "Ada", externalId: "crm-7" });
  const theirs = await account({ name: "Theirs" }, { key: second.key });
  expect((await put("crm-7", { name: "Eve" }, { key: second.key })).status).toBe(400);
  const made = await put("crm-7", { accountId: theirs.id, name: "Eve" }, { key: second.key });
  expect([made.status, made.body.data.accountId]).toEqual([201, theirs.id]);
  expect((await get(ours.id)).body.data).toEqual(ours);
});

test("an externalId that was cleared or deleted is free: PUT creates again", async () => {
  const { put, contact, patch, remove, get } = await contactWorld();
  const first = await contact({ name: "Ada", externalId: "crm-7" });
  await patch(first.id, { externalId: null });
  const second = await put("crm-7", { accountId: 1, name: "Bob" });
  expect(second.status).toBe(201);
  await remove(second.body.data.id);
  expect((await put("crm-7", { accountId: 1, name: "Eve" })).status).toBe(201);
  expect((await get(first.id)).body.data).toMatchObject({ name: "Ada", externalId: null });
});

test("50 concurrent PUTs of one new externalId: one 201, 49 times 200, one row", async () => {
  const { put, list } = await contactWorld();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, i) => put("crm-7", { accountId: 1, name: `Contact ${i}` })),
  );
  expect(replies.map((reply) => reply.status).sort()).toEqual([...Array(49).fill(200), 201]);
  expect(new Set(replies.map((reply) => reply.body.data.id)).size).toBe(1);
  const { data, pagination } = (await list()).body;
  expect(pagination.total).toBe(1);
  const last = replies
    .map((reply) => reply.body.data)
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  expect(data).toEqual([last[0]]);
});
