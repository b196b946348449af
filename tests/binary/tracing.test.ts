import { expect, test } from "bun:test";
import { closeAfterTest } from "../support/cleanup.ts";
import { logOf, service } from "./service.ts";

type Value = { stringValue?: string; intValue?: number };
type Attributes = readonly { key: string; value: Value }[];
type ExportedSpan = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attributes;
  status: { code: number };
};
type Export = {
  resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: ExportedSpan[] }[] }[];
};

/** A collector of OTLP/HTTP, with the bodies that it received. */
function startCollector(reply: () => Response | Promise<Response> = () => Response.json({})) {
  const bodies: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      expect(new URL(request.url).pathname).toBe("/v1/traces");
      bodies.push(await request.text());
      return reply();
    },
  });
  closeAfterTest(() => server.stop(true));
  const exports = () => bodies.map((body): Export => JSON.parse(body)).flatMap((body) => body.resourceSpans);
  return { url: server.url.origin, bodies, exports };
}

const valuesOf = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";

test("a request is a server span with its parts, in the trace of the caller, without what the caller sent", async () => {
  const collector = startCollector();
  const { server, key } = await service({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  const send = (method: string, path: string, flags: string, body?: string) =>
    fetch(server.url + path, {
      method,
      headers: {
        "x-api-key": key,
        traceparent: `00-${traceId}-${parentId}-${flags}`,
        "content-type": "application/json",
      },
      ...(body !== undefined && { body }),
    });
  const body = JSON.stringify({ name: "Secret", contactName: "Ada", contactEmail: "ada@secret.example" });
  expect((await send("POST", "/api/v1/accounts", "01", body)).status).toBe(201);
  await send("GET", "/api/v1/accounts/external/secret?fields=secret", "01");
  await send("GET", "/api/v1/accounts?search=secret", "00");
  expect(await server.stop()).toBe(0);
  const [exported] = collector.exports();
  const { "service.name": name, "deployment.environment.name": environment } = valuesOf(
    exported?.resource.attributes ?? [],
  );
  expect([name, environment]).toEqual(["accountd", "test"]);
  const spans = collector.exports().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const servers = spans.filter(({ kind }) => kind === 2);
  const common = { "url.scheme": "http", "server.address": "127.0.0.1" };
  const accounts = "/api/v1/accounts";
  const external = "/api/v1/accounts/external/{externalId}";
  expect(
    servers.map((span) => [span.name, span.traceId, span.parentSpanId, valuesOf(span.attributes)]),
  ).toEqual([
    [
      ...[`POST ${accounts}`, traceId, parentId],
      {
        ...{ "http.request.method": "POST", "http.response.status_code": 201, ...common },
        "http.route": accounts,
      },
    ],
    [
      ...[`GET ${external}`, traceId, parentId],
      {
        ...{ "http.request.method": "GET", "http.response.status_code": 400, ...common },
        "http.route": external,
      },
    ],
  ]);
  const [post] = servers;
  const parts = spans.filter(({ parentSpanId }) => parentSpanId === post?.spanId);
  expect(parts.map((part) => part.name)).toEqual(["queue", "database"]);
  for (const { startTimeUnixNano, endTimeUnixNano } of parts) {
    expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(post?.startTimeUnixNano ?? 0));
    expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(BigInt(post?.endTimeUnixNano ?? 0));
  }
  expect(collector.bodies.join("")).not.toMatch(new RegExp(`secret|ada|${key}`, "i"));
});

test("a collector that does not reply delays a stop by at most a second", async () => {
  const collector = startCollector(() => new Promise(() => {}));
  const { server, send } = await service({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
  });
  await send("GET", "/api/v1/accounts");
  const startedAt = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(collector.bodies).toHaveLength(1);
});

const smallQueue = {
  OTEL_BSP_SCHEDULE_DELAY: "20",
  OTEL_BSP_MAX_QUEUE_SIZE: "8",
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "4",
};

test("while a collector does not reply, the spans of one export and of the queue wait, and no others", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const collector = startCollector(async () => {
    await promise;
    return Response.json({});
  });
  const { server, send } = await service({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...smallQueue });
  for (let count = 0; count < 30; count += 1) await send("GET", "/api/v1/none");
  resolve();
  expect(await server.stop()).toBe(0);
  const spans = collector.exports().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  expect(spans.length).toBeGreaterThanOrEqual(9);
  expect(spans.length).toBeLessThanOrEqual(12);
});

test("after a failed export, one export waits for the collector, as before", async () => {
  const collector = startCollector(async () => {
    if (collector.bodies.length > 1) await new Promise(() => {});
    // Meanwhile further spans wait.
    await Bun.sleep(300);
    return new Response(null, { status: 400 });
  });
  const { server, send } = await service({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...smallQueue });
  while (collector.bodies.length < 2) await send("GET", "/api/v1/none");
  for (let count = 0; count < 100; count += 1) await send("GET", "/api/v1/none");
  expect(collector.bodies).toHaveLength(2);
  await server.stop("SIGKILL");
});

test("a collector that accepts no traces is logged", async () => {
  const collector = startCollector(async () => new Response(null, { status: 400 }));
  const delay = { OTEL_BSP_SCHEDULE_DELAY: "50" };
  const { server, send } = await service({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...delay });
  const linesOf = () => logOf(server).filter(({ event }) => event === "traces_failed");
  await send("GET", "/api/v1/accounts");
  while (linesOf().length === 0) await Bun.sleep(20);
  await send("GET", "/api/v1/accounts");
  while (collector.bodies.length < 2) await Bun.sleep(20);
  expect(await server.stop()).toBe(0);
  const detail = "The collector accepts no traces. Check it and its address.";
  expect(linesOf()).toMatchObject([{ level: "warn", event: "traces_failed", detail }]);
});

test("nothing is sent with OTEL_SDK_DISABLED, and without a sampled parent with OTEL_TRACES_SAMPLER", async () => {
  const collector = startCollector();
  for (const variables of [
    { OTEL_SDK_DISABLED: "true" },
    { OTEL_TRACES_SAMPLER: "parentbased_always_off" },
  ]) {
    const { server, send } = await service({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...variables });
    await send("GET", "/api/v1/accounts");
    expect(await server.stop()).toBe(0);
  }
  expect(collector.bodies).toEqual([]);
});
