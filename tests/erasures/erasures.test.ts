import { expect, test } from "bun:test";
import { type Body, beginning } from "../support/world.ts";
import { email, erasureWorld, marker, nothing, userId } from "./erasure-world.ts";

const firstDay = Math.floor(beginning / 86_400_000) - 1;

test("the contacts with the address are deleted, in any letter case; others stay", async () => {
  const here = await erasureWorld();
  await here.account({ name: "Globex" });
  await here.storeContact(1);
  await here.storeContact(2, { account: 2, address: email.toUpperCase() });
  const other = await here.send("POST", "/api/v1/accounts/1/contacts", { name: "Eve", email: "eve@x.io" });
  const { status, body } = await here.erase({ email: email.toUpperCase() });
  expect([status, body]).toEqual([
    200,
    { data: { ...nothing, contacts: 2, changes: 6, idempotentReplies: 4 } },
  ]);
  expect(await here.send("GET", "/api/v1/contacts")).toEqual([other] as never);
  expect(await here.content()).not.toContain(marker);
  expect(await here.faults(firstDay)).toEqual([]);
});

test("the changes of an erased contact stay in the feed, without its values", async () => {
  const here = await erasureWorld();
  const id = await here.storeContact(1);
  const feed = async () => (await here.send("GET", "/api/v1/changes")) as unknown as Body[];
  const before = await feed();
  await here.erase({ email });
  const after = await feed();
  const row = { id, accountId: 1, externalId: null, name: "erased", email: null, attributes: {} };
  expect(after.slice(0, before.length - 2)).toEqual(before.slice(0, -2));
  expect(after.slice(before.length - 2)).toMatchObject([
    { type: "contact.created", resourceId: id, before: null, after: row },
    { type: "contact.updated", resourceId: id },
    { type: "contact.deleted", resourceId: id, before: row, after: null },
  ]);
  expect(after.map(({ sequence }) => sequence)).toEqual(after.map((_, index) => index + 1));
  const history = (await here.call("GET", "/api/v1/accounts/1/history")).text;
  expect(history).not.toContain(marker);
});

test("a repeated write has its stored reply without the values, and no further effect", async () => {
  const here = await erasureWorld();
  const id = await here.storeContact(1);
  await here.erase({ email });
  const body = {
    name: `${marker} 1`,
    email,
    externalId: `${marker} id 1`,
    attributes: { city: `${marker} city` },
  };
  const headers = { "idempotency-key": "create-1" };
  const reply = await here.call("POST", "/api/v1/accounts/1/contacts", body, { headers });
  expect([reply.status, reply.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(reply.body.data).toMatchObject({
    ...{ id, name: "erased", email: null, externalId: null, attributes: {} },
  });
  expect(await here.send("GET", "/api/v1/contacts")).toEqual([] as never);
});

test("a contact in the stored reply to a write with fields is erased, and the replay has these members", async () => {
  const here = await erasureWorld();
  const write = (method: string, path: string, body: object, key: string) =>
    here.call(method, path, body, { headers: { "idempotency-key": key } });
  const writes = [
    () => write("POST", "/api/v1/accounts/1/contacts?fields=name", { name: marker, email }, "post"),
    () => write("PATCH", "/api/v1/contacts/1?fields=attributes,name", { attributes: { a: marker } }, "patch"),
    () => write("PUT", "/api/v1/contacts/external/7?fields=externalId", { name: "Eve", accountId: 1 }, "put"),
  ];
  const first = [];
  for (const send of writes) first.push(await send());
  const replays = [];
  for (const send of writes) replays.push((await send()).text);
  expect(replays).toEqual(first.map(({ text }) => text));
  expect((await here.erase({ email })).body.data).toMatchObject({ contacts: 1, idempotentReplies: 2 });
  expect(await here.content()).not.toContain(marker);
  const erased = [];
  for (const send of writes) erased.push((await send()).body.data);
  expect(erased).toEqual([
    { id: 1, name: "erased" },
    { id: 1, name: "erased", attributes: {} },
    { id: 2, externalId: "7" },
  ]);
});

test("a contact in the stored reply to a batch is erased, and the other results stay", async () => {
  const here = await erasureWorld();
  const path = "/api/v1/accounts/1/contacts";
  const operations = [
    { method: "POST", path, body: { name: marker, email } },
    { method: "POST", path, body: { name: "Eve", email: "eve@x.io" } },
    { method: "PATCH", path: "/api/v1/contacts/1", body: { email: null } },
  ];
  const headers = { "idempotency-key": "batch-1" };
  const first = await here.call("POST", "/api/v1/batch", { mode: "atomic", operations }, { headers });
  const erased = (await here.erase({ email })).body.data;
  // The contact has no address any more, so it stays; its changes lose the address.
  expect(erased).toEqual({ ...nothing, changes: 2, idempotentReplies: 1 });
  const replay = await here.call("POST", "/api/v1/batch", { mode: "atomic", operations }, { headers });
  expect(replay.text).not.toContain(email);
  expect(replay.body.data.results[1]).toEqual(first.body.data.results[1]);
});

test("a contact in the stored reply to an account with its contacts is erased", async () => {
  const here = await erasureWorld();
  const headers = { "idempotency-key": "with-contacts" };
  const create = () =>
    here.call(
      "POST",
      "/api/v1/accounts?include=contacts",
      { name: "Globex", contactName: marker, contactEmail: email },
      { headers },
    );
  expect((await create()).text).toContain(email);
  expect((await here.erase({ email })).body.data).toMatchObject({ contacts: 1, idempotentReplies: 1 });
  expect((await create()).text).not.toContain(marker);
});

test("the events of the user lose the user and the properties; usage stays as it is", async () => {
  const here = await erasureWorld();
  await here.storeEvents();
  const usage = await here.usage();
  expect(usage.map(({ event, count, users }) => [event, count, users])).toEqual([
    ["first", 2, 2],
    ["login", 2, 2],
  ]);
  const { body } = await here.erase({ userId });
  expect(body.data).toEqual({ ...nothing, events: 3, usageUsers: 2 });
  expect(await here.usage()).toEqual(usage);
  expect(await here.content()).not.toContain(marker);
  expect(await here.rows("SELECT user_id, properties, message_id FROM events ORDER BY id")).toEqual([
    { user_id: "other", properties: null, message_id: "1" },
    { user_id: null, properties: null, message_id: expect.stringMatching(/^erased-[0-9a-f]{64}$/) },
    { user_id: null, properties: null, message_id: "2" },
    { user_id: "other", properties: '{"text":"kept"}', message_id: "3" },
    { user_id: null, properties: null, message_id: "4" },
  ]);
  expect(await here.faults(firstDay)).toEqual([]);
});

test("another user of a day is not affected: a further event of it counts no further user", async () => {
  const here = await erasureWorld();
  await here.storeEvents();
  await here.erase({ userId });
  const event = { event: "login", externalId: "acme", timestamp: "2026-01-01T11:00:00Z", userId: "other" };
  await here.send("POST", "/api/v1/events", event);
  expect((await here.usage())[1]).toMatchObject({ event: "login", count: 3, users: 2 });
});

test("a user id is compared byte for byte, and is not part of another one", async () => {
  const here = await erasureWorld();
  await here.storeEvents();
  for (const other of [userId.toUpperCase(), `${userId}1`, marker, "%", "_"])
    expect((await here.erase({ userId: other })).body.data).toEqual(nothing);
});

test("a contact that was deleted before, and one that had the address before, lose it in their changes", async () => {
  const here = await erasureWorld();
  const gone = await here.storeContact(1);
  await here.send("DELETE", `/api/v1/contacts/${gone}`);
  const contact = await here.send("POST", "/api/v1/accounts/1/contacts", { name: "Desk", email });
  await here.send("PATCH", `/api/v1/contacts/${contact.id}`, { email: "desk@x.io" });
  const { data } = (await here.erase({ email })).body;
  expect(data).toEqual({ ...nothing, changes: 3 + 2, idempotentReplies: 2 });
  expect(await here.content()).not.toContain(marker);
  const [kept] = (await here.send("GET", "/api/v1/contacts")) as unknown as Body[];
  expect(kept).toMatchObject({ name: "Desk", email: "desk@x.io" });
  expect((await here.call("GET", "/api/v1/changes")).text).toContain('"Desk"');
});

test("a repeated erasure finds nothing, and a dry run counts the same and changes nothing", async () => {
  const here = await erasureWorld();
  await here.storeContact(1);
  await here.storeEvents();
  const before = await here.content();
  const dry = await here.erase({ email, userId }, { query: "?dryRun=true" });
  expect(dry.headers.get("dry-run")).toBe("true");
  expect(await here.content()).toBe(before);
  const erased = await here.erase({ email, userId });
  expect(erased.body).toEqual(dry.body);
  expect(erased.body.data).toEqual({
    ...{ contacts: 1, events: 3, usageUsers: 2, changes: 3, idempotentReplies: 2 },
  });
  expect(await here.content()).not.toContain(marker);
  expect((await here.erase({ email, userId })).body.data).toEqual(nothing);
});

test("rows of another organization with the same values stay", async () => {
  const here = await erasureWorld();
  await here.storeContact(1);
  await here.storeEvents();
  const before = await here.content();
  expect((await here.erase({ email, userId }, { key: here.keys.second })).body.data).toEqual(nothing);
  expect(await here.content()).toBe(before);
});

test("an Idempotency-Key replays the counts, and is bound to its request", async () => {
  const here = await erasureWorld();
  await here.storeEvents();
  const headers = { "idempotency-key": "erase-1" };
  const first = await here.erase({ userId }, { headers });
  expect(first.body.data.events).toBe(3);
  const again = await here.erase({ userId }, { headers });
  expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
  await here.storeContact(1);
  const other = await here.erase({ email }, { headers });
  expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
  expect(((await here.send("GET", "/api/v1/contacts")) as unknown as Body[]).length).toBe(1);
});

test("a body without an address and a user id is 400, and so is an invalid one", async () => {
  const here = await erasureWorld();
  for (const [body, pointer, code] of [
    [{}, "/email", "required"],
    [{ email: "ada" }, "/email", "invalid_email"],
    [{ email: "" }, "/email", "too_short"],
    [{ userId: "" }, "/userId", "too_short"],
    [{ userId: 7 }, "/userId", "wrong_type"],
    [{ email: null }, "/email", "wrong_type"],
  ] as const) {
    const reply = await here.erase(body);
    expect([body, reply.status, reply.body.errors]).toEqual([
      body,
      400,
      [expect.objectContaining({ pointer, code })],
    ]);
  }
});
