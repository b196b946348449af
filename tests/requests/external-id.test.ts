import { expect, test } from "bun:test";
import { requestWorld } from "./request-world.ts";

const body = { accountId: 1, title: "SSO" };

test("an externalId may hold any characters: percent-encoded, PUT creates and then updates by it", async () => {
  const { put, get, list } = await requestWorld();
  const texts = ["a/b", "a b", "100%", "%2F", "é", "e\u0301", "🚀", "a+b", "a?b#c", "[1]", "12", "external"];
  for (const [i, text] of texts.entries()) {
    const made = await put(text, body);
    expect([made.status, made.body.data]).toMatchObject([201, { id: i + 1, externalId: text }]);
  }
  for (const [i, text] of texts.entries()) {
    const changed = await put(text, { title: `Changed ${i}` });
    expect([changed.status, changed.body.data.id]).toEqual([200, i + 1]);
    expect((await get(i + 1)).body.data).toEqual(changed.body.data);
    const found = (await list(`?externalId=${encodeURIComponent(text)}`)).body;
    expect([found.data, found.pagination.total]).toEqual([[changed.body.data], 1]);
  }
  expect((await list()).body.pagination.total).toBe(texts.length);
});

test("an externalId in the path has 1 to 255 characters", async () => {
  const { put } = await requestWorld();
  for (const longest of ["a".repeat(255), "𝔸".repeat(255)])
    expect((await put(longest, body)).body.data.externalId).toBe(longest);
  expect((await put("𝔸".repeat(256), body)).body).toMatchObject({
    status: 400,
    errors: [{ parameter: "externalId", code: "too_long" }],
  });
  expect((await put("", body)).status).toBe(404);
});

test("an externalId is another one in each organization, and for a contact or a meeting", async () => {
  const { call, put, request, get, account, second } = await requestWorld();
  const ours = await request({ ...body, externalId: "same" });
  const theirs = await account({ name: "Theirs" }, { key: second.key });
  const made = await put("same", { ...body, accountId: theirs.id }, { key: second.key });
  expect([made.status, made.body.data.accountId]).toEqual([201, theirs.id]);
  for (const plural of ["contacts", "meetings"]) {
    const other = { accountId: 1, name: "Ada", title: "Review", startAt: "2026-01-05", endAt: "2026-01-05" };
    expect((await call("PUT", `/api/v1/${plural}/external/same`, other)).status).toBe(201);
  }
  expect((await get(ours.id)).body.data).toEqual(ours);
});

test("an externalId that was cleared or deleted is free: PUT creates again", async () => {
  const { put, request, patch, remove, get } = await requestWorld();
  const first = await request({ ...body, externalId: "JIRA-7" });
  await patch(first.id, { externalId: "" });
  const second = await put("JIRA-7", body);
  expect(second.status).toBe(201);
  await remove(second.body.data.id);
  expect((await put("JIRA-7", body)).status).toBe(201);
  expect((await get(first.id)).body.data.externalId).toBeNull();
});

test("50 concurrent PUTs of one new externalId: one 201, 49 times 200, one row", async () => {
  const { put, list } = await requestWorld();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, i) => put("JIRA-7", { ...body, title: `Request ${i}` })),
  );
  expect(replies.map((reply) => reply.status).sort()).toEqual([...Array(49).fill(200), 201]);
  expect(new Set(replies.map((reply) => reply.body.data.updatedAt)).size).toBe(50);
  const { data, pagination } = (await list()).body;
  expect([data.length, pagination.total]).toEqual([1, 1]);
  expect(replies.map((reply) => reply.body.data)).toContainEqual(data[0]);
});
