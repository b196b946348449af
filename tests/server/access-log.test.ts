import { expect, test } from "bun:test";
import { createFetch } from "../../src/http/create-fetch.ts";
import { withCors } from "../../src/http/guard/cors.ts";
import type { LogFields } from "../../src/log.ts";
import { createAccessLog } from "../../src/server/access-log.ts";
import { world } from "../support/world.ts";

type World = Awaited<ReturnType<typeof world>>;
type Line = { level: string; event: string; fields: LogFields | undefined };

/** The app with an access log, and its lines. */
function withLog({ app }: World) {
  const lines: Line[] = [];
  const writer = (level: string) => (event: string, fields?: LogFields) =>
    void lines.push({ level, event, fields });
  const log = { info: writer("info"), warn: writer("warn"), error: writer("error") };
  const accessLog = createAccessLog({ routes: app.routes, log, clientOf: () => "192.0.2.1" });
  return {
    lines,
    fetch: createFetch(withCors(app.fetch, ["*"]), { recording: { listeners: [accessLog], isTimed: true } }),
  };
}

const key = "ak_0123456789abcdefghijABCDEFGHIJ012345";

test.each([
  ["/livez", "/livez"],
  ["/", "/"],
  ["/docs/", "/docs/"],
  ["/api/v1/accounts?search=acme", "/api/v1/accounts"],
  ["/api/v1/accounts/42/contacts", "/api/v1/accounts/42/contacts"],
  ["/api/v1/accounts/external/acme", "/api/v1/accounts/external/…"],
  ["/api/v1/accounts/external/accounts", "/api/v1/accounts/external/…"],
  ["/api/v1/contacts/external/4915112345678", "/api/v1/contacts/external/…"],
  ["/api/v1/accounts/acme/contacts", "/api/v1/accounts/…/contacts"],
  [`/api/v1/accounts/${key}`, "/api/v1/accounts/…"],
  ["/docs/assets/acme.css", "/docs/assets/…"],
  ["/acme", "/…"],
  ["/acme/accounts/42", "/…/…/…"],
  ["/api/v1/accounts/42/acme/7", "/api/v1/accounts/42/…/…"],
  ["//api/v1/", "//api/v1/"],
])("the path %s is logged as %s", async (target, path) => {
  const { lines, fetch } = withLog(await world());
  await fetch(new Request(`http://localhost${target}`));
  expect(lines.map(({ fields }) => fields?.path)).toEqual([path]);
});

const account = "/api/v1/accounts/:accountId";

test("a line has the request, the route, the key and the client, and no value that the caller sent", async () => {
  const here = await world();
  const { lines, fetch } = withLog(here);
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const response = await fetch(
    new Request("http://localhost/api/v1/accounts?search=secret%40acme.com", {
      headers: { "x-api-key": here.first.key, "x-request-id": "a1", traceparent },
    }),
  );
  const fields = {
    ...{ requestId: "a1", traceparent, method: "GET", route: "/api/v1/accounts", path: "/api/v1/accounts" },
    ...{ status: 200, milliseconds: expect.any(Number), organizationId: here.first.id },
    ...{ keyId: expect.any(Number), client: "192.0.2.1" },
    bytes: (await response.arrayBuffer()).byteLength,
  };
  expect(lines).toMatchObject([{ level: "info", event: "request", fields }]);
  expect(JSON.stringify(lines)).not.toMatch(/secret|ak_/);
});

test.each([
  ["GET", "/api/v1/accounts/1", {}, "warn", { status: 401, code: "unauthorized", route: account }],
  ["PUT", "/api/v1/accounts/1", {}, "warn", { status: 405, code: "method_not_allowed", route: null }],
  ["GET", "/acme", {}, "warn", { status: 404, code: "not_found", route: null }],
  [
    ...([
      "OPTIONS",
      "/v1/t",
      { origin: "https://a.example", "access-control-request-method": "POST" },
    ] as const),
    ...(["info", { status: 204, bytes: 0, route: null }] as const),
  ],
  ["HEAD", "/livez", {}, "info", { status: 200, method: "HEAD", bytes: 0 }],
  ["GET", "/livez", { traceparent: "00-x-y-01" }, "info", { status: 200 }],
  ["GET", "/livez", { traceparent: `00-${"0".repeat(32)}-b7ad6b7169203331-01` }, "info", { status: 200 }],
] as const)("%s %s %j is logged as %s", async (method, target, headers, level, fields) => {
  const { lines, fetch } = withLog(await world());
  const request = new Request(`http://localhost${target}`, { method, headers });
  await fetch(request);
  expect(lines).toEqual([{ level, event: "request", fields: expect.objectContaining(fields) }]);
  expect(lines[0]?.fields).not.toHaveProperty("traceparent");
});

test("a request of over 100 ms is logged with where its time went, a faster one without", async () => {
  const here = await world();
  const { lines, fetch } = withLog(here);
  const headers = { "x-api-key": here.first.key, "content-type": "application/json" };
  const create = () =>
    fetch(new Request("http://localhost/api/v1/accounts", { method: "POST", headers, body: '{"name":"a"}' }));
  // The write of the request waits for this one.
  const running = here.engine.write(0, async (tx) => {
    for (const end = performance.now() + 150; performance.now() < end; ) await tx.pause();
  });
  await Promise.all([create(), running]);
  const slow = lines[0]?.fields ?? {};
  expect(slow.milliseconds).toBeGreaterThan(100);
  expect(slow.queueMilliseconds).toBeGreaterThan(100);
  const parts = ["body", "queue", "database", "reply"].map((part) => Number(slow[`${part}Milliseconds`]));
  // Each is rounded to microseconds.
  expect(parts.reduce((sum, part) => sum + part)).toBeCloseTo(Number(slow.milliseconds), 2);
  expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
  await create();
  if (Number(lines[1]?.fields?.milliseconds) <= 100)
    expect(lines[1]?.fields).not.toHaveProperty("queueMilliseconds");
});
