import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { listKeys } from "../../src/api-keys/store.ts";
import { listOrganizations } from "../../src/organizations/store.ts";
import { openAdminSocket } from "../../src/server/admin-socket.ts";
import { temporaryFile } from "../support/world.ts";

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** An admin socket over a new database. `send` posts an unchanged body. */
function adminSocket() {
  const file = temporaryFile("accountd.db");
  let jumped = 0;
  const options = { clock: () => now + jumped, elapsed: () => 0, canCreate: true, isExclusive: true };
  const engine = openDatabase(file, options);
  closers.push(() => engine.close());
  const lines: ({ event: string } & Record<string, unknown>)[] = [];
  const write = (level: string) => (event: string, fields?: object) =>
    void lines.push({ event, ...(level === "error" && { level }), ...fields });
  const socket = openAdminSocket(file, {
    engine,
    runDueJobs: async () => {},
    log: { info: write("info"), error: write("error") },
  });
  if (!socket) throw new Error("no socket");
  closers.push(socket.close);
  const path = `${file}.sock`;
  const send = async (operation: string, body: string | undefined, method = "POST") => {
    const options = { unix: path, method, ...(body !== undefined && { body }) };
    const response = await fetch(`http://localhost/${operation}`, options);
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a reply and compares it.
    const replied: any = await response.json();
    return { status: response.status, body: replied };
  };
  const jump = (milliseconds: number) => {
    jumped += milliseconds;
  };
  return { engine, jump, lines, path, send, socket };
}

test("an operation replies with its result, which is stored", async () => {
  const { engine, lines, send } = adminSocket();
  const created = await send("createOrganization", JSON.stringify({ name: "Acme" }));
  const organization = { id: 1, name: "Acme", createdAt: now };
  expect(created).toEqual({ status: 200, body: { result: organization } });
  expect(await listOrganizations(engine)).toEqual([organization]);
  const key = await send(
    "createKey",
    JSON.stringify({ organization: "1", name: "robot", expiresAt: null, expiresAfter: 60_000 }),
  );
  expect(key.body.result).toMatchObject({
    organization,
    secret: expect.stringMatching(/^ak_\w{36}$/),
    key: {
      id: 1,
      organizationId: 1,
      name: "robot",
      createdAt: now,
      expiresAt: now + 60_000,
      revokedAt: null,
    },
  });
  const revoked = await send("revokeKey", JSON.stringify({ id: 1 }));
  expect(revoked.body.result).toMatchObject({ id: 1, revokedAt: now });
  expect(lines.map(({ event }) => event)).toEqual(Array(3).fill("admin_operation"));
  expect(JSON.stringify(lines)).not.toMatch(/ak_|Acme|robot/);
});

test.each([
  ["createOrganization", { name: " " }, "invalid_name"],
  ["createKey", { organization: "Nobody", name: "", expiresAt: null, expiresAfter: null }, "not_found"],
  ["revokeKey", { id: 1 }, "not_found"],
  // Input of another version.
  ["createOrganization", {}, "unsupported_operation"],
  ["createOrganization", { name: 1 }, "unsupported_operation"],
  ["createKey", { organization: "1", name: "" }, "not_found"],
  ["createRestrictedKey", { organization: "1", name: "", scopes: "read" }, "not_found"],
  ["revokeKey", { id: "1" }, "unsupported_operation"],
  ["renameKey", { id: 1 }, "unsupported_operation"],
  ["constructor", {}, "unsupported_operation"],
  ["", {}, "unsupported_operation"],
])("%s of %j is rejected with %s", async (operation, input, code) => {
  const { engine, send } = adminSocket();
  const { status, body } = await send(operation, JSON.stringify(input));
  expect({ status, body }).toEqual({ status: 400, body: { error: { code, message: expect.any(String) } } });
  expect(await listOrganizations(engine)).toEqual([]);
});

test.each([
  ["x".repeat(256), null, null, "invalid_name"],
  ["one\ntwo", null, null, "invalid_name"],
  ["\ud800", null, null, "invalid_name"],
  ["robot", now, null, "invalid_expiry"],
  ["robot", 1, null, "invalid_expiry"],
  ["robot", null, 0, "invalid_expiry"],
  ["robot", null, -1, "invalid_expiry"],
])(
  "a key with the name %j, expiresAt %p and expiresAfter %p is rejected with %s",
  async (name, expiresAt, expiresAfter, code) => {
    const { engine, send } = adminSocket();
    await send("createOrganization", JSON.stringify({ name: "Acme" }));
    const input = { organization: "Acme", name, expiresAt, expiresAfter };
    const { status, body } = await send("createKey", JSON.stringify(input));
    expect([status, body.error?.code]).toEqual([400, code]);
    expect(await listKeys(engine)).toEqual([]);
  },
);

test("a key is created without an expiry or with expiresAt; an input without both members is rejected", async () => {
  const { send } = adminSocket();
  await send("createOrganization", JSON.stringify({ name: "Acme" }));
  const expiryOf = async (input: object) =>
    (await send("createKey", JSON.stringify({ organization: "Acme", name: "", ...input }))).body.result?.key
      .expiresAt;
  expect(await expiryOf({ expiresAt: null, expiresAfter: null })).toBeNull();
  expect(await expiryOf({ expiresAt: now + 5, expiresAfter: null })).toBe(now + 5);
  expect(await expiryOf({ expiresAt: null })).toBeUndefined();
});

test.each([
  ["createOrganization", undefined, "GET"],
  ["createOrganization", '{"name":"Acme"}', "PUT"],
  ["createOrganization", "not JSON", "POST"],
  ["createOrganization", "null", "POST"],
  ["createOrganization", '"Acme"', "POST"],
])("%s with the body %p by %s is rejected", async (operation, body, method) => {
  const { engine, send } = adminSocket();
  const reply = await send(operation, body, method);
  expect(reply.status).toBe(400);
  expect(reply.body.error.code).toBe("unsupported_operation");
  expect(await listOrganizations(engine)).toEqual([]);
});

test("an operation that an operator can correct is logged by its name and not as an error", async () => {
  const { lines, send } = adminSocket();
  await send("revokeKey", JSON.stringify({ id: 1 }));
  await send("ak_misplaced", "{}");
  expect(lines).toEqual([
    { event: "admin_operation_failed", operation: "revokeKey", code: "not_found" },
    { event: "admin_operation_failed", operation: null, code: "unsupported_operation" },
  ]);
});

test("an operation that fails in the database is logged as an error", async () => {
  const { engine, lines, send } = adminSocket();
  await engine.close();
  await send("createOrganization", JSON.stringify({ name: "Acme" }));
  expect(lines).toMatchObject([
    { event: "admin_operation_failed", level: "error", operation: "createOrganization" },
  ]);
});

test.each(["a b", ""])("a request with the Host %p is an error in JSON", async (host) => {
  const { lines, path } = adminSocket();
  const reply = Promise.withResolvers<string>();
  let text = "";
  const socket = await Bun.connect({
    unix: path,
    socket: {
      data: (_, bytes) => {
        text += bytes.toString();
        if (text.includes("\r\n\r\n")) reply.resolve(text);
      },
      close: () => reply.resolve(text),
    },
  });
  socket.write(`POST /createOrganization HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n{}`);
  expect(await reply.promise).toContain('{"error":{"code":"unsupported_operation"');
  socket.end();
  expect(lines).toEqual([
    { event: "admin_operation_failed", operation: null, code: "unsupported_operation" },
  ]);
});

test("a closed socket is removed, and closing it again has no effect", async () => {
  const { path, socket } = adminSocket();
  expect(existsSync(path)).toBe(true);
  await socket.close();
  expect(existsSync(path)).toBe(false);
  await socket.close();
});

test("runJobs trusts the clock only when asked to", async () => {
  const { engine, jump, send } = adminSocket();
  const day = 86_400_000;
  jump(40 * day);
  const run = async (isClockTrusted: unknown) =>
    (await send("runJobs", JSON.stringify({ isClockTrusted }))).body.result?.retentionTime;
  expect(await run(false)).toBe(now);
  expect(engine.clock.retentionTime()).toBe(now);
  expect(await run(undefined)).toBeUndefined();
  expect(await run(true)).toBe(now + 40 * day);
  expect(engine.clock.retentionTime()).toBe(now + 40 * day);
});
