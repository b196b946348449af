import { expect, test } from "bun:test";
import { newSecret } from "../../src/api-keys/secret.ts";
import { createKey, listKeys, revokeKey } from "../../src/api-keys/store.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import { storeKey } from "../support/keys.ts";
import { beginning, world } from "../support/world.ts";

type World = Awaited<ReturnType<typeof world>>;
const accounts = "/api/v1/accounts";
const minute = 60_000;

test("A key that is missing, unknown, expired, revoked or mistyped gets the same bytes, with 401", async () => {
  const service = await world();
  const { call, engine, first, now } = service;
  const newKey = { organizationId: first.id, name: "k", expiresAt: null };
  const expired = await storeKey(engine, { ...newKey, expiresAt: now() + 1000 });
  const revoked = await storeKey(engine, newKey);
  await revokeKey(engine, revoked.key.id);
  service.pass(1000);
  const wrong: [string, string | null][] = [
    ["missing", null],
    ["empty", ""],
    ["unknown", newSecret()],
    ["expired", expired.secret],
    ["revoked", revoked.secret],
    ["mistyped at its end", swapLast(first.key)],
    [
      "mistyped in the middle",
      first.key.slice(0, 10) + swapLast(first.key.slice(0, 11)).slice(-1) + first.key.slice(11),
    ],
    ["cut short", first.key.slice(0, -1)],
    ["too long", `${first.key}0`],
    ["in another letter case", first.key.toUpperCase()],
    ["sent twice", `${first.key}, ${first.key}`],
    ["with the scheme's name", `Bearer ${first.key}`],
  ];
  const seen = new Set<string>();
  for (const [what, key] of wrong)
    for (const [method, path, body] of [
      ["GET", accounts],
      ["GET", `${accounts}/1`],
      ["POST", accounts, "{"],
      ["PATCH", `${accounts}/x`, { name: 1 }],
    ] as const) {
      const reply = await call(method, path, body, { key, headers: { "x-request-id": "same" } });
      expect([what, reply.status]).toEqual([what, 401]);
      expect(reply.headers.get("www-authenticate")).toBe('Basic realm="accountd", ApiKey realm="accountd"');
      seen.add(JSON.stringify([reply.text, [...reply.headers]]));
    }
  expect([...seen].length).toBe(1);
  expect((await call("GET", accounts)).status).toBe(200);
});

test("A 401 offers Basic, except to browsers, which would ask for a password", async () => {
  const { call } = await world();
  for (const [headers, offered] of [
    [{}, true],
    [{ "sec-fetch-mode": "cors" }, false],
    [{ origin: "https://app.example.com" }, false],
    // A page of a server without TLS sends neither of these headers with a GET.
    [{ "user-agent": "Mozilla/5.0 (X11; Linux x86_64)" }, false],
    [{ "user-agent": "Wget/1.21.3" }, true],
  ] as const) {
    const reply = await call("GET", accounts, undefined, { key: null, headers });
    const schemes = `${offered ? 'Basic realm="accountd", ' : ""}ApiKey realm="accountd"`;
    expect([reply.status, reply.headers.get("www-authenticate")]).toEqual([401, schemes]);
  }
});

test("A key is accepted until its expiresAt", async () => {
  const service = await world();
  const { call, engine, first, now } = service;
  const expiresAt = now() + 1000;
  const { secret } = await storeKey(engine, { organizationId: first.id, name: "k", expiresAt });
  const statuses: number[] = [];
  for (const step of [0, 999, 1, 1]) {
    service.pass(step);
    statuses.push((await call("GET", accounts, undefined, { key: secret })).status);
  }
  expect(statuses).toEqual([200, 200, 401, 401]);
});

test("A key is accepted in x-api-key, as Bearer token, and as user name of Basic; the scheme is case-insensitive", async () => {
  const { call, first, second, account } = await world();
  await account({ name: "Acme" });
  const basic = (text: string) => Buffer.from(text).toString("base64");
  const accepted = [
    { "x-api-key": first.key },
    { "X-API-KEY": first.key },
    ...["Bearer", "bearer", "BEARER"].map((scheme) => ({ authorization: `${scheme} ${first.key}` })),
    ...["Basic", "basic", "BASIC"].map((scheme) => ({
      authorization: `${scheme} ${basic(`${first.key}:`)}`,
    })),
    { authorization: `Basic ${basic(first.key)}` },
    { "x-api-key": first.key, authorization: `Bearer ${second.key}` },
  ];
  for (const headers of accepted) {
    const reply = await call("GET", accounts, undefined, { key: null, headers });
    expect([headers, reply.status, reply.body.pagination?.total]).toEqual([headers, 200, 1]);
  }
});

test("A key is rejected in the query, a cookie, another scheme or another header", async () => {
  const { call, first } = await world();
  const { key } = first;
  for (const name of ["x-api-key", "api_key", "apiKey", "key", "access_token", "token", "authorization"])
    expect((await call("GET", `${accounts}?${name}=${key}`, undefined, { key: null })).status).toBe(401);
  const elsewhere: Record<string, string>[] = [
    { cookie: `x-api-key=${key}` },
    { authorization: key },
    { authorization: `ApiKey ${key}` },
    { authorization: `Digest ${key}` },
    { authorization: `Bearer${key}` },
    { authorization: `Basic ${key}` },
    { authorization: `Basic ${Buffer.from(`:${key}`).toString("base64")}` },
    { authorization: "Basic %%%" },
    { authorization: "Basic" },
    { "proxy-authorization": `Bearer ${key}` },
    { "api-key": key },
    { "x-api-key": "", authorization: `Bearer ${swapLast(key)}` },
  ];
  for (const headers of elsewhere) {
    const { status } = await call("GET", accounts, undefined, { key: null, headers });
    expect([headers, status]).toEqual([headers, 401]);
  }
});

test("Every route except those on the public list requires a key", async () => {
  const { app, first } = await world();
  const fetch = createFetch(app.fetch);
  /** The status of a response whose body is not read: a stream has no end. */
  const statusOf = async (request: Request): Promise<number> => {
    const { status, body } = await fetch(request);
    await body?.cancel();
    return status;
  };
  const open = new Set<string>();
  // The operations on keys are last: one of them revokes the key.
  const isOfKeys = ({ path }: { path: string }) => path.startsWith("/api/v1/keys");
  for (const { method, path } of [
    ...app.routes.filter((route) => !isOfKeys(route)),
    ...app.routes.filter(isOfKeys),
  ])
    for (const requestMethod of method === "GET" ? ["GET", "HEAD"] : [method]) {
      const address = `http://localhost${path.replaceAll(/:\w+/g, "1")}`;
      if ((await statusOf(new Request(address, { method: requestMethod }))) !== 401) open.add(path);
      const headers = { "x-api-key": first.key };
      expect([path, await statusOf(new Request(address, { method: requestMethod, headers }))]).not.toEqual([
        path,
        401,
      ]);
    }
  expect([...open].sort()).toEqual([
    "/",
    "/console",
    "/console/",
    "/console/accounts",
    "/console/accounts/",
    "/console/accounts/:accountId",
    "/console/accounts/:accountId/",
    "/console/assets/:file",
    "/console/contacts",
    "/console/contacts/",
    "/console/health",
    "/console/health/",
    "/console/import",
    "/console/import/",
    "/console/keys",
    "/console/keys/",
    "/console/meetings",
    "/console/meetings/",
    "/console/organization",
    "/console/organization/",
    "/console/requests",
    "/console/requests/",
    "/console/session",
    "/console/unmatched",
    "/console/unmatched/",
    "/console/webhooks",
    "/console/webhooks/",
    "/docs",
    "/docs/",
    "/docs/assets/:file",
    "/docs/guides",
    "/docs/guides/",
    "/docs/guides/:name",
    "/docs/json",
    "/livez",
    "/llms-full.txt",
    "/llms.txt",
    "/readyz",
    ...["a", "alias", "b", "batch", "g", "group", "i", "identify", "import"].map((name) => `/v1/${name}`),
    ...["p", "page", "s", "screen", "t", "track"].map((name) => `/v1/${name}`),
  ]);
});

test("lastUsedAt is stored at most once a minute, and not for a rejected key", async () => {
  const service = await world();
  const { call, now, first } = service;
  const start = now();
  expect(await lastUse(service)).toBe(null);
  await call("GET", accounts, undefined, { key: swapLast(first.key) });
  await settled(service);
  expect(await lastUse(service)).toBe(null);
  await call("GET", accounts);
  await lastUseBecomes(service, start);
  for (const step of [1, minute - 2]) {
    service.pass(step);
    await call("GET", accounts);
    await call("GET", "/livez");
    await settled(service);
    expect(await lastUse(service)).toBe(start);
  }
  service.pass(1);
  await Promise.all([call("GET", accounts), call("GET", accounts), call("GET", accounts)]);
  await lastUseBecomes(service, start + minute);
});

test("A key is ak_, 30 base62 characters, and the CRC-32 of them in 6 base62 characters", () => {
  expect(crc32("123456789")).toBe(0xcbf43926);
  const secrets = Array.from({ length: 500 }, () => newSecret());
  for (const secret of secrets) {
    expect(secret).toMatch(/^ak_[0-9A-Za-z]{36}$/);
    expect(secret.slice(-6)).toBe(base62(crc32(secret.slice(0, -6))).padStart(6, "0"));
  }
  expect(new Set(secrets).size).toBe(secrets.length);
  expect(new Set(secrets.join("").replaceAll(/ak_/g, "")).size).toBe(62);
});

async function lastUse({ engine, first }: World): Promise<number | null | undefined> {
  return (await listKeys(engine, first.id))[0]?.lastUsedAt;
}

/** The request does not wait for this write. The test waits for at most two seconds. */
async function lastUseBecomes(service: World, expected: number): Promise<void> {
  const end = performance.now() + 2_000;
  while ((await lastUse(service)) !== expected && performance.now() < end) await Bun.sleep(2);
  expect(await lastUse(service)).toBe(expected);
}

/** Writes are stored in their order: when this one is stored, all earlier ones are. */
async function settled({ engine }: World): Promise<void> {
  await engine.write(0, async () => {});
}

function swapLast(text: string): string {
  return text.slice(0, -1) + (text.endsWith("a") ? "b" : "a");
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function base62(value: number): string {
  const digit = digits.charAt(value % 62);
  return value < 62 ? digit : base62(Math.floor(value / 62)) + digit;
}

/** The CRC-32 of ISO 3309 and zlib, implemented independently with a table. */
function crc32(text: string): number {
  const table = Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
    return rest;
  });
  const crc = Buffer.from(text).reduce(
    (rest, byte) => (table[(rest ^ byte) & 0xff] ?? 0) ^ (rest >>> 8),
    0xffffffff,
  );
  return (crc ^ 0xffffffff) >>> 0;
}

test("a key expires by the wall clock, also when the clock was set back by less than an hour", async () => {
  const { call, engine, first, jump, account } = await world();
  const minute = 60_000;
  const expiresAt = beginning + 30 * minute;
  const { secret } = await engine.write(first.id, (tx) =>
    createKey(tx, { organizationId: first.id, name: "short", expiresAt }),
  );
  const status = async () => (await call("GET", "/api/v1/accounts", undefined, { key: secret })).status;
  jump(40 * minute);
  await account({ name: "Acme" });
  expect(await status()).toBe(401);
  jump(-20 * minute);
  expect([engine.now() - beginning, await status()]).toEqual([40 * minute, 200]);
  jump(10 * minute);
  expect(await status()).toBe(401);
});
