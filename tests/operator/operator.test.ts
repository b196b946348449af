import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { listKeys } from "../../src/api-keys/store.ts";
import { describeApp } from "../../src/app.ts";
import type { RequestOptions } from "../../src/cli/client.ts";
import { organizationHeader, versionHeader } from "../../src/operator/request.ts";
import { listOrganizations } from "../../src/organizations/store.ts";
import { openOperatorSocket } from "../../src/server/operator-socket.ts";
import { version } from "../../src/version.ts";
import { operatorOf } from "../support/operator.ts";
import { temporaryFile, world } from "../support/world.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const nowText = "2026-01-02T03:04:05.000Z";
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The operator's routes over a new database, and on its socket. */
function operator() {
  const file = temporaryFile("accountd.db");
  let jumped = 0;
  const options = { clock: () => now + jumped, elapsed: () => 0, canCreate: true, isExclusive: true };
  const engine = openDatabase(file, options);
  closers.push(() => engine.close());
  const here = operatorOf(engine);
  const log = { info() {}, error() {} };
  const close = openOperatorSocket(file, here.app.fetch, log);
  closers.push(close);
  const jump = (milliseconds: number) => {
    jumped += milliseconds;
  };
  const createAcme = () =>
    here.request("/operator/organizations", { method: "POST", body: { name: "Acme" } });
  return { ...here, close, createAcme, engine, jump, socket: `${file}.sock` };
}

const newKey = { name: "robot", expiresAt: null, expiresAfter: null, rateLimit: null };

test("organizations and keys are created, listed and revoked; the log has no names and no keys", async () => {
  const { createAcme, engine, lines, request } = operator();
  const acme = { id: 1, name: "Acme", createdAt: nowText };
  expect(await createAcme()).toEqual(acme);
  expect(await request("/operator/organizations")).toEqual([{ ...acme, traits: "off" }]);
  const { key: secret, ...key } = await request("/operator/keys", {
    ...{ method: "POST", organization: "acme" },
    body: { ...newKey, expiresAfter: 60_000, scopes: ["read"], rateLimit: 5 },
  });
  expect(secret).toMatch(/^ak_\w{36}$/);
  const expected = {
    ...{ id: 1, organizationId: 1, organization: "Acme", name: "robot", lastFour: secret.slice(-4) },
    ...{ createdAt: nowText, expiresAt: "2026-01-02T03:05:05.000Z", revokedAt: null, lastUsedAt: null },
    ...{ scopes: ["read"], rateLimit: 5 },
  };
  expect(key).toEqual(expected);
  expect(await request("/operator/keys", { organization: "1" })).toEqual([expected]);
  const revoked = { ...expected, revokedAt: nowText };
  expect(await request("/operator/keys/1", { method: "DELETE" })).toEqual(revoked);
  expect(await request("/operator/keys")).toEqual([revoked]);
  expect(await listKeys(engine)).toHaveLength(1);
  expect(lines).toEqual([
    { event: "admin_operation", operation: "POST /operator/organizations" },
    { event: "admin_operation", operation: "POST /operator/keys" },
    { event: "admin_operation", operation: "DELETE /operator/keys/1" },
  ]);
});

const invalid: [string, RequestOptions, string][] = [
  ["/operator/organizations", { method: "POST", body: { name: " " } }, "invalid_name"],
  ["/operator/keys", { method: "POST", organization: "Nobody", body: newKey }, "not_found"],
  ["/operator/keys", { organization: "" }, "not_found"],
  ["/operator/keys/1", { method: "DELETE" }, "not_found"],
  ["/operator/organizations", { method: "POST", body: {} }, "unsupported_operation"],
  ["/operator/organizations", { method: "POST", body: { name: 1 } }, "unsupported_operation"],
  ["/operator/keys/x", { method: "DELETE" }, "unsupported_operation"],
  ["/operator/constructor", {}, "unsupported_operation"],
  ["/createOrganization", { method: "POST", body: { name: "Acme" } }, "unsupported_operation"],
];
test.each(invalid)("%s with %j is rejected with %s", async (path, options, code) => {
  const { engine, lines, send } = operator();
  const response = await send(path, options);
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 400,
    body: { error: { code, message: expect.any(String) } },
  });
  expect(await listOrganizations(engine)).toEqual([]);
  // What an operator can correct is no error of the server, and an unknown path is not repeated.
  const operation = code === "unsupported_operation" ? null : `${options.method ?? "GET"} ${path}`;
  expect(lines).toEqual([{ event: "admin_operation_failed", operation, code, stack: undefined }]);
});

test.each([
  ["x".repeat(256), null, null, "invalid_name"],
  ["one\ntwo", null, null, "invalid_name"],
  ["robot", now, null, "invalid_expiry"],
  ["robot", 1, null, "invalid_expiry"],
  ["robot", null, 0, "invalid_expiry"],
  ["robot", null, -1, "invalid_expiry"],
])(
  "a key with the name %j, expiresAt %p and expiresAfter %p is rejected with %s",
  async (name, expiresAt, expiresAfter, code) => {
    const { createAcme, engine, request } = operator();
    await createAcme();
    const body = { ...newKey, name, expiresAt, expiresAfter };
    const creation = request("/operator/keys", { method: "POST", organization: "Acme", body });
    expect(await creation.catch((error) => error.code)).toBe(code);
    expect(await listKeys(engine)).toEqual([]);
  },
);

test("the name of a key has at most 255 characters; keys are listed oldest first, of one organization or of all", async () => {
  const { createAcme, request } = operator();
  await createAcme();
  await request("/operator/organizations", { method: "POST", body: { name: "Beta" } });
  const create = (organization: string, name: string) =>
    request("/operator/keys", { method: "POST", organization, body: { ...newKey, name } });
  const longest = "😀".repeat(255);
  for (const organization of ["Acme", "Beta", "Acme"]) await create(organization, longest);
  await expect(create("Acme", `${longest}.`)).rejects.toThrow("one line of at most 255 characters");
  const listed = async (options = {}) =>
    (await request("/operator/keys", options)).map(({ id, name }: { id: number; name: string }) => [
      id,
      name,
    ]);
  expect(await listed()).toEqual([1, 2, 3].map((id) => [id, longest]));
  expect(await listed({ organization: "Acme" })).toEqual([1, 3].map((id) => [id, longest]));
});

test("an operation that fails in the database is logged as an error", async () => {
  const { createAcme, engine, lines } = operator();
  await engine.close();
  await createAcme().catch(() => {});
  expect(lines).toMatchObject([{ event: "admin_operation_failed", level: "error" }]);
});

test("a command of another version is refused with what to do, and changes nothing", async () => {
  const { engine, socket } = operator();
  for (const sent of [undefined, `${version}-other`]) {
    const response = await fetch("http://localhost/operator/organizations", {
      ...{ unix: socket, method: "POST", body: '{"name":"Acme"}' },
      headers: { "content-type": "application/json", ...(sent && { [versionHeader]: sent }) },
    });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 400,
      body: {
        error: {
          code: "unsupported_operation",
          message: "The running server is of another version of accountd. Restart it, or use its version.",
        },
      },
    });
  }
  expect(await listOrganizations(engine)).toEqual([]);
});

test("a closed socket is removed, and closing it again has no effect", async () => {
  const { close, socket } = operator();
  expect(existsSync(socket)).toBe(true);
  await close();
  expect(existsSync(socket)).toBe(false);
  await close();
});

test("a run of the jobs trusts the clock only when asked to", async () => {
  const { engine, jump, request } = operator();
  const day = 86_400_000;
  jump(40 * day);
  const run = async (isClockTrusted: boolean) =>
    (await request("/operator/jobs", { method: "POST", body: { isClockTrusted } })).retentionTime;
  expect(await run(false)).toBe(nowText);
  expect(engine.clock.retentionTime()).toBe(now);
  expect(await run(true)).toBe(new Date(now + 40 * day).toISOString());
  expect(engine.clock.retentionTime()).toBe(now + 40 * day);
});

test("the routes of the operator are no routes of the API, with or without a key and their headers", async () => {
  const here = await world();
  const { app } = operatorOf(here.engine);
  const routes = app.routes.filter(({ path }) => path.startsWith("/operator/"));
  expect(routes.length).toBeGreaterThan(10);
  const before = await listOrganizations(here.engine);
  const headers = { [versionHeader]: version, [organizationHeader]: String(here.first.id) };
  for (const { method, path } of routes)
    for (const key of [here.first.key, null]) {
      const url = path.replace(":resource", "contacts").replace(":format", "csv").replace(":id", "1");
      const reply = await here.call(method, url, method === "GET" ? undefined : {}, { key, headers });
      expect([method, path, reply.status]).toEqual([method, path, 404]);
    }
  // The organization of a request to the API is the one of its key.
  const accounts = await here.call("GET", "/api/v1/accounts", undefined, { key: null, headers });
  expect(accounts.status).toBe(401);
  expect(await listOrganizations(here.engine)).toEqual(before);
  expect(JSON.stringify(await describeApp())).not.toContain("/operator/");
});
