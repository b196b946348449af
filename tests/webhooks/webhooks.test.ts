import { expect, test } from "bun:test";
import { type Body, beginningText } from "../support/world.ts";
import { path, url, webhookWorld } from "./webhook-world.ts";

const webhook = {
  id: expect.any(Number),
  url,
  types: null,
  description: null,
  format: "accountd",
  ordered: "account",
  active: true,
  position: 0,
  pendingCount: 0,
  retryingCount: 0,
  disabledReason: null,
  disabledAt: null,
  previousSecretExpiresAt: null,
  createdAt: beginningText,
  updatedAt: beginningText,
};
const secretForm = /^whsec_[A-Za-z0-9+/]{43}=$/;

test("POST creates a webhook and returns its secret, this once", async () => {
  const { call, change } = await webhookWorld();
  await change(2);
  const types = ["contact.created", "account.created", "contact.created"];
  const body = { url, types, description: "CRM", format: "slack", ordered: "strict" };
  const reply = await call("POST", path, body);
  const { secret, ...stored } = reply.body.data;
  expect([reply.status, reply.headers.get("location")]).toEqual([201, `${path}/${stored.id}`]);
  expect(secret).toMatch(secretForm);
  expect(stored).toEqual({ ...webhook, ...body, types: ["account.created", "contact.created"], position: 2 });
  expect((await call("GET", `${path}/${stored.id}`)).body).toEqual({ data: stored });
  const list = await call("GET", path);
  expect(list.body.data).toEqual([stored]);
  expect(list.text).not.toContain("whsec_");
});

test("without other members, a webhook gets all changes as they are in the feed, each account's in order", async () => {
  const { create, send } = await webhookWorld();
  const { secret, ...stored } = await create();
  expect(stored).toEqual(webhook);
  expect((await create({ types: null, description: null })).types).toBe(null);
  expect((await send("GET", `${path}?sortOrder=desc&pageSize=1`))[0].id).toBeGreaterThan(stored.id);
});

const settings: [body: unknown, pointer: string, code: string][] = [
  [{ url: "" }, "/url", "too_short"],
  [{ url: 1 }, "/url", "wrong_type"],
  [{ url: "ftp://example.com" }, "/url", "invalid_url"],
  [{ url: "http://example.com" }, "/url", "not_allowed"],
  [{ url: "https://u:p@example.com" }, "/url", "invalid_url"],
  [{ url: "https://10.0.0.7/x" }, "/url", "not_allowed"],
  [{ url: "https://internal.example/" }, "/url", "not_allowed"],
  [{ url, types: [] }, "/types", "too_short"],
  [{ url, types: "account.created" }, "/types", "wrong_type"],
  [{ url, types: ["account.created", "account.create"] }, "/types/1", "not_allowed"],
  [{ url, types: [null] }, "/types/0", "not_allowed"],
  [{ url, format: "xml" }, "/format", "not_allowed"],
  [{ url, ordered: "none" }, "/ordered", "not_allowed"],
  [{ url, description: "x".repeat(1_001) }, "/description", "too_long"],
];
test("an invalid member is rejected with a pointer, and nothing is created or changed", async () => {
  const { call, create } = await webhookWorld();
  const { secret, ...stored } = await create();
  for (const [method, target] of [
    ["POST", path],
    ["PATCH", `${path}/${stored.id}`],
  ] as const)
    for (const [body, pointer, code] of settings) {
      const { status, body: problem } = await call(method, target, body);
      const errors = [{ pointer, code, detail: expect.stringMatching(/\w/) }];
      expect([method, body, status, problem.errors]).toEqual([method, body, 400, errors]);
    }
  expect((await call("POST", path, {})).body.errors).toMatchObject([{ pointer: "/url", code: "required" }]);
  expect((await call("GET", path)).body.data).toEqual([stored]);
});

test("an unknown type names the types that exist, and the most similar one", async () => {
  const { call } = await webhookWorld();
  const { errors } = (await call("POST", path, { url, types: ["account.create"] })).body;
  expect(errors[0].detail).toStartWith("must be one of account.created, account.updated, ");
  expect(errors[0].detail).toEndWith("request.deleted: did you mean `account.created`?");
});

test("an organization has at most 20 webhooks", async () => {
  const { call, create, send, second } = await webhookWorld();
  const ids: number[] = [];
  for (let i = 0; i < 20; i += 1) ids.push((await create()).id);
  const replies = await Promise.all([call("POST", path, { url }), call("POST", path, { url })]);
  for (const { status, body } of replies) expect([status, body.code]).toEqual([409, "too_many_webhooks"]);
  expect((await call("POST", path, { url }, { key: second.key })).status).toBe(201);
  await send("DELETE", `${path}/${ids[0]}`);
  await create();
});

test("PATCH changes the members that are sent; equal values change nothing", async () => {
  const { call, create, send, pass, versionOf } = await webhookWorld();
  const { id, secret, ...created } = await create();
  pass(5);
  const changes = {
    url: "http://127.0.0.1:9/x",
    types: ["account.created"],
    active: false,
    description: "x",
  };
  const changed = { ...created, id, ...changes, updatedAt: "2026-01-02T03:04:05.683Z" };
  expect(await send("PATCH", `${path}/${id}`, changes)).toEqual(changed);
  expect(await send("GET", `${path}/${id}`)).toEqual(changed);
  expect(await versionOf(id)).toBe(2);
  pass(5);
  expect(await send("PATCH", `${path}/${id}`, { active: false, types: ["account.created"] })).toEqual(
    changed,
  );
  expect(await versionOf(id)).toBe(2);
  const others = { format: "cloudevents", ordered: "strict", types: null, description: null };
  expect(await send("PATCH", `${path}/${id}`, others)).toMatchObject(others);
  const empty = await call("PATCH", `${path}/${id}`, { secret: "whsec_x" });
  expect([empty.status, empty.body.code]).toEqual([400, "no_valid_fields"]);
});

test("a webhook that is active again has no reason of its end, and continues where it stopped", async () => {
  const { create, send, change, execute } = await webhookWorld();
  const { id } = await create();
  await change(3);
  await execute(
    `UPDATE webhooks SET active = 0, position = 1, disabled_reason = 'gone', disabled_at = 1 WHERE id = ${id}`,
  );
  const stopped = await send("GET", `${path}/${id}`);
  expect(stopped).toMatchObject({
    active: false,
    position: 1,
    disabledReason: "gone",
    disabledAt: "1970-01-01T00:00:00.001Z",
  });
  const active = await send("PATCH", `${path}/${id}`, { active: true });
  expect(active).toMatchObject({ active: true, position: 1, disabledReason: null, disabledAt: null });
});

test("a webhook that is active again continues with the first change that is stored", async () => {
  const { create, send, change, execute } = await webhookWorld();
  const { id } = await create();
  await send("PATCH", `${path}/${id}`, { active: false });
  await change(3);
  await execute("DELETE FROM changes WHERE organization_id = 1 AND sequence < 3");
  expect((await send("PATCH", `${path}/${id}`, { active: true })).position).toBe(2);
});

test("a rotation returns a new secret; the previous one signs, too, for 24 hours", async () => {
  const { create, send, rows, pass, versionOf } = await webhookWorld();
  const { secret, ...stored } = await create();
  pass(5);
  const rotated = await send("POST", `${path}/${stored.id}/rotate`);
  expect(rotated).toEqual({
    ...stored,
    secret: expect.stringMatching(secretForm),
    previousSecretExpiresAt: "2026-01-03T03:04:05.683Z",
    updatedAt: "2026-01-02T03:04:05.683Z",
  });
  expect(rotated.secret).not.toBe(secret);
  expect(await rows("SELECT secret, previous_secret FROM webhooks")).toEqual([
    { secret: rotated.secret, previous_secret: secret },
  ]);
  expect(await versionOf(stored.id)).toBe(2);
  const { secret: _, ...shown } = rotated;
  expect(await send("GET", `${path}/${stored.id}`)).toEqual(shown);
});

test("a replay of an idempotent write does not have the secret", async () => {
  const { call } = await webhookWorld();
  const options = { headers: { "idempotency-key": "create" } };
  const first = await call("POST", path, { url }, options);
  const { secret, ...stored } = first.body.data;
  const again = await call("POST", path, { url }, options);
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(again.body).toEqual({ data: stored });
  const rotation = { headers: { "idempotency-key": "rotate" } };
  const rotated = await call("POST", `${path}/${stored.id}/rotate`, undefined, rotation);
  expect(rotated.body.data.secret).toMatch(secretForm);
  const replayed = await call("POST", `${path}/${stored.id}/rotate`, undefined, rotation);
  expect([replayed.status, replayed.text.includes("whsec_")]).toEqual([200, false]);
});

test("DELETE deletes the webhook and its deliveries, and no others", async () => {
  const { call, create, deliver, rows } = await webhookWorld();
  const [one, other] = [await create(), await create()];
  for (const { id } of [one, other])
    for (const [sequence, status] of [
      [1, "delivered"],
      [2, "failed"],
      [3, "pending"],
    ] as const)
      await deliver(id, sequence, status);
  const reply = await call("DELETE", `${path}/${one.id}`);
  expect([reply.status, reply.text]).toEqual([204, ""]);
  for (const [method, suffix] of [
    ["GET", ""],
    ["DELETE", ""],
    ["GET", "/deliveries"],
    ["GET", "/deliveries/1"],
  ] as const)
    expect((await call(method, `${path}/${one.id}${suffix}`)).status).toBe(404);
  expect(await rows("SELECT DISTINCT webhook_id FROM webhook_deliveries")).toEqual([
    { webhook_id: other.id },
  ]);
});

test("more than one step of deliveries is deleted with a webhook", async () => {
  const { call, create, execute, rows } = await webhookWorld();
  const { id } = await create();
  const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)";
  await execute(`INSERT INTO webhook_deliveries (organization_id, webhook_id, sequence, account_id, status, created_at)
    ${numbers} SELECT 1, ${id}, i, 0, 'delivered', 0 FROM n`);
  expect((await call("DELETE", `${path}/${id}`)).status).toBe(204);
  expect(await rows("SELECT sequence FROM webhook_deliveries")).toEqual([]);
});

test("a dry run has the usual reply and stores nothing", async () => {
  const { call, create, deliver, change, rows } = await webhookWorld();
  const { id } = await create();
  await change(1);
  await deliver(id, 1, "delivered");
  const stored = () =>
    Promise.all([rows("SELECT * FROM webhooks"), rows("SELECT * FROM webhook_deliveries")]);
  const before = await stored();
  const cases: [method: string, target: string, body: Body | undefined, status: number][] = [
    ["POST", path, { url }, 201],
    ["PATCH", `${path}/${id}`, { active: false }, 200],
    ["POST", `${path}/${id}/rotate`, undefined, 200],
    ["POST", `${path}/${id}/replay`, { after: 0 }, 200],
    ["POST", `${path}/${id}/deliveries/1/retry`, undefined, 200],
    ["DELETE", `${path}/${id}`, undefined, 204],
  ];
  for (const [method, target, body, status] of cases) {
    const reply = await call(method, `${target}?dryRun=true`, body);
    expect([target, reply.status, reply.headers.get("dry-run")]).toEqual([target, status, "true"]);
    expect(reply.text).not.toContain("whsec_");
  }
  expect(await stored()).toEqual(before);
});
