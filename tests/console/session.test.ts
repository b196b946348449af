import { expect, test } from "bun:test";
import { newSecret } from "../../src/api-keys/secret.ts";
import { revokeKey } from "../../src/api-keys/store.ts";
import type { Scope } from "../../src/core/tenant/scopes.ts";
import { storeKey } from "../support/keys.ts";
import { beginning } from "../support/world.ts";
import { accounts, consoleWorld, fromConsole, session, tokenOf } from "./console-world.ts";

const hour = 3_600_000;
const attributes = "Path=/; HttpOnly; SameSite=Strict";

test("a key is exchanged for a cookie of 12 hours, and the reply says whose it is, without a secret", async () => {
  const { send, engine, first } = await consoleWorld();
  const input = {
    organizationId: first.id,
    name: "laptop",
    expiresAt: null,
    scopes: ["read", "admin"],
  } as const;
  const { secret, key } = await storeKey(engine, input);
  const reply = await send("POST", session, { body: { key: secret } });
  const data = {
    organization: { name: "First", currency: null, numberFormat: null },
    key: { id: key.id, name: "laptop", lastFour: secret.slice(-4) },
    scopes: ["read", "admin"],
    expiresAt: new Date(beginning + 12 * hour).toISOString(),
  };
  expect([reply.status, reply.body]).toEqual([200, { data }]);
  const token = tokenOf(reply);
  expect(token).toMatch(new RegExp(`^${first.id}\\.[\\w-]{43}$`));
  expect(reply.headers.get("set-cookie")).toBe(`accountd_session=${token}; ${attributes}; Max-Age=43200`);
  expect(reply.headers.get("cache-control")).toBe("no-store");
  const read = await send("GET", session, { token });
  expect([read.status, read.body, read.headers.has("set-cookie")]).toEqual([200, { data }, false]);
});

test("an administrator sees when the last backup of the server failed", async () => {
  let failedAt: number | undefined = beginning;
  const { send, signIn, engine, first } = await consoleWorld({ backupFailedAt: () => failedAt });
  const failedAtOf = async (scopes: readonly Scope[]) => {
    const { secret } = await storeKey(engine, {
      organizationId: first.id,
      name: "",
      expiresAt: null,
      scopes,
    });
    const { body } = await send("GET", session, { token: await signIn(secret) });
    return body.data.backupFailedAt;
  };
  expect(await failedAtOf(["read", "admin"])).toBe(new Date(beginning).toISOString());
  expect(await failedAtOf(["read", "write"])).toBeUndefined();
  failedAt = undefined;
  expect(await failedAtOf(["read", "admin"])).toBeUndefined();
});

test("a session reads and writes with the scopes of its key, and its changes have the key as actor", async () => {
  const { send, signIn, engine, first, call } = await consoleWorld();
  const token = await signIn();
  const created = await send("POST", accounts, { token, body: { name: "Acme" } });
  expect(created.status).toBe(201);
  expect((await send("GET", `${accounts}/${created.body.data.id}`, { token })).body.data.name).toBe("Acme");
  const { data } = (await call("GET", "/api/v1/changes")).body;
  expect(data[0].actor).toEqual({ type: "key", id: expect.any(Number), name: "test" });
  const reader = { organizationId: first.id, name: "", expiresAt: null, scopes: ["read"] } as const;
  const readToken = await signIn((await storeKey(engine, reader)).secret);
  expect((await send("POST", accounts, { token: readToken, body: { name: "x" } })).status).toBe(403);
  expect((await send("GET", "/api/v1/keys", { token: readToken })).body.code).toBe("insufficient_scope");
});

test("a session ends after 12 hours, and no later than its key", async () => {
  const { signIn, read, who, pass, engine, first, now, send } = await consoleWorld();
  const token = await signIn();
  const expiresAt = now() + 90_500;
  const short = await storeKey(engine, { organizationId: first.id, name: "", expiresAt });
  const reply = await send("POST", session, { body: { key: short.secret } });
  expect(reply.body.data.expiresAt).toBe(new Date(expiresAt).toISOString());
  expect(reply.headers.get("set-cookie")).toEndWith("; Max-Age=91");
  const shortToken = tokenOf(reply);
  pass(90_499);
  expect([await read(token), await read(shortToken)]).toEqual([200, 200]);
  pass(1);
  expect([await read(token), await read(shortToken), await who(shortToken)]).toEqual([200, 401, null]);
  pass(12 * hour - 90_501);
  expect([await read(token), (await who(token)) !== null]).toEqual([200, true]);
  pass(1);
  expect([await read(token), await who(token)]).toEqual([401, null]);
});

test("revoking the key ends its sessions at once, and no others", async () => {
  const { signIn, read, who, engine, first, send } = await consoleWorld();
  const { secret, key } = await storeKey(engine, { organizationId: first.id, name: "", expiresAt: null });
  const [token, other] = [await signIn(secret), await signIn()];
  await revokeKey(engine, key.id);
  expect([await read(token), await who(token), await read(other)]).toEqual([401, null, 200]);
  expect((await send("POST", session, { body: { key: secret } })).status).toBe(401);
});

test("a session that ends while a slow body is sent stores nothing", async () => {
  const { app, signIn, send, pass, rows } = await consoleWorld();
  const token = await signIn();
  const parts = ['{"na', 'me":"New"}'];
  const body = new ReadableStream(
    {
      async pull(controller) {
        if (parts.length === 1) {
          await send("DELETE", session, { token });
          pass(1_001);
        }
        const part = parts.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(part));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { ...fromConsole, cookie: `accountd_session=${token}`, "content-type": "application/json" };
  const request = new Request(`http://localhost${accounts}`, { method: "POST", headers, body });
  expect((await app.fetch(request)).status).toBe(401);
  expect(await rows("SELECT id FROM accounts")).toEqual([]);
});

test("signing out ends the session and deletes the cookie; with everywhere=true it ends those of the key", async () => {
  const { signIn, read, send, first, second, engine, link, stored, rows } = await consoleWorld();
  const otherKey = await storeKey(engine, { organizationId: first.id, name: "", expiresAt: null });
  const tokens = [await signIn(), await signIn(), await signIn()];
  const others = [await signIn(otherKey.secret), await signIn(second.key)];
  const reply = await send("DELETE", session, { token: tokens[0] ?? "" });
  expect([reply.status, reply.text, reply.headers.get("set-cookie")]).toEqual([
    204,
    "",
    `accountd_session=; ${attributes}; Max-Age=0`,
  ]);
  const statuses = async (all: string[]) => {
    const list: number[] = [];
    for (const token of all) list.push(await read(token));
    return list;
  };
  expect(await statuses(tokens)).toEqual([401, 200, 200]);
  const [{ id = 0 } = {}] = await rows<{ id: number }>(
    "SELECT id FROM api_keys WHERE last_four = ?",
    first.key.slice(-4),
  );
  const unused = await link({ id, organizationId: first.id });
  expect((await send("DELETE", `${session}?everywhere=true`, { token: tokens[1] ?? "" })).status).toBe(204);
  expect(await statuses(tokens)).toEqual([401, 401, 401]);
  expect((await send("POST", session, { body: { link: unused } })).status).toBe(401);
  expect(await statuses(others)).toEqual([200, 200]);
  expect(await stored()).toHaveLength(2);
});

test("signing out without a session, or with another's query, changes nothing", async () => {
  const { send, signIn, read, stored } = await consoleWorld();
  const token = await signIn();
  for (const wrong of [undefined, "x", `${token}x`])
    for (const query of ["", "?everywhere=true", "?other=1"]) {
      const reply = await send("DELETE", session + query, wrong === undefined ? {} : { token: wrong });
      expect([wrong, query, reply.status]).toEqual([wrong, query, 204]);
    }
  for (const query of ["everywhere=", "everywhere=1", "everywhere=TRUE", "everywhere=%zz"]) {
    const reply = await send("DELETE", `${session}?${query}`, { token });
    expect([query, reply.status, reply.body.errors?.[0]?.parameter]).toEqual([query, 400, "everywhere"]);
  }
  expect([await read(token), (await stored()).length]).toEqual([200, 1]);
});

test("every sign-in has a new token, and ends the session of the cookie that was sent", async () => {
  const { signIn, read, second, stored, who } = await consoleWorld();
  const token = await signIn();
  const next = await signIn(undefined, { token });
  expect(next).not.toBe(token);
  expect([await read(token), await read(next)]).toEqual([401, 200]);
  // Of another organization, too.
  const other = await signIn(second.key, { token: next });
  expect([await read(next), (await who(other)).organization.name]).toEqual([401, "Second"]);
  expect(await stored()).toHaveLength(1);
  // A token that somebody chose does not become a session.
  const chosen = `1.${"A".repeat(43)}`;
  expect(await signIn(undefined, { token: chosen })).not.toBe(chosen);
  expect(await read(chosen)).toBe(401);
});

test("a failed sign-in leaves the session of the cookie and sets none", async () => {
  const { signIn, read, send } = await consoleWorld();
  const token = await signIn();
  for (const body of [{ key: newSecret() }, { link: token }, {}, { key: 1 }]) {
    const reply = await send("POST", session, { token, body });
    expect([reply.status >= 400, reply.headers.has("set-cookie")]).toEqual([true, false]);
  }
  expect(await read(token)).toBe(200);
});

test("a sign-in deletes the expired sessions of its organization, and no others", async () => {
  const { signIn, pass, second, stored } = await consoleWorld();
  await signIn();
  await signIn();
  await signIn(second.key);
  pass(12 * hour);
  await signIn();
  expect(await stored()).toHaveLength(2);
});

test("a key has at most 100 sessions: a further sign-in ends the one that expires first, and none of another key", async () => {
  const { signIn, read, pass, second, stored } = await consoleWorld();
  const [oldest, other] = [await signIn(), await signIn(second.key)];
  pass(1);
  const next = await signIn();
  pass(1);
  for (let i = 2; i < 100; i += 1) await signIn();
  expect([await read(oldest), (await stored()).length]).toEqual([200, 101]);
  await signIn();
  expect([await read(oldest), await read(next), await read(other)]).toEqual([401, 200, 200]);
  expect(await stored()).toHaveLength(101);
});

test("tokens are stored as SHA-256, and are in no log", async () => {
  const { signIn, stored, lines, read } = await consoleWorld();
  const token = await signIn();
  await read(token);
  const hash = new Bun.CryptoHasher("sha256").update(token).digest("hex");
  expect(await stored()).toEqual([{ kind: "session", hash }]);
  expect(JSON.stringify(lines)).not.toContain(token.split(".")[1]);
});

test("a use of a session is a use of its key", async () => {
  const { signIn, rows, first, now, pass, read } = await consoleWorld();
  const token = await signIn();
  pass(60_000);
  await read(token);
  const lastUse = async () =>
    (
      await rows<{ last_used_at: number }>(
        "SELECT last_used_at FROM api_keys WHERE last_four = ?",
        first.key.slice(-4),
      )
    )[0]?.last_used_at;
  for (let i = 0; i < 200 && (await lastUse()) !== now(); i += 1) await Bun.sleep(5);
  expect(await lastUse()).toBe(now());
});
