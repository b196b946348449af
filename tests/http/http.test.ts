import { expect, test } from "bun:test";
import { EngineBusy } from "../../db/errors.ts";
import { createApp } from "../../src/app.ts";
import { world } from "../support/world.ts";

const path = "/api/v1/accounts";

test("every response has x-request-id: the caller's if it has 1 to 64 of A-Za-z0-9._-, else a new one", async () => {
  const { call } = await world();
  const sent = async (id: string) =>
    (await call("GET", path, undefined, { headers: { "x-request-id": id } })).headers.get("x-request-id");
  for (const id of ["a", "A-Z.a_z-09", "x".repeat(64)]) expect(await sent(id)).toBe(id);
  for (const id of ["", "a b", "x".repeat(65), "a/b", "é", "ak_1", "AK_1"])
    expect(await sent(id)).toMatch(/^[0-9a-f-]{36}$/);
  const replies = [
    await call("GET", "/nowhere"),
    await call("DELETE", path),
    await call("GET", path, undefined, { key: null }),
    await call("POST", path, "{"),
    await call("GET", "/livez", undefined, { key: null }),
  ];
  const ids = replies.map(({ headers }) => headers.get("x-request-id"));
  expect(ids.every((id) => /^[0-9a-f-]{36}$/.test(id ?? ""))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

test("responses have no-store, a GET of one row no-cache, and nosniff, application/json for success and problem+json for a problem", async () => {
  const { call, account } = await world();
  const { id } = await account({ name: "Acme" });
  const replies = [
    await call("GET", path),
    await call("GET", `${path}/${id}`),
    await call("PATCH", `${path}/${id}`, { mrr: 1 }),
    await call("GET", `${path}/99`),
    await call("GET", path, undefined, { key: null }),
  ];
  for (const [i, { status, headers }] of replies.entries()) {
    expect(headers.get("cache-control")).toBe(i === 1 ? "private, no-cache" : "no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-type")).toBe(status < 400 ? "application/json" : "application/problem+json");
  }
});

test("/livez and /readyz need no key and return ok", async () => {
  const { call } = await world();
  for (const at of ["/livez", "/readyz"]) {
    const reply = await call("GET", at, undefined, { key: null });
    expect([reply.status, reply.body]).toEqual([200, { data: { status: "ok" } }]);
  }
});

/** The service over an engine whose writes and pings fail with this error. */
async function failing(error: Error) {
  const here = await world();
  const fail = () => Promise.reject(error);
  const engine = { ...here.engine, write: fail, ping: fail };
  const log = {
    info: () => {},
    error: (event: string, fields?: object) => void lines.push({ event, ...fields }),
  };
  const lines: object[] = [];
  const app = createApp({ engine, jobs: here.jobs, log });
  const call = async (method: string, at: string, signal?: AbortSignal) => {
    const headers = {
      "x-api-key": here.first.key,
      "content-type": "application/json",
      "x-request-id": "mine",
    };
    const request = new Request(`http://localhost${at}`, {
      method,
      headers,
      ...(method === "POST" && { body: '{"name":"secret-value"}' }),
      ...(signal && { signal }),
    });
    const response = await app.fetch(request);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { call, lines };
}

test("500: a bug is logged with its stack and request id, and the reply has only the request id", async () => {
  const { call, lines } = await failing(new TypeError("undefined is not secret-value"));
  const reply = await call("POST", path);
  expect(reply.status).toBe(500);
  expect(JSON.parse(reply.text)).toEqual({
    type: "urn:accountd:problem:internal_error",
    title: "Internal error",
    status: 500,
    detail: "This is a fault of the server. Report the requestId to the operator.",
    code: "internal_error",
    requestId: "mine",
  });
  const line = lines.find((entry) => "stack" in entry);
  expect(line).toMatchObject({ event: "request_failed", requestId: "mine", method: "POST", status: 500 });
  expect(line).toMatchObject({ stack: expect.stringContaining("TypeError: undefined") });
});

test("the end of a read whose client has disconnected is not logged as an error", async () => {
  const { call, lines } = await failing(new EngineBusy("The client disconnected."));
  const failures = () => lines.filter((line) => "stack" in line);
  await call("POST", path);
  expect(failures()).toMatchObject([{ event: "request_failed", code: "store_busy" }]);
  await call("POST", path, AbortSignal.abort());
  expect(failures()).toHaveLength(1);
});

test("503: the store is busy or its disk is full, with Retry-After", async () => {
  for (const [code, problem] of [
    ["SQLITE_BUSY", "store_busy"],
    ["ENGINE_BUSY", "store_busy"],
    ["SQLITE_FULL", "store_failed"],
    ["SQLITE_IOERR_FSYNC", "store_failed"],
    ["DATABASE_REPLACED", "store_failed"],
    ["TOO_MANY_READS", "too_busy"],
    ["QUERY_TIMEOUT", "query_timeout"],
  ] as const) {
    const { call } = await failing(Object.assign(new Error("database or disk is full"), { code }));
    for (const reply of [await call("POST", path), await call("GET", "/readyz")]) {
      expect([reply.status, JSON.parse(reply.text).code]).toEqual([503, problem]);
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(reply.text).not.toContain('disk is full"');
    }
  }
});

test("503 without Retry-After: a commit whose reply was lost may be stored", async () => {
  const { call } = await failing(Object.assign(new Error("lost"), { code: "OUTCOME_UNKNOWN" }));
  const reply = await call("POST", path);
  expect([reply.status, JSON.parse(reply.text).code]).toEqual([503, "outcome_unknown"]);
  expect(reply.headers.has("retry-after")).toBe(false);
});

test("the detail of store_failed names every cause, and claims nothing about a read", async () => {
  const { call } = await failing(Object.assign(new Error("replaced"), { code: "DATABASE_REPLACED" }));
  expect(JSON.parse((await call("GET", "/readyz")).text).detail).toBe(
    "The disk is full, failing or read-only, or the database file is damaged, removed or replaced. No change was stored. The operator must fix it.",
  );
});

test("an upload that ends early is not logged, and the service continues", async () => {
  const { app, first, lines, call } = await world();
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch });
  try {
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${first.key}\r\ncontent-type: application/json\r\n`;
    for (const rest of ["content-length: 100\r\n\r\nabc", "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"]) {
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: server.port ?? 0,
        socket: { data() {} },
      });
      socket.write(head + rest);
      await Bun.sleep(50);
      socket.end();
      await Bun.sleep(50);
    }
  } finally {
    await server.stop(true);
  }
  expect(lines).toEqual([]);
  expect((await call("GET", path)).body.pagination.total).toBe(0);
});
