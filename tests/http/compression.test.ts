import { expect, test } from "bun:test";
import { deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { acceptsGzip } from "../../src/http/body/content-coding.ts";
import { ByteBudget } from "../../src/http/byte-budget.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { world } from "../support/world.ts";

const accounts = "/api/v1/accounts";
const mebibyte = 1_048_576;
type World = Awaited<ReturnType<typeof world>>;
type Sent = { encoding?: string | undefined; headers?: Record<string, string>; path?: string };

/** Sends a body as it is. */
async function post(
  { app, first }: { app: { fetch: Fetch }; first: World["first"] },
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  { encoding = "gzip", headers = {}, path = accounts }: Sent = {},
) {
  const all = { "x-api-key": first.key, "content-type": "application/json", "content-encoding": encoding };
  const request = new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { ...all, ...headers },
    body,
  });
  const response = await app.fetch(request);
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** A stream of chunks, without a length. `read` is how many were read. */
function streamOf(chunks: readonly Uint8Array[]) {
  let read = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[read];
        read += 1;
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, read: () => read };
}

test("a body in gzip is stored as the same body without it; identity is no encoding", async () => {
  const here = await world();
  const text = JSON.stringify({ name: "Großkunde 😀", mrr: 5 });
  for (const [encoding, body] of [
    ["gzip", gzipSync(text)],
    ["GZIP", gzipSync(text, { level: 0 })],
    ["x-gzip", gzipSync(text, { level: 9 })],
    ["identity", text],
    // RFC 1952: members follow each other.
    ["gzip", Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))])],
  ] as const) {
    const reply = await post(here, body, { encoding });
    expect([encoding, reply.status, reply.body.data.name]).toEqual([encoding, 201, "Großkunde 😀"]);
  }
});

test("a body in gzip of 1,000 events is accepted, by every path with a body, and in small chunks", async () => {
  const here = await world();
  const events = Array.from({ length: 1000 }, (_, i) => ({
    event: "login",
    externalId: "acme",
    messageId: `${i}`,
  }));
  const bytes = gzipSync(JSON.stringify({ events }));
  const chunks = Array.from({ length: Math.ceil(bytes.length / 100) }, (_, i) =>
    bytes.subarray(i * 100, i * 100 + 100),
  );
  const reply = await post(here, streamOf(chunks).body, { path: "/api/v1/events" });
  expect([reply.status, reply.body.data.parked]).toEqual([200, 1000]);
  const batch = gzipSync(JSON.stringify({ batch: [], writeKey: here.first.key }));
  expect((await post(here, batch, { path: "/v1/batch" })).status).toBe(200);
});

const sized = (bytes: number) => gzipSync(`{"name":"Acme"${" ".repeat(bytes - 15)}}`);

test("415: another encoding than gzip, with the one that is accepted", async () => {
  const here = await world();
  for (const encoding of [
    "deflate",
    "br",
    "zstd",
    "gzip, gzip",
    "gzip,identity",
    "compress",
    "*",
    "gzip;q=1",
  ]) {
    const { status, body, headers } = await post(here, deflateSync("{}"), { encoding });
    expect([encoding, status, body.code]).toEqual([encoding, 415, "unsupported_media_type"]);
    expect(headers.get("accept-encoding")).toBe("gzip");
  }
});

test("400: a body in gzip that is no complete stream", async () => {
  const here = await world();
  const valid = gzipSync('{"name":"Acme"}');
  for (const [what, bytes] of [
    ["empty", new Uint8Array()],
    ["no gzip", Buffer.from('{"name":"Acme"}')],
    ["cut", valid.subarray(0, -1)],
    ["cut in the header", valid.subarray(0, 5)],
    ["followed by other bytes", Buffer.concat([valid, Buffer.from("{}")])],
    ["with a wrong checksum", Buffer.concat([valid.subarray(0, -8), Buffer.alloc(4), valid.subarray(-4)])],
    ["with a wrong length", Buffer.concat([valid.subarray(0, -4), Buffer.alloc(4)])],
  ] as const) {
    const { status, body } = await post(here, bytes);
    const detail = "The body must be one complete gzip stream.";
    expect([what, status, body.code, body.detail]).toEqual([what, 400, "malformed_json", detail]);
  }
  expect((await here.call("GET", accounts)).body.pagination.total).toBe(0);
});

test("a body in gzip has at most 1 MiB after decompression, also without Content-Length", async () => {
  const here = await world();
  for (const [bytes, status] of [
    [mebibyte, 201],
    [mebibyte + 1, 413],
  ] as const) {
    expect([bytes, (await post(here, sized(bytes))).status]).toEqual([bytes, status]);
    expect([bytes, (await post(here, streamOf([sized(bytes)]).body)).status]).toEqual([bytes, status]);
  }
  // Without a key in a header: 512 KiB.
  const batch = (bytes: number) =>
    gzipSync(`{"batch":[],"writeKey":"${here.first.key}"${" ".repeat(bytes - 65)}}`);
  for (const [bytes, status] of [
    [524_288, 200],
    [524_289, 413],
  ] as const) {
    expect(gunzipSync(batch(bytes)).length).toBe(bytes);
    const request = new Request("http://localhost/v1/batch", {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: batch(bytes),
    });
    expect([bytes, (await here.app.fetch(request)).status]).toEqual([bytes, status]);
  }
});

test("a gzip bomb is refused when 1 MiB is decompressed, before the rest is read", async () => {
  const here = await world();
  const bomb = gzipSync(Buffer.alloc(100 * mebibyte));
  const chunks = Array.from({ length: Math.ceil(bomb.length / 1024) }, (_, i) =>
    bomb.subarray(i * 1024, i * 1024 + 1024),
  );
  expect(chunks.length).toBeGreaterThan(90);
  const { body, read } = streamOf(chunks);
  const reply = await post(here, body);
  expect([reply.status, reply.body.code]).toEqual([413, "payload_too_large"]);
  expect(read()).toBeLessThan(10);
  // Nested: what is decompressed is no JSON.
  expect((await post(here, gzipSync(gzipSync("{}")))).body.code).toBe("malformed_json");
});

test("an endless body of empty gzip members is refused after 1 MiB", async () => {
  const here = await world();
  const members = Buffer.concat(new Array(1000).fill(gzipSync("")));
  const { body, read } = streamOf(new Array(1000).fill(members));
  expect((await post(here, body)).status).toBe(413);
  expect(read()).toBeLessThan(mebibyte / members.length + 10);
});

test("the budget of bodies counts the decompressed bytes, for which bodies wait, and gets them back", async () => {
  const budget = new ByteBudget(4 * mebibyte);
  const here = await world({ budget });
  let most = 0;
  const tryUse = budget.tryUse.bind(budget);
  budget.tryUse = (use) => {
    const isUsed = tryUse(use);
    most = Math.max(most, budget.usedBytes);
    return isUsed;
  };
  const fetch = createFetch(here.app.fetch, { budget });
  const send = () => post({ ...here, app: { fetch } }, sized(mebibyte));
  expect((await send()).status).toBe(201);
  expect(most).toBeGreaterThanOrEqual(mebibyte);
  expect(budget.usedBytes).toBe(0);
  const statuses = (await Promise.all([send(), send(), send(), send()])).map(({ status }) => status);
  expect(statuses).toEqual([201, 201, 201, 201]);
  expect(most).toBeLessThanOrEqual(2 * mebibyte);
  expect(budget.usedBytes).toBe(0);
});

test.each<[string | null, boolean]>([
  [null, false],
  ["", false],
  ["gzip", true],
  ["GZip", true],
  ["x-gzip", true],
  ["gzip, deflate, br, zstd", true],
  ["deflate, br", false],
  ["*", true],
  ["br, *;q=0.1", true],
  ["*;q=0", false],
  ["gzip;q=0", false],
  ["gzip;q=0.000", false],
  ["gzip;q=0, *", false],
  ["gzip ; q=0.5", true],
  ["gzip;q=0.5, identity", false],
  ["gzip;q=0.5, identity;q=0.5", true],
  ["identity;q=0, gzip;q=0.001", true],
  ["gzip;q=2", false],
  ["gzip;q=x", false],
  ["gzip;level=9", false],
  ["gzipped", false],
])("the Accept-Encoding %j accepts gzip: %p", (header, isAccepted) => {
  expect(acceptsGzip(header)).toBe(isAccepted);
});

/** A reply as it is sent. */
async function fetched({ app, first }: World, path: string, acceptEncoding?: string, method = "GET") {
  const headers = {
    "x-api-key": first.key,
    ...(acceptEncoding !== undefined && { "accept-encoding": acceptEncoding }),
  };
  const response = await createFetch(app.fetch)(new Request(`http://localhost${path}`, { method, headers }));
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

test("a reply of over 1 KiB is sent in gzip if that is accepted, with the same bytes inside", async () => {
  const here = await world();
  for (let i = 0; i < 60; i += 1) await here.account({ name: `Account ${i}`, externalId: "x".repeat(i) });
  for (const path of [`${accounts}?pageSize=25`, `${accounts}?pageSize=100`, "/docs/json"]) {
    const plain = await fetched(here, path);
    const zipped = await fetched(here, path, "gzip, br");
    expect(plain.bytes.length).toBeGreaterThan(1_024);
    expect(plain.response.headers.has("content-encoding")).toBe(false);
    expect(zipped.response.headers.get("content-encoding")).toBe("gzip");
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    for (const name of ["content-type", "cache-control", "vary"])
      expect(zipped.response.headers.get(name)).toBe(plain.response.headers.get(name));
  }
});

test("a small reply, one that gets no smaller and one without a body are sent as they are", async () => {
  const here = await world();
  const { id } = await here.account({ name: "Acme" });
  for (const [method, path] of [
    ["GET", `${accounts}/${id}`],
    ["GET", "/livez"],
    ["DELETE", `${accounts}/${id}`],
  ] as const) {
    const { response, bytes } = await fetched(here, path, "gzip", method);
    const plain = await fetched(here, path, undefined, method);
    expect(response.headers.has("content-encoding")).toBe(false);
    if (method === "GET") expect(bytes.equals(plain.bytes)).toBe(true);
  }
  const random = crypto.getRandomValues(new Uint8Array(2_000));
  const headers = { "content-type": "application/json", "x-request-id": "7" };
  const fetch = createFetch(() => new Response(random, { status: 201, headers }));
  const reply = await fetch(new Request("http://localhost/", { headers: { "accept-encoding": "gzip" } }));
  expect([reply.status, reply.headers.get("content-encoding")]).toEqual([201, null]);
  expect(reply.headers.get("x-request-id")).toBe("7");
  expect(new Uint8Array(await reply.arrayBuffer())).toEqual(random);
});

test("a problem of over 1 KiB is compressed, too; an image is not", async () => {
  for (const [type, coding] of [
    ["application/problem+json", "gzip"],
    ["image/png", null],
  ] as const) {
    const headers = { "content-type": type };
    const fetch = createFetch(async () => new Response(" ".repeat(1_025), { status: 400, headers }));
    const reply = await fetch(new Request("http://localhost/", { headers: { "accept-encoding": "gzip" } }));
    expect([reply.status, reply.headers.get("content-encoding")]).toEqual([400, coding]);
  }
});

test("every reply has Vary: accept-encoding, whether it is compressed or not", async () => {
  const { call } = await world();
  for (const reply of [
    await call("GET", accounts),
    await call("GET", `${accounts}/9`),
    await call("GET", accounts, undefined, { key: null }),
    await call("POST", accounts, "{"),
    await call("GET", "/livez", undefined, { key: null }),
  ])
    expect(reply.headers.get("vary")).toBe("accept-encoding");
});
