import { expect, test } from "bun:test";
import {
  defaultScopes,
  formatScopes,
  parseScopes,
  readScopes,
  type Scope,
  scopes,
} from "../../src/core/tenant/scopes.ts";
import { publicPaths } from "../../src/http/guard/route-table.ts";
import { existing, furnish, routesOf } from "../hostile/routes.ts";
import { storeKey } from "../support/keys.ts";
import { world } from "../support/world.ts";

type World = Awaited<ReturnType<typeof world>>;

async function keyWith({ engine, first }: World, granted: readonly Scope[]): Promise<string> {
  const key = { organizationId: first.id, name: granted.join(), expiresAt: null, scopes: granted };
  return (await storeKey(engine, key)).secret;
}

/** The scope that the contract gives to a route, written down without the source. */
function scopeOf(method: string, path: string): Scope | undefined {
  if (path === "/api/v1/me") return undefined;
  if (/^\/api\/v1\/(?:keys|erasures|webhooks)/.test(path)) return "admin";
  if (method === "GET" || path === "/api/v1/health/preview") return "read";
  if (/^\/api\/v1\/(?:organization|attributes|health)\b/.test(path)) return "admin";
  if (path.startsWith("/v1/")) return "events";
  return ["/api/v1/events", "/api/v1/last-seen"].includes(path) ? "events" : "write";
}

const problem = (scope: Scope) => ({
  type: "urn:accountd:problem:insufficient_scope",
  title: "Insufficient scope",
  status: 403,
  detail: `Use a key with the scope \`${scope}\`.`,
  code: "insufficient_scope",
});

test("every operation is refused to a key with all other scopes, and not to one with its scope only", async () => {
  const here = await world();
  const ids = await furnish(here);
  const allowed = new Map<Scope, string>();
  const refused = new Map<Scope, string>();
  for (const scope of scopes) {
    allowed.set(scope, await keyWith(here, [scope]));
    refused.set(
      scope,
      await keyWith(
        here,
        scopes.filter((other) => other !== scope),
      ),
    );
  }
  const routes = routesOf(here);
  expect(routes.length).toBeGreaterThan(40);
  for (const { method, path, body } of routes) {
    const scope = scopeOf(method, path);
    const address = existing(path, ids);
    const call = (key = "") => here.call(method, address, body, { key });
    if (!scope) {
      for (const key of allowed.values()) expect((await call(key)).status).toBe(200);
      continue;
    }
    const reply = await call(refused.get(scope));
    expect([method, path, reply.status, reply.body]).toEqual([method, path, 403, problem(scope)]);
    // POST /api/v1/keys needs the scopes of the new key as well.
    expect([method, path, (await call(allowed.get(scope))).body]).not.toEqual([method, path, problem(scope)]);
  }
});

test("a HEAD needs the scope of its GET", async () => {
  const here = await world();
  const head = async (granted: Scope[]) =>
    (await here.call("HEAD", "/api/v1/accounts", undefined, { key: await keyWith(here, granted) })).status;
  expect([await head(["read"]), await head(["write", "events", "admin"])]).toEqual([200, 403]);
});

test("403 comes after the URL, the path, the method and the key, and before the query and the body", async () => {
  const here = await world();
  const key = await keyWith(here, ["events"]);
  const status = async (
    method: string,
    path: string,
    body?: unknown,
    headers = {},
    sent: string | null = key,
  ) => (await here.call(method, path, body, { key: sent, headers })).status;
  const accounts = "/api/v1/accounts";
  expect(await status("GET", accounts, undefined, { host: "two words" })).toBe(400);
  expect(await status("GET", `${accounts}/%ff`)).toBe(400);
  expect(await status("GET", "/api/v1/none")).toBe(404);
  expect(await status("PUT", accounts)).toBe(405);
  expect(await status("GET", accounts, undefined, {}, null)).toBe(401);
  expect(await status("GET", `${accounts}?unknown=1&page=x`)).toBe(403);
  expect(await status("POST", accounts, "{")).toBe(403);
  expect(await status("POST", accounts, "{}", { "content-type": "text/plain" })).toBe(403);
  expect(await status("POST", accounts, "{}", { "content-length": "9999999" })).toBe(403);
});

test("the body of a request without the scope is not read, and nothing is stored", async () => {
  const here = await world();
  const key = await keyWith(here, ["read", "events", "admin"]);
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const body = JSON.stringify({ name: "Acme" });
  const request = new Request("http://localhost/api/v1/accounts", { method: "POST", headers, body });
  expect((await here.app.fetch(request)).status).toBe(403);
  expect(request.bodyUsed).toBe(false);
  expect((await here.call("GET", "/api/v1/accounts")).body.pagination.total).toBe(0);
});

test("a Segment batch needs events, also with its key in the body", async () => {
  const here = await world();
  const batch = [{ type: "track", event: "login", messageId: "1", context: { groupId: "acme" } }];
  for (const [granted, status] of [
    [["events"], 200],
    [["read", "write", "admin"], 403],
  ] as const) {
    const writeKey = await keyWith(here, granted);
    const reply = await here.call("POST", "/v1/batch", { batch, writeKey }, { key: null });
    expect(reply.status).toBe(status);
    if (status === 403) expect(reply.body).toEqual(problem("events"));
    expect((await here.call("POST", "/v1/batch", { batch }, { key: writeKey })).status).toBe(status);
  }
  expect((await here.rows("SELECT count(*) AS count FROM events"))[0]).toEqual({ count: 1 });
});

test("public paths need no scope", async () => {
  const { app } = await world();
  const open = app.routes.filter(({ path }) => publicPaths.has(path));
  expect(open.map(({ path }) => path)).toContain("/livez");
  for (const { hooks } of open) expect(hooks.detail?.security).toBeUndefined();
});

test("a key that is created without scopes, or was stored before scopes existed, has read, write and events", async () => {
  const { engine, execute, first, rows } = await world();
  await storeKey(engine, { organizationId: first.id, name: "new", expiresAt: null });
  expect(defaultScopes).toEqual(["read", "write", "events"]);
  // As a copy of the service from before the migration inserts it.
  await execute(
    `INSERT INTO api_keys (organization_id, name, hash, last_four, created_at)
      SELECT organization_id, 'older', '${"ab".repeat(32)}', 'wxyz', 1 FROM api_keys WHERE name = 'new'`,
  );
  expect(await rows("SELECT scopes, rate_limit FROM api_keys WHERE name IN ('new', 'older')")).toEqual([
    { scopes: "read,write,events", rate_limit: null },
    { scopes: "read,write,events", rate_limit: null },
  ]);
});

test.each([
  ["read", ["read"]],
  ["write, read", ["write", "read"]],
  ["admin,admin", ["admin", "admin"]],
  ["", undefined],
  ["read,", undefined],
  ["READ", undefined],
  ["read write", undefined],
  ["read,constructor", undefined],
  ["*", undefined],
])("the scopes of the list %j are %j", (list, expected) => {
  expect<unknown>(readScopes(list)).toEqual(expected);
});

test("scopes are stored in one order and once; unknown stored ones are ignored", () => {
  expect(formatScopes(["admin", "read", "admin"])).toBe("read,admin");
  expect(parseScopes("read,future,admin")).toEqual(["read", "admin"]);
  expect(parseScopes("future")).toEqual([]);
});
