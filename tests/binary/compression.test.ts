import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { endAll } from "./binary.ts";
import { service } from "./service.ts";

setDefaultTimeout(60_000);
afterEach(endAll);

const path = "/api/v1/accounts";

test("a server stores a body in gzip, and sends replies in gzip to those that accept it", async () => {
  const { url, key, send } = await service();
  const headers = { "x-api-key": key, "content-type": "application/json", "content-encoding": "gzip" };
  for (let i = 0; i < 30; i += 1) {
    const body = gzipSync(JSON.stringify({ name: `Account ${i}` }));
    expect((await fetch(url + path, { method: "POST", headers, body })).status).toBe(201);
  }
  const plain = await send("GET", path);
  const get = async (acceptEncoding: string) => {
    const init = { headers: { "x-api-key": key, "accept-encoding": acceptEncoding }, decompress: false };
    const response = await fetch(url + path, init);
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const { response, bytes } = await get("gzip");
  expect(response.headers.get("content-encoding")).toBe("gzip");
  expect(response.headers.get("content-length")).toBe(String(bytes.length));
  expect(gunzipSync(bytes).toString()).toBe(plain.text);
  const identity = await get("identity");
  expect([identity.response.headers.get("content-encoding"), identity.bytes.toString()]).toEqual([
    null,
    plain.text,
  ]);
});

test("a bomb is refused by a server, and the next request is answered", async () => {
  const { url, key, send } = await service();
  const headers = { "x-api-key": key, "content-type": "application/json", "content-encoding": "gzip" };
  const bombs = Array.from({ length: 20 }, () =>
    fetch(url + path, { method: "POST", headers, body: gzipSync(Buffer.alloc(50_000_000)) }),
  );
  const statuses = (await Promise.all(bombs)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([413]));
  expect((await send("GET", path)).status).toBe(200);
});
