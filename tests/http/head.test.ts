import { expect, test } from "bun:test";
import { createFetch } from "../../src/http/create-fetch.ts";
import { world } from "../support/world.ts";

const accounts = "/api/v1/accounts";

/** A server on a socket, with the headers of its reply to a method, without those that differ in each reply. */
async function headWorld() {
  const here = await world();
  const fetch = createFetch(here.app.fetch);
  const methods: string[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const response = await fetch(request);
      methods.push(request.method);
      return response;
    },
  });
  async function headersOf(method: string, path: string, headers: Record<string, string>) {
    const response = await globalThis.fetch(new URL(path, server.url), {
      method,
      headers: { "x-api-key": here.first.key, "accept-encoding": "identity", ...headers },
      decompress: false,
    });
    const text = await response.text();
    const { "x-request-id": _id, date: _date, ...others } = Object.fromEntries(response.headers);
    return { status: response.status, text, headers: others };
  }
  return { ...here, methods, headersOf, [Symbol.asyncDispose]: () => server.stop(true) };
}

test("HEAD has the status and the headers of GET, with and without gzip, also for 304, 404 and a file", async () => {
  await using here = await headWorld();
  const { account, headersOf, methods } = here;
  const { id } = await account({ name: "x".repeat(255), externalId: "y".repeat(255) });
  for (let i = 0; i < 20; i += 1) await account({ name: `Account ${i}` });
  const row = `${accounts}/${id}?include=attributes`;
  const tag = (await headersOf("GET", row, {})).headers.etag ?? "";
  for (const path of [accounts, row, `${accounts}/999`, "/docs/json", "/livez"])
    for (const headers of [{}, { "accept-encoding": "gzip" }, { "if-none-match": tag }]) {
      const get = await headersOf("GET", path, headers);
      const head = await headersOf("HEAD", path, headers);
      expect([path, headers, head]).toEqual([path, headers, { ...get, text: "" }]);
    }
  const file = "/docs/assets/start.js";
  const get = await headersOf("GET", file, { "accept-encoding": "gzip" });
  expect(await headersOf("HEAD", file, { "accept-encoding": "gzip" })).toEqual({ ...get, text: "" });
  const list = await headersOf("HEAD", accounts, { "accept-encoding": "gzip" });
  expect(list.headers["content-encoding"]).toBe("gzip");
  expect(new Set(methods)).toEqual(new Set(["GET", "HEAD"]));
});

test("HEAD of an export has the headers of GET, and reads no more than its first part", async () => {
  await using here = await headWorld();
  for (let i = 0; i < 5; i += 1) await here.account({ name: `Account ${i}` });
  for (const format of ["csv", "jsonl"]) {
    const get = await here.headersOf("GET", `${accounts}.${format}`, {});
    const head = await here.headersOf("HEAD", `${accounts}.${format}`, {});
    expect(head).toEqual({ ...get, text: "" });
    expect(head.headers["transfer-encoding"]).toBe("chunked");
  }
});
