import { expect, test } from "bun:test";
import { newSecret } from "../../src/api-keys/secret.ts";
import { revokeKey } from "../../src/api-keys/store.ts";
import { storeKey } from "../support/keys.ts";
import { consoleWorld, fromConsole, session, tokenOf } from "./console-world.ts";

test("a sign-in without a valid key or link is 401, with the same bytes", async () => {
  const { send, engine, first, pass, now, link } = await consoleWorld();
  const newKey = { organizationId: first.id, name: "k", expiresAt: null };
  const revoked = await storeKey(engine, newKey);
  const ofRevoked = await link(revoked.key);
  await revokeKey(engine, revoked.key.id);
  const expired = await storeKey(engine, { ...newKey, expiresAt: now() + 1_000 });
  const ofExpired = await link(expired.key);
  pass(1_000);
  const seen = new Set<string>();
  for (const body of [
    { key: newSecret() },
    { key: "x" },
    { key: revoked.secret },
    { key: expired.secret },
    { link: "x" },
    { link: first.key },
    { link: ofRevoked },
    { link: ofExpired },
    { link: `${first.id}.${"x".repeat(43)}` },
    { link: `999999.${"x".repeat(43)}` },
  ]) {
    const reply = await send("POST", session, { body, headers: { "x-request-id": "same" } });
    expect([body, reply.status]).toEqual([body, 401]);
    expect(reply.headers.get("content-type")).toBe("application/problem+json");
    seen.add(JSON.stringify([reply.text, [...reply.headers]]));
  }
  expect(seen.size).toBe(1);
});

test("a sign-in that is no JSON, or too large, is rejected", async () => {
  const { send, first, app } = await consoleWorld();
  const statusOf = async (body: string, headers = {}) =>
    (await send("POST", session, { body, headers })).status;
  const body = JSON.stringify({ key: first.key });
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
    expect([type, await statusOf(body, { "content-type": type })]).toEqual([type, 415]);
  const ofSize = (bytes: number) => `${body.slice(0, -1)}${" ".repeat(bytes - body.length)}}`;
  expect(await statusOf(ofSize(4_096))).toBe(200);
  expect(await statusOf(ofSize(4_097))).toBe(413);
  const headers = { ...fromConsole, "content-type": "application/json", "content-encoding": "gzip" };
  const init = { method: "POST", headers, body: Bun.gzipSync(ofSize(4_097)) };
  expect((await app.fetch(new Request(`http://localhost${session}`, init))).status).toBe(413);
  expect(await statusOf(body)).toBe(200);
});

test("without the console's header, or for another site, nobody signs in or out", async () => {
  const { send, signIn, read, stored, first } = await consoleWorld();
  const token = await signIn();
  for (const headers of [
    { "x-accountd-console": "" },
    { "x-accountd-console": "0" },
    { "x-accountd-console": "true" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
  ]) {
    const [name = ""] = Object.keys(headers);
    for (const [method, path] of [
      ["POST", session],
      ["DELETE", session],
      ["DELETE", `${session}?everywhere=true`],
    ] as const) {
      const body = method === "POST" ? { key: first.key } : undefined;
      const reply = await send(method, path, { token, headers, body });
      expect([headers, method, reply.status]).toEqual([headers, method, 400]);
      expect([reply.body.errors[0].header, reply.headers.has("set-cookie")]).toEqual([name, false]);
    }
    expect((await send("GET", session, { token, headers })).body).toEqual({ data: null });
  }
  expect([await read(token), (await stored()).length]).toEqual([200, 1]);
  expect(
    (await send("GET", session, { token, headers: { "sec-fetch-site": "same-origin" } })).body.data,
  ).not.toBeNull();
});

test("a link signs in once, within 10 minutes", async () => {
  const { send, engine, first, link, read, pass, stored } = await consoleWorld();
  const { key } = await storeKey(engine, { organizationId: first.id, name: "quickstart", expiresAt: null });
  const links = [await link(key), await link(key), await link(key)];
  const signIn = (token = "") => send("POST", session, { body: { link: token } });
  const reply = await signIn(links[0]);
  expect([reply.status, reply.body.data.key.name]).toEqual([200, "quickstart"]);
  expect([tokenOf(reply) === links[0], await read(tokenOf(reply))]).toEqual([false, 200]);
  expect((await signIn(links[0])).status).toBe(401);
  pass(599_999);
  expect((await signIn(links[1])).status).toBe(200);
  pass(1);
  expect((await signIn(links[2])).status).toBe(401);
  expect((await stored()).filter(({ kind }) => kind === "session")).toHaveLength(2);
});

test("of concurrent sign-ins with one link, one succeeds", async () => {
  const { send, engine, first, link, stored } = await consoleWorld();
  const { key } = await storeKey(engine, { organizationId: first.id, name: "", expiresAt: null });
  const token = await link(key);
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => send("POST", session, { body: { link: token } })),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401, 401, 401]);
  expect((await stored()).map(({ kind }) => kind)).toEqual(["session"]);
});

test("a link is no session, and a session no link", async () => {
  const { send, engine, first, link, read, who, signIn } = await consoleWorld();
  const { key } = await storeKey(engine, { organizationId: first.id, name: "", expiresAt: null });
  const token = await link(key);
  expect([await read(token), await who(token)]).toEqual([401, null]);
  expect((await send("POST", session, { body: { link: await signIn() } })).status).toBe(401);
  expect((await send("POST", session, { body: { link: token } })).status).toBe(200);
});

test("failed sign-ins are limited by address, and sign-ins by the limit of the key", async () => {
  const limits = { authFailureLimit: 3, addressOf: () => "192.0.2.1", now: () => 0 };
  const { send, engine, first } = await consoleWorld({ limits });
  const statuses: number[] = [];
  for (let i = 0; i < 5; i += 1)
    statuses.push((await send("POST", session, { body: { key: newSecret() } })).status);
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  const forged = await send("GET", "/api/v1/accounts", { token: `1.${"x".repeat(43)}` });
  expect([forged.status, forged.headers.has("retry-after")]).toEqual([429, true]);
  const { secret } = await storeKey(engine, {
    organizationId: first.id,
    name: "",
    expiresAt: null,
    rateLimit: 1,
  });
  let last = 0;
  for (let i = 0; i < 201; i += 1) last = (await send("POST", session, { body: { key: secret } })).status;
  expect(last).toBe(429);
});

test("a sign-in over TLS ends the session of one without TLS", async () => {
  let isOverTls = false;
  const { send, signIn, first } = await consoleWorld({ isOverTls: () => isOverTls });
  const headers = { cookie: `accountd_session=${await signIn(first.key)}` };
  expect((await send("GET", "/api/v1/accounts", { headers })).status).toBe(200);
  isOverTls = true;
  expect((await send("POST", session, { body: { key: first.key }, headers })).status).toBe(200);
  isOverTls = false;
  expect((await send("GET", "/api/v1/accounts", { headers })).status).toBe(401);
});

test("over TLS the cookie has the prefix __Host-, and one without it is no session: another host can set that", async () => {
  let isOverTls = true;
  const { send, signIn, first, second } = await consoleWorld({ isOverTls: () => isOverTls });
  const reply = await send("POST", session, { body: { key: first.key } });
  const [, token = ""] =
    /^__Host-accountd_session=([^;]+); Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/.exec(
      reply.headers.get("set-cookie") ?? "",
    ) ?? [];
  const deleted = await send("DELETE", session);
  expect(deleted.headers.get("set-cookie")).toStartWith("__Host-accountd_session=; Path=/;");
  const who = async (cookie: string) => {
    const { body } = await send("GET", session, { headers: { cookie } });
    const { status } = await send("GET", "/api/v1/accounts", { headers: { cookie } });
    return [body.data?.organization.name, status];
  };
  isOverTls = false;
  const fixed = await signIn(second.key);
  isOverTls = true;
  // The session of an attacker, in a cookie that a page without TLS has set: the victim would work in it.
  expect(await who(`accountd_session=${fixed}`)).toEqual([undefined, 401]);
  expect(await who(`accountd_session=${fixed}; __Host-accountd_session=${token}`)).toEqual(["First", 200]);
  expect(await who(`__Host-accountd_session=${token}; accountd_session=${fixed}`)).toEqual(["First", 200]);
  isOverTls = false;
  expect(await who(`__Host-accountd_session=${token}`)).toEqual([undefined, 401]);
  expect(await who(`accountd_session=${fixed}`)).toEqual(["Second", 200]);
});

test.each([
  [["events"], 403],
  [["write"], 403],
  [["write", "events"], 403],
  [["read"], 200],
  [["admin"], 200],
  [["read", "write", "events", "admin"], 200],
] as const)("a sign-in with a key of the scopes %j is %i", async (scopes, status) => {
  const { send, engine, first, link, stored } = await consoleWorld();
  const input = { organizationId: first.id, name: "", expiresAt: null, scopes: [...scopes] };
  const { secret, key } = await storeKey(engine, input);
  const reply = await send("POST", session, { body: { key: secret } });
  expect(reply.status).toBe(status);
  if (status === 200) return;
  expect(reply.body.code).toBe("insufficient_scope");
  expect(reply.body.detail).toStartWith("The console needs a key with the scope `read` or `admin`.");
  const byLink = await send("POST", session, { body: { link: await link(key) } });
  expect([byLink.status, byLink.headers.has("set-cookie")]).toEqual([403, false]);
  // The link is not used, and there is no session.
  expect((await stored()).map(({ kind }) => kind)).toEqual(["link"]);
});
