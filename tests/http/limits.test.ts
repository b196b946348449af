import { expect, test } from "bun:test";
import { newSecret } from "../../src/api-keys/secret.ts";
import { scopes } from "../../src/core/tenant/scopes.ts";
import type { LimitSettings } from "../../src/http/guard/admission.ts";
import { storeKey } from "../support/keys.ts";
import { type Reply, world } from "../support/world.ts";

const accounts = "/api/v1/accounts";

/** A world whose limits have a clock of their own, and whose requests come from `from`. */
async function limitedWorld(settings: LimitSettings) {
  let time = 0;
  let address = "192.0.2.1";
  const limits = { ...settings, now: () => time, addressOf: () => address };
  const here = await world({ limits });
  return {
    ...here,
    wait(milliseconds: number) {
      time += milliseconds;
    },
    from(other: string) {
      address = other;
    },
    async keyWith(rateLimit: number | null) {
      const key = { organizationId: here.first.id, name: "", expiresAt: null, rateLimit };
      return (await storeKey(here.engine, key)).secret;
    },
    get: (key: string | null, path = accounts) => here.call("GET", path, undefined, { key }),
    async times(count: number, send: () => Promise<Reply>) {
      const statuses: number[] = [];
      for (let i = 0; i < count; i += 1) statuses.push((await send()).status);
      return statuses;
    },
  };
}

const headersOf = ({ headers }: Reply) => [headers.get("ratelimit-policy"), headers.get("ratelimit")];

test("without a limit, replies have no headers of limits, and no request is limited", async () => {
  const { get, first, times } = await limitedWorld({});
  expect(headersOf(await get(first.key))).toEqual([null, null]);
  expect(new Set(await times(300, () => get(first.key)))).toEqual(new Set([200]));
});

test("a key that has the limit of the server creates no key with a higher one", async () => {
  const { call, engine, first, get } = await limitedWorld({ rateLimit: 900 });
  const admin = { organizationId: first.id, name: "", expiresAt: null, scopes } as const;
  const { secret } = await storeKey(engine, admin);
  const create = (rateLimit: number | null, key = secret) =>
    call("POST", "/api/v1/keys", { name: "new", rateLimit }, { key });
  const detail = "must be at most 900, the limit of this key";
  expect((await create(901)).body.errors).toEqual([{ pointer: "/rateLimit", code: "out_of_range", detail }]);
  const created = [await create(900), await create(null), await create(1)].map(({ body }) => body.data);
  expect(created.map(({ rateLimit }) => rateLimit)).toEqual([900, null, 1]);
  const [policy] = headersOf(await get(created[1].key));
  expect(policy).toBe('"default";q=900;w=60');
  // The operator gave this key more.
  const faster = await storeKey(engine, { ...admin, rateLimit: 1_200 });
  expect((await create(1_200, faster.secret)).body.data.rateLimit).toBe(1_200);
  expect((await create(null, faster.secret)).body.data.rateLimit).toBe(1_200);
  expect((await create(1_201, faster.secret)).body.errors[0].detail).toBe(detail.replace("900", "1200"));
});

test("each key that a key of scope admin creates has a limit of its own, so that its holder can send more", async () => {
  const { call, engine, first, get, times } = await limitedWorld({});
  const admin = { organizationId: first.id, name: "", expiresAt: null, scopes, rateLimit: 1 } as const;
  const { secret } = await storeKey(engine, admin);
  const { body } = await call("POST", "/api/v1/keys", { name: "more", scopes: ["read"] }, { key: secret });
  expect(body.data.rateLimit).toBe(1);
  await times(199, () => get(secret));
  expect((await get(secret)).status).toBe(429);
  expect((await get(body.data.key)).status).toBe(200);
});

test("with a limit, a key can send its burst at once, then 429; each key has its own", async () => {
  const { get, first, second, times, wait } = await limitedWorld({ rateLimit: 900 });
  const reply = await get(first.key);
  expect(headersOf(reply)).toEqual(['"default";q=900;w=60', '"default";r=299;t=1']);
  expect(new Set(await times(299, () => get(first.key)))).toEqual(new Set([200]));
  const limited = await get(first.key);
  expect(limited.body).toEqual({
    type: "urn:accountd:problem:rate_limited",
    title: "Too many requests",
    status: 429,
    detail: "Send the request again after the time in Retry-After.",
    code: "rate_limited",
  });
  expect(limited.headers.get("retry-after")).toBe("1");
  expect(headersOf(limited)).toEqual(['"default";q=900;w=60', '"default";r=0;t=20']);
  expect((await get(second.key)).status).toBe(200);
  wait(1_000);
  expect(await times(16, () => get(first.key))).toEqual([...new Array(15).fill(200), 429]);
});

test("the burst is a third of the limit, and at least 200", async () => {
  const { get, keyWith } = await limitedWorld({});
  for (const [rateLimit, remaining] of [
    [1, 199],
    [600, 199],
    [603, 200],
    [3_000, 999],
    [3_001, 1_000],
  ] as const) {
    const [policy, limit] = headersOf(await get(await keyWith(rateLimit)));
    expect([policy, limit]).toEqual([
      `"default";q=${rateLimit};w=60`,
      expect.stringContaining(`"default";r=${remaining};t=`),
    ]);
  }
});

test("the limit of a key replaces that of the server, also where the server has none", async () => {
  const { get, first, keyWith } = await limitedWorld({ rateLimit: 60 });
  const own = await keyWith(6_000);
  expect(headersOf(await get(own))[0]).toBe('"default";q=6000;w=60');
  expect(headersOf(await get(first.key))[0]).toBe('"default";q=60;w=60');
});

test("every reply to a limited key has the headers, also a problem and a 204", async () => {
  const { call, first, account } = await limitedWorld({ rateLimit: 60_000 });
  const { id } = await account({ name: "Acme" });
  let left = 19_998;
  for (const [method, path, body, status] of [
    ["GET", `${accounts}/${id}`, undefined, 200],
    ["HEAD", accounts, undefined, 200],
    ["GET", `${accounts}/999`, undefined, 404],
    ["GET", `${accounts}?page=x`, undefined, 400],
    ["POST", accounts, "{", 400],
    ["POST", accounts, {}, 400],
    ["DELETE", `${accounts}/${id}`, undefined, 204],
  ] as const) {
    const reply = await call(method, path, body, { key: first.key });
    expect([method, path, reply.status]).toEqual([method, path, status]);
    expect(reply.headers.get("ratelimit")).toStartWith(`"default";r=${left};`);
    left -= 1;
  }
});

test("429 comes after 404, 405 and 401, and before the scope, the query and the body; nothing is stored", async () => {
  const { call, engine, first, keyWith, times, get } = await limitedWorld({});
  const scoped = { organizationId: first.id, name: "", expiresAt: null, rateLimit: 1, scopes: ["events"] };
  const { secret } = await storeKey(engine, { ...scoped, scopes: ["events"] });
  expect(await times(201, () => get(secret))).toEqual([...new Array(200).fill(403), 429]);
  const writer = await keyWith(1);
  await times(200, () => get(writer));
  const status = async (method: string, path: string, body?: unknown) =>
    (await call(method, path, body, { key: writer })).status;
  expect(await status("GET", "/api/v1/none")).toBe(404);
  expect(await status("PUT", accounts)).toBe(405);
  expect(await status("GET", `${accounts}?unknown=1`)).toBe(429);
  expect(await status("POST", accounts, "{")).toBe(429);
  expect(await status("POST", accounts, { name: "Acme" })).toBe(429);
  expect((await get(first.key)).body.pagination.total).toBe(0);
});

test("a key in the body of a Segment batch is limited, too", async () => {
  const { call, keyWith, times } = await limitedWorld({});
  const writeKey = await keyWith(1);
  const send = () => call("POST", "/v1/batch", { batch: [], writeKey }, { key: null });
  expect(await times(201, send)).toEqual([...new Array(200).fill(200), 429]);
});

test("public paths have no limit", async () => {
  const { get, times } = await limitedWorld({ rateLimit: 1, authFailureLimit: 1 });
  expect(new Set(await times(250, () => get(null, "/livez")))).toEqual(new Set([200]));
  expect(headersOf(await get(null, "/livez"))).toEqual([null, null]);
});

test("further failed authentications from an address are 429; a valid key never, and other addresses are not", async () => {
  const { get, first, times, wait, from } = await limitedWorld({ authFailureLimit: 100 });
  const guess = () => get(newSecret());
  expect(new Set(await times(100, guess))).toEqual(new Set([401]));
  const limited = await guess();
  expect([limited.status, limited.body.code]).toEqual([429, "rate_limited"]);
  expect(limited.headers.get("retry-after")).toBe("1");
  expect(limited.headers.has("www-authenticate")).toBe(false);
  expect(headersOf(limited)).toEqual([null, null]);
  expect((await get(first.key)).status).toBe(200);
  expect((await get(null)).status).toBe(429);
  from("192.0.2.2");
  expect((await guess()).status).toBe(401);
  from("192.0.2.1");
  wait(600);
  expect(await times(2, guess)).toEqual([401, 429]);
  expect((await get(first.key)).status).toBe(200);
});

test("a missing, mistyped, revoked and unknown key count alike, in a header or in a body", async () => {
  const { call, get, times } = await limitedWorld({ authFailureLimit: 5 });
  await times(2, () => get(null));
  await times(2, () => get("ak_mistyped"));
  const batch = { batch: [], writeKey: newSecret() };
  const send = () => call("POST", "/v1/batch", batch, { key: null });
  expect(await times(2, send)).toEqual([401, 429]);
  expect((await get(newSecret())).status).toBe(429);
});

test("0 is no limit of failed authentications", async () => {
  const { get, times } = await limitedWorld({ authFailureLimit: 0 });
  expect(new Set(await times(150, () => get(newSecret())))).toEqual(new Set([401]));
});
