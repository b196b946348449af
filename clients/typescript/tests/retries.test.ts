import { afterEach, expect, test } from "bun:test";
import { createClient, ProblemError } from "../src/client.ts";
import { startServer, stopServers } from "./server.ts";

afterEach(stopServers);

type Attempt = { method: string; key: string | null; body: string; receivedAt: number };

/** A server that sends these replies in order, and a client of it. The replies after the last one are 201. */
function serveReplies(...replies: Response[]) {
  const attempts: Attempt[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { method, headers } = request;
      const receivedAt = performance.now();
      attempts.push({ method, key: headers.get("idempotency-key"), body: await request.text(), receivedAt });
      return replies.shift() ?? Response.json({ data: { id: 1 } }, { status: 201 });
    },
  });
  const client = createClient({ server: server.url.href, key: "key" });
  return { attempts, client, [Symbol.dispose]: () => void server.stop(true) };
}

const reply = (status: number, headers: Record<string, string> = {}) => new Response("", { status, headers });

test("a write is repeated with its body and its Idempotency-Key, after the time of Retry-After", async () => {
  using world = serveReplies(
    reply(503, { "retry-after": "1" }),
    reply(502),
    reply(409, { "retry-after": "0" }),
  );
  const { data } = await world.client.POST("/api/v1/accounts", { body: { name: "Acme" } });
  expect(data.data.id).toBe(1);
  const [first, second, ...rest] = world.attempts;
  expect(rest).toHaveLength(2);
  expect(first).toMatchObject({ method: "POST", body: '{"name":"Acme"}' });
  expect(first?.key).toMatch(/^[0-9a-f]{32}$/);
  for (const { key, body } of world.attempts)
    expect([key, body]).toEqual([first?.key ?? "", first?.body ?? ""]);
  expect((second?.receivedAt ?? 0) - (first?.receivedAt ?? 0)).toBeGreaterThanOrEqual(995);
});

test("each write has its own key, a read has none, and the key of the caller is used", async () => {
  using world = serveReplies();
  const body = { name: "Acme" };
  await world.client.POST("/api/v1/accounts", { body });
  await world.client.POST("/api/v1/accounts", { body });
  await world.client.POST("/api/v1/accounts", { body, params: { header: { "Idempotency-Key": "mine" } } });
  await world.client.GET("/api/v1/accounts");
  const keys = world.attempts.map(({ key }) => key);
  expect(keys.slice(2)).toEqual(["mine", null]);
  expect(new Set(keys).size).toBe(4);
});

test.each([
  [400, {}, 1],
  [404, {}, 1],
  [409, {}, 1],
  [429, { "retry-after": "61" }, 1],
  [503, { "retry-after": "0" }, 6],
] as const)("a reply of status %d with %j is requested %d times", async (status, headers, count) => {
  using world = serveReplies(...Array.from({ length: 9 }, () => reply(status, headers)));
  const error = await world.client.GET("/livez").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error).toMatchObject({ status, code: undefined });
  expect(world.attempts).toHaveLength(count);
});

test("a reply that is cut off is requested again", async () => {
  const replyOf = (body: string) =>
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 23\r\nconnection: close\r\n\r\n${body}`;
  const bodies = ['{"data":{"sta', '{"data":{"status":"x"}}\n'];
  using server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end(replyOf(bodies.shift() ?? "")) },
  });
  const client = createClient({ server: `http://127.0.0.1:${server.port}`, key: "key" });
  const { data } = await client.GET("/livez");
  expect(JSON.stringify(data)).toBe('{"data":{"status":"x"}}');
  expect(bodies).toEqual([]);
});

test("an abort ends the waiting", async () => {
  using world = serveReplies(reply(503, { "retry-after": "50" }));
  const controller = new AbortController();
  const request = world.client.GET("/livez", { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("stopped")), 100);
  expect(request).rejects.toThrow("stopped");
  await request.catch(() => {});
  expect(world.attempts).toHaveLength(1);
});

test("a client beyond its rate limit waits, and every request succeeds", async () => {
  const { server, key } = await startServer({ keyOptions: ["--rate-limit", "60"] });
  let limitedCount = 0;
  const client = createClient({
    server,
    key,
    async fetch(request) {
      const response = await fetch(request);
      if (response.status === 429) limitedCount += 1;
      return response;
    },
  });
  for (let i = 0; i < 206; i += 1) await client.GET("/api/v1/accounts");
  expect(limitedCount).toBeGreaterThan(0);
});
