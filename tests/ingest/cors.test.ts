import { expect, test } from "bun:test";
import { createFetch } from "../../src/http/create-fetch.ts";
import { withCors } from "../../src/http/guard/cors.ts";
import { world } from "../support/world.ts";

const origin = "https://app.example.com";
const other = "https://other.example.com";
const event = JSON.stringify({ event: "clicked", externalId: "acme" });
type Sent = { method?: string; from?: string; headers?: Record<string, string>; key?: string };

/** The service with CORS for these origins, and a function that sends a request of a page. */
async function corsWorld(origins: readonly string[] = [origin]) {
  const here = await world();
  const fetch = createFetch(withCors(here.app.fetch, origins));
  async function send(path: string, { method = "POST", from = origin, headers = {}, key }: Sent = {}) {
    const body = method === "POST" ? { body: event } : {};
    return fetch(
      new Request(`http://localhost${path}`, {
        method,
        ...body,
        headers: {
          "content-type": "application/json",
          origin: from,
          ...(key !== undefined && { "x-api-key": key }),
          ...headers,
        },
      }),
    );
  }
  const preflight = (path: string, from = origin) =>
    send(path, { method: "OPTIONS", from, headers: { "access-control-request-method": "POST" } });
  return { ...here, send, preflight };
}

/** The CORS headers of a reply. */
function corsOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")));
}

const allowed = {
  "access-control-allow-origin": origin,
  "access-control-expose-headers":
    "dry-run, idempotent-replayed, ratelimit, ratelimit-policy, retry-after, x-request-id",
};

test("a reply to a page of an allowed origin can be read by it, a problem included", async () => {
  const { send, first } = await corsWorld();
  for (const path of ["/api/v1/events", "/v1/track", "/v1/t", "/v1/unknown"])
    for (const key of [first.key, "wrong"]) {
      const reply = await send(path, { key });
      const withKey = key === first.key ? 200 : 401;
      const expected = path === "/v1/unknown" ? 404 : withKey;
      expect([path, reply.status, corsOf(reply)]).toEqual([path, expected, allowed]);
      expect(reply.headers.get("vary")).toBe("accept-encoding, Origin");
    }
});

test("a preflight of an allowed origin is answered without a key", async () => {
  const { preflight } = await corsWorld();
  for (const path of ["/api/v1/events", "/v1/batch", "/v1/b"]) {
    const reply = await preflight(path);
    expect([path, reply.status, await reply.text()]).toEqual([path, 204, ""]);
    expect(corsOf(reply)).toEqual({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers":
        "authorization, content-encoding, content-type, idempotency-key, prefer, x-api-key, x-request-id",
      "access-control-max-age": "7200",
    });
    expect(reply.headers.get("vary")).toBe("Origin");
  }
});

test("other origins have no CORS headers, but the reply varies by origin", async () => {
  const { send, preflight, first } = await corsWorld();
  for (const from of [other, "null", "http://app.example.com", `${origin}:8443`, `${origin}.evil.example`]) {
    const reply = await send("/v1/track", { from, key: first.key });
    expect([from, reply.status, corsOf(reply)]).toEqual([from, 200, {}]);
    expect(reply.headers.get("vary")).toBe("accept-encoding, Origin");
    const refused = await preflight("/v1/track", from);
    expect([from, refused.status, corsOf(refused)]).toEqual([from, 405, {}]);
  }
});

test("no other path has CORS headers, nor a preflight", async () => {
  const { send, preflight, first, app } = await corsWorld();
  const isForEvents = (path: string) => path.startsWith("/v1/") || path === "/api/v1/events";
  const paths = new Set(app.routes.map(({ path }) => path).filter((path) => !isForEvents(path)));
  expect(paths.size).toBeGreaterThan(20);
  for (const pattern of [...paths, "/v1", "/api/v1/events/", "/api/v1/eventsx"]) {
    const path = pattern.replaceAll(/:\w+/g, "1");
    for (const reply of [await preflight(path), await send(path, { method: "GET", key: first.key })]) {
      expect([path, corsOf(reply)]).toEqual([path, {}]);
      expect([path, reply.headers.get("vary") ?? ""]).toEqual([path, expect.not.stringContaining("Origin")]);
    }
  }
});

test("`*` allows every origin; without origins no reply has CORS headers", async () => {
  const all = await corsWorld(["*"]);
  const reply = await all.send("/v1/track", { from: other, key: all.first.key });
  expect(corsOf(reply)).toEqual({ ...allowed, "access-control-allow-origin": other });
  expect((await all.preflight("/v1/track", other)).status).toBe(204);
  const none = await corsWorld([]);
  const plain = await none.send("/v1/track", { key: none.first.key });
  expect([plain.status, corsOf(plain), plain.headers.get("vary")]).toEqual([200, {}, "accept-encoding"]);
  expect((await none.preflight("/v1/track")).status).toBe(405);
});

test("a request without an origin, and an OPTIONS without a method, are as before", async () => {
  const { send, app, first } = await corsWorld();
  const headers = { "x-api-key": first.key, "content-type": "application/json" };
  const fetch = withCors(app.fetch, [origin]);
  const reply = await fetch(
    new Request("http://localhost/v1/track", { method: "POST", headers, body: event }),
  );
  expect([reply.status, corsOf(reply)]).toEqual([200, {}]);
  expect((await send("/v1/track", { method: "OPTIONS" })).status).toBe(405);
  const invalid = await send("/v1/track", { headers: { host: "two words" } });
  expect([invalid.status, corsOf(invalid)]).toEqual([400, {}]);
});
