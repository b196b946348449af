import { expect, test } from "bun:test";
import { removeOldIdempotencyKeys } from "../../src/core/tenant/idempotency-expiry.ts";
import { world } from "../support/world.ts";

const path = "/api/v1/accounts";
const day = 86_400_000;
const withKey = (key: string) => ({ headers: { "idempotency-key": key } });
const count = async ({ rows }: Awaited<ReturnType<typeof world>>, table: string) =>
  Number((await rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))[0]?.count);

test("a repeated POST with its Idempotency-Key has the first reply byte for byte, and one effect", async () => {
  const here = await world();
  const body = { name: "Acmé", externalId: "acme", contactName: "Ada" };
  const first = await here.call("POST", path, body, withKey("one"));
  expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([201, null]);
  await here.call("PATCH", `${path}/1`, { name: "Changed" });
  for (let i = 0; i < 3; i++) {
    const repeated = await here.call("POST", path, body, withKey("one"));
    expect([repeated.status, repeated.text]).toEqual([201, first.text]);
    expect(repeated.headers.get("idempotent-replayed")).toBe("true");
    expect(repeated.headers.get("location")).toBe(first.headers.get("location"));
    expect(repeated.headers.get("content-type")).toBe("application/json");
  }
  expect([await count(here, "accounts"), await count(here, "contacts")]).toEqual([1, 1]);
  // The create of the account and the contact, and the update.
  expect(await count(here, "changes")).toBe(3);
});

test("every write can have a key: PATCH, PUT, DELETE, events, last-seen and Segment", async () => {
  const { call, account } = await world();
  await account({ name: "Acme", externalId: "acme" });
  const rows: [method: string, path: string, body?: object][] = [
    ["PATCH", `${path}/1`, { name: "A" }],
    ["PUT", `${path}/external/acme`, { name: "B" }],
    ["POST", `${path}/1/contacts`, { name: "Ada", externalId: "ada" }],
    ["PUT", "/api/v1/contacts/external/ada", { name: "Eve" }],
    ["PATCH", "/api/v1/contacts/1", { name: "Bob" }],
    ["DELETE", "/api/v1/contacts/external/ada"],
    ["POST", "/api/v1/events", { event: "login", externalId: "acme" }],
    ["POST", "/v1/batch", { batch: [{ type: "track", event: "login", groupId: "acme" }] }],
    [
      "POST",
      "/api/v1/last-seen",
      { items: [{ externalId: "acme", source: "crm", lastSeenAt: "2026-01-01" }] },
    ],
    ["DELETE", `${path}/1`],
  ];
  for (const [i, [method, target, body]] of rows.entries()) {
    const first = await call(method, target, body, withKey(`key-${i}`));
    expect([method, target, first.status < 300]).toEqual([method, target, true]);
    const repeated = await call(method, target, body, withKey(`key-${i}`));
    expect([repeated.status, repeated.text]).toEqual([first.status, first.text]);
    expect(repeated.headers.get("idempotent-replayed")).toBe("true");
  }
  // An event without a messageId counts once.
  await account({ name: "Acme", externalId: "acme-2" });
  for (let i = 0; i < 3; i++)
    await call("POST", "/api/v1/events", { event: "e", externalId: "acme-2" }, withKey("event"));
  const usage = await call("GET", `${path}/2/usage`);
  expect(usage.body.data.map(({ count }: { count: number }) => count)).toEqual([1]);
});

test("the key is bound to method, path, query and body bytes: another request is 422, and stores nothing", async () => {
  const here = await world();
  const body = '{"name":"Acme"}';
  await here.account({ name: "First" });
  expect((await here.call("PATCH", `${path}/1`, body, withKey("k"))).status).toBe(200);
  const others: [method: string, path: string, body: string][] = [
    ["PATCH", `${path}/1`, '{"name": "Acme"}'],
    ["PATCH", `${path}/1?dryRun=false`, body],
    ["PATCH", `${path}/1?dryRun=true`, body],
    ["POST", path, body],
    ["PATCH", `${path}/01`.replace("01", "%31"), body],
    ["PUT", `${path}/external/1`, body],
  ];
  for (const [method, target, text] of others) {
    const reply = await here.call(method, target, text, withKey("k"));
    expect([method, target, reply.body.code]).toEqual([method, target, "idempotency_key_reused"]);
    expect([reply.status, reply.headers.get("idempotent-replayed")]).toEqual([422, null]);
  }
  expect(await count(here, "accounts")).toBe(1);
  const replayed = await here.call("PATCH", `${path}/1`, body, withKey("k"));
  expect(replayed.headers.get("idempotent-replayed")).toBe("true");
});

test("a key is 1 to 255 visible ASCII characters; with the quotes of the draft it is the same key", async () => {
  const { call } = await world();
  const send = (key: string) => call("POST", path, { name: "Acme" }, withKey(key));
  const same = [await send("a-key"), await send('"a-key"')];
  expect(same.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
  const escaped = [await send('a"b\\c'), await send('"a\\"b\\\\c"')];
  expect(escaped.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
  for (const key of ["!", "~".repeat(255), `"${"~".repeat(255)}"`, "__proto__", "constructor"])
    expect([key, (await send(key)).status]).toEqual([key, 201]);
  const invalid = {
    "": "not_allowed",
    '""': "not_allowed",
    "a b": "not_allowed",
    "a, b": "not_allowed",
    "a\tb": "not_allowed",
    "caf\u00e9": "not_allowed",
    '"open': "not_allowed",
    '"a"b"': "not_allowed",
    '"': "not_allowed",
    '"a\\n"': "not_allowed",
    ["x".repeat(256)]: "too_long",
    [`"${"x".repeat(256)}"`]: "too_long",
  };
  for (const [key, code] of Object.entries(invalid)) {
    const { status, body } = await send(key);
    expect([key, status, body.errors]).toEqual([
      key,
      400,
      [{ header: "Idempotency-Key", code, detail: expect.stringContaining("255") }],
    ]);
  }
});

test("a key is not bound to the host: a server has several names", async () => {
  const { app, first } = await world();
  const send = (host: string) =>
    app.fetch(
      new Request(`http://${host}${path}`, {
        method: "POST",
        headers: { "x-api-key": first.key, "content-type": "application/json", "idempotency-key": "k" },
        body: '{"name":"Acme"}',
      }),
    );
  const replies = [await send("localhost"), await send("accounts.example.com:8080")];
  expect(replies.map(({ status }) => status)).toEqual([201, 201]);
  expect(replies.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
});

test("requests with different keys, or of two organizations, run at the same time", async () => {
  const { call, second } = await world();
  const keys = ["a", "b", "c", "d"].map(withKey);
  const replies = await Promise.all([
    ...keys.map((options) => call("POST", path, { name: "Acme" }, options)),
    ...keys.map((options) => call("POST", path, { name: "Acme" }, { ...options, key: second.key })),
  ]);
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
  expect(replies.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual(replies.map(() => null));
});

test("only successes are stored: after a problem the same key runs the request again", async () => {
  const here = await world();
  const put = (body: object) => here.call("PUT", `${path}/external/acme`, body, withKey("k"));
  expect((await put({ mrr: 5 })).status).toBe(400);
  expect((await here.call("DELETE", `${path}/9`, undefined, withKey("k"))).status).toBe(404);
  expect(await count(here, "idempotency_keys")).toBe(0);
  expect((await put({ name: "Acme" })).status).toBe(201);
  expect(await count(here, "idempotency_keys")).toBe(1);
});

test("a key belongs to one organization", async () => {
  const { call, second } = await world();
  await call("POST", path, { name: "Acme" }, withKey("k"));
  const theirs = await call("POST", path, { name: "Other" }, { ...withKey("k"), key: second.key });
  expect([theirs.status, theirs.body.data.name]).toEqual([201, "Other"]);
});

test("a reply is stored for 24 hours; then the key can be used again, also before the job deletes the reply", async () => {
  const here = await world();
  const send = (name: string) => here.call("POST", path, { name }, withKey("k"));
  await send("Acme");
  here.pass(day - 1);
  expect((await send("Acme")).headers.get("idempotent-replayed")).toBe("true");
  expect(await removeOldIdempotencyKeys(here.tenant())).toBe(false);
  expect(await count(here, "idempotency_keys")).toBe(1);
  here.pass(1);
  const again = await send("Other");
  expect([again.status, again.body.data.name]).toEqual([201, "Other"]);
  expect((await send("Other")).headers.get("idempotent-replayed")).toBe("true");
  here.pass(day);
  for (let i = 0; i < 51; i++) await here.call("POST", path, { name: "A" }, withKey(`new-${i}`));
  here.pass(day);
  expect(await removeOldIdempotencyKeys(here.tenant())).toBe(true);
  expect(await removeOldIdempotencyKeys(here.tenant())).toBe(false);
  expect(await count(here, "idempotency_keys")).toBe(0);
});

test("requests with one key at the same time have one effect: the others are 409 with Retry-After, or replays", async () => {
  const here = await world();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => here.call("POST", path, { name: "Acme" }, withKey("k"))),
  );
  expect(await count(here, "accounts")).toBe(1);
  expect(replies.filter(({ status }) => status === 201 || status === 409)).toHaveLength(20);
  const stored = replies.filter(({ status }) => status === 201);
  expect(new Set(stored.map(({ text }) => text)).size).toBe(1);
  expect(stored.filter(({ headers }) => !headers.has("idempotent-replayed"))).toHaveLength(1);
  const inUse = replies.filter(({ status }) => status === 409);
  expect(inUse.length).toBeGreaterThan(0);
  for (const { body, headers } of inUse)
    expect([body.code, headers.get("retry-after")]).toEqual(["idempotency_key_in_use", "1"]);
  // The first one has ended.
  const later = await here.call("POST", path, { name: "Acme" }, withKey("k"));
  expect([later.status, later.text]).toEqual([201, stored[0]?.text ?? ""]);
});
