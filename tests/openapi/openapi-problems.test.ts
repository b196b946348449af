import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { scopes } from "../../src/core/tenant/scopes.ts";
import { storeKey } from "../support/keys.ts";
import { type Document, withoutReferences } from "../support/openapi.ts";
import { type Reply, world } from "../support/world.ts";
import { rulesWith } from "../webhooks/receiver.ts";

type Sent = { path?: string; body?: unknown; key?: string | null; headers?: Record<string, string> };
type World = Awaited<ReturnType<typeof world>>;
type Operation = {
  method: string;
  path: string;
  body: Record<string, unknown> | undefined;
  scope: string;
  query?: string;
};

const source: Document = (await (await world()).call("GET", "/docs/json", undefined, { key: null })).body;
const document = withoutReferences(source);
const operations = Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Document>(methods).map(([method, operation]) => ({ method, path, operation })),
);

/** Attributes of 40,000 bytes of JSON. */
const large = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [`a${10 + i}`, i === 39 ? `x${"é".repeat(475)}` : "é".repeat(496)]),
);

/** For each scope, a key with all others; made by the test below. */
let keyWithout: Record<string, string> = {};
/** A key that has no request left; made by the test below. */
let usedUp = "";

/** It needs rows of an earlier version: tests/lists/page-size.test.ts. */
const unprovoked = ["response_too_large"];
/** They need changes that were deleted, and many streams: tests/changes/stream.test.ts. */
const unprovokedOfChanges = ["changes_expired", "too_many_streams"];
/** They need 20 webhooks, and one that is not active: tests/webhooks. */
const unprovokedOfWebhooks = ["too_many_webhooks", "webhook_inactive"];
/** The request that causes each problem of the caller. */
const provocations: Record<string, (operation: Operation) => Sent> = {
  invalid_request: ({ path, method, body, query }) => {
    if (method === "post" && /\/(?:accounts|preview)$/.test(path)) return { body: {} };
    if (method === "get" && path.endsWith("/settings")) return { headers: { "if-none-match": "x" } };
    return {
      path: query === undefined ? path.replace(/\{\w+\}/, "-") : `${path}?${query}=1&${query}=1`,
      body,
    };
  },
  unknown_parameter: ({ path, body }) => ({ path: `${path}?pageSizes=1`, body }),
  unknown_member: ({ body }) => ({ body: { ...body, names: 1 }, headers: { prefer: "handling=strict" } }),
  invalid_cursor: ({ path }) => ({ path: `${path}?cursor=x` }),
  malformed_json: () => ({ body: "{" }),
  malformed_url: ({ path, body }) => ({ path: `${path}?a=%`, body }),
  invalid_host: ({ body }) => ({ body, headers: { host: "two words" } }),
  no_valid_fields: () => ({ body: { unknown: 1 } }),
  unauthorized: ({ body }) => ({ body, key: null }),
  not_found: ({ path, body }) => ({
    path: path.replace(/\{\w+Id\}/, (name) => (name === "{externalId}" ? name : "999999")),
    body: body && { ...body, accountId: 999_999 },
  }),
  insufficient_scope: ({ body, scope }) => ({ body, key: keyWithout[scope] ?? null }),
  precondition_failed: ({ body }) => ({ body, headers: { "if-match": '"0.0"' } }),
  rate_limited: ({ body }) => ({ body, key: usedUp }),
  external_id_conflict: ({ body }) => ({ body: { ...body, externalId: "taken" } }),
  attribute_type_conflict: ({ body }) => ({
    body: { ...body, attributes: { plan: 5 }, externalId: undefined, email: undefined },
  }),
  attributes_too_large: ({ body }) => ({
    body: { ...body, attributes: large, externalId: undefined, email: undefined },
  }),
  attribute_values_conflict: () => ({ body: { type: "number" } }),
  contact_email_conflict: ({ body }) => ({ body: { ...body, email: "TAKEN@example.com" } }),
  user_id_conflict: ({ body }) => ({ body: { ...body, userId: "taken", email: undefined } }),
  payload_too_large: () => ({ body: `{"name":"${"x".repeat(1_048_576)}"}` }),
  too_many_values: () => ({ body: `{"name":[${"0,".repeat(65_536)}0]}` }),
  batch_failed: () => ({
    body: { mode: "atomic", operations: [{ method: "DELETE", path: "/api/v1/accounts/999999" }] },
  }),
  idempotency_key_reused: ({ body }) => ({ body, headers: { "idempotency-key": "used" } }),
  unsupported_media_type: ({ body }) => ({ body, headers: { "content-type": "text/html" } }),
};

test("the description of a problem lists its codes; every write can be 409 for a key in use", () => {
  for (const { method, path, operation } of operations) {
    for (const { description, content } of Object.values<Document>(operation.responses)) {
      const examples = content?.["application/problem+json"]?.examples;
      if (examples) expect(description).toBe(Object.keys(examples).join(", "));
    }
    const inUse = operation.responses["409"]?.description.split(", ").at(-1);
    const isWrite = method !== "get" && !/\/(?:preview|test)$/.test(path);
    expect([method, path, inUse]).toEqual([method, path, isWrite ? "idempotency_key_in_use" : undefined]);
  }
});

test("every operation has the problems of the caller that it documents, and every example is a reply", async () => {
  // A fixed clock: the key stays used up.
  const service = await world({ limits: { now: () => 0 }, webhookRules: rulesWith({}) });
  const { call, account, engine, first } = service;
  usedUp = await usedUpKey(service);
  keyWithout = await keysWithout(engine, first.id);
  const { id: accountId } = await account({ name: "Acme", externalId: "acme" });
  await account({ name: "Initech", attributes: { plan: "pro" } });
  const used = { headers: { "idempotency-key": "used" } };
  await account({ name: "Other", externalId: "taken" }, used);
  const keyId = (await call("POST", "/api/v1/keys", { name: "another" })).body.data.id;
  const webhook = (await call("POST", "/api/v1/webhooks", { url: "https://example.com/" })).body.data;
  const ids: Record<string, unknown> = { accountId, keyId, name: "plan", webhookId: webhook.id };
  ids.deliveryId = 1;
  await service.execute(`INSERT INTO webhook_deliveries
    (organization_id, webhook_id, sequence, account_id, status, created_at) VALUES (1, ${webhook.id}, 1, 1, 'failed', 0)`);
  const row = { name: "Ada", title: "Review", startAt: "2026-01-01", endAt: "2026-01-01" };
  for (const noun of ["contact", "meeting", "request"]) {
    const list = `/api/v1/accounts/${accountId}/${noun}s`;
    const taken = {
      externalId: "taken",
      userId: "taken",
      email: "taken@example.com",
      attributes: { plan: "pro" },
    };
    await call("POST", list, { ...row, ...taken });
    ids[`${noun}Id`] = (await call("POST", list, row)).body.data.id;
  }

  const seen = new Set<string>();
  for (const { method, path, operation } of operations) {
    const [example] = exampleOf(operation.requestBody);
    for (const [code, value] of problemsOf(operation)) {
      if ([...unprovoked, ...unprovokedOfChanges, ...unprovokedOfWebhooks].includes(code)) continue;
      const query = operation.parameters?.find((parameter: Document) => parameter.in === "query")?.name;
      const sent = { method, path, body: example, scope: operation["x-required-scope"], query };
      const provocation = provocations[code]?.(sent) ?? {};
      const { path: pattern = path, body, ...options } = provocation;
      // PATCH, and what belongs to an account, require the account; the other operations must not find one.
      const isBelow = path.includes("/external/{externalId}/");
      const isFound = (method === "patch" || isBelow) && code !== "not_found";
      const existing = code === "precondition_failed" ? "taken" : "acme";
      const externalId = isFound || existing === "taken" ? existing : "mine";
      const named: typeof ids = { ...ids, externalId };
      const address = pattern.replace(/\{(\w+)\}/g, (_, name) => String(named[name]));
      const reply: Reply = await call(method.toUpperCase(), address, body, options);
      expect([method, path, reply.body.code]).toEqual([method, path, code]);
      if (Bun.deepEquals(reply.body, value)) seen.add(code);
    }
  }
  expect([...seen].toSorted()).toEqual(Object.keys(provocations).toSorted());
});

/** A key with a limit, after as many requests as its burst. */
async function usedUpKey({ call, engine, first }: World): Promise<string> {
  const key = { organizationId: first.id, name: "", expiresAt: null, rateLimit: 1 };
  const { secret } = await storeKey(engine, key);
  for (let i = 0; i < 200; i += 1) await call("GET", "/api/v1/changes", undefined, { key: secret });
  return secret;
}

/** For each scope, a key with all others. */
async function keysWithout(engine: Engine, organizationId: number): Promise<Record<string, string>> {
  const keys: Record<string, string> = {};
  for (const scope of scopes) {
    const others = scopes.filter((other) => other !== scope);
    const key = { organizationId, name: scope, expiresAt: null, scopes: others };
    keys[scope] = (await storeKey(engine, key)).secret;
  }
  return keys;
}

function exampleOf(requestBody: Document): Record<string, unknown>[] {
  const name = requestBody?.content["application/json"].schema.$ref.split("/").at(-1);
  return document.components.schemas[name]?.examples ?? [];
}

/** The examples of an operation's problems, except 5xx. */
function problemsOf({ responses }: Document): [code: string, example: object][] {
  return (
    Object.entries<Document>(responses)
      .filter(([status]) => status >= "400" && status < "500")
      .flatMap(([, { content }]) => Object.entries<Document>(content["application/problem+json"].examples))
      .map(([code, { value }]): [string, object] => [code, value])
      // It takes a second request at the same time: tests/idempotency.
      .filter(([code]) => code !== "idempotency_key_in_use")
  );
}
