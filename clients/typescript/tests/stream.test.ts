import { afterEach, expect, test } from "bun:test";
import { command, serve } from "../../../tests/support/server.ts";
import { type Change, createClient, ProblemError, type StreamInit } from "../src/client.ts";
import { startServer, stopServers } from "./server.ts";

afterEach(stopServers);

/** The first changes of a stream. */
async function take(stream: AsyncIterable<Change>, count: number): Promise<Change[]> {
  const taken: Change[] = [];
  if (count > 0) for await (const change of stream) if (taken.push(change) === count) break;
  return taken;
}

test("a stream has the stored changes and the new ones, and goes on after the server was killed", async () => {
  const { database, key, server, process } = await startServer();
  const client = createClient({ server, key });
  const create = (name: string) => client.accounts.create({ name, contactName: "Ada" });
  await create("Stored");
  const iterator = client.changes.stream({ after: 0 })[Symbol.asyncIterator]();
  const next = async () => (await iterator.next()).value as Change;
  const streamed = [await next(), await next()];
  await create("New");
  streamed.push(await next(), await next());
  const waiting = next();
  process.kill("SIGKILL");
  await process.exited;
  await serve(database, new URL(server).port);
  await create("After the restart");
  streamed.push(await waiting, await next());
  const feed = await Array.fromAsync(client.changes());
  expect(streamed).toEqual(feed.flatMap(({ changes }) => changes));
  await iterator.return(undefined);
});

test("a stream has filters, ends with its signal, and throws when its key is revoked", async () => {
  const { database, key, server } = await startServer();
  const client = createClient({ server, key });
  for (const name of ["A", "B"]) await client.accounts.create({ name, contactName: "Ada" });
  const contacts = client.changes.stream({ after: 0, resource: "contact", action: "created" });
  expect((await take(contacts, 2)).map(({ sequence, type }) => [sequence, type])).toEqual([
    [2, "contact.created"],
    [4, "contact.created"],
  ]);
  const stop = new AbortController();
  const types: string[] = [];
  for await (const { type } of client.changes.stream({ after: 3, signal: stop.signal })) {
    types.push(type);
    setTimeout(() => stop.abort(), 50);
  }
  expect(types).toEqual(["contact.created"]);
  expect(await Array.fromAsync(client.changes.stream({ signal: AbortSignal.abort() }))).toEqual([]);
  const revoked = take(client.changes.stream(), 1).catch((error: unknown) => error);
  await Bun.sleep(100);
  const { id } = (await client.me()).key;
  await command("keys", "revoke", String(id), "--database", database);
  expect(await revoked).toBeInstanceOf(ProblemError);
  expect(await revoked).toMatchObject({ status: 401 });
});

type Received = { after: string | null; receivedAt: number };

/** A server that sends these responses in order, and a stream of its client. The responses after the last one are 404. */
function serveStreams(...responses: (() => Response)[]) {
  const requests: Received[] = [];
  const server = Bun.serve({
    port: 0,
    fetch({ url }) {
      const after = new URL(url).searchParams.get("after");
      requests.push({ after, receivedAt: performance.now() });
      return responses.shift()?.() ?? new Response("", { status: 404 });
    },
  });
  const { changes } = createClient({ server: server.url.href, key: "key", maxRetries: 0 });
  return { requests, changes, [Symbol.dispose]: () => void server.stop(true) };
}

/** A stream that sends these parts one after another, and ends unless `isOpen`. */
function streamOf(parts: (string | Uint8Array)[], { isOpen = false, position = "" } = {}): () => Response {
  return () =>
    new Response(
      new ReadableStream({
        async start(controller) {
          for (const part of parts) {
            controller.enqueue(typeof part === "string" ? new TextEncoder().encode(part) : part);
            await Bun.sleep(5);
          }
          if (!isOpen) controller.close();
        },
      }),
      { headers: { "content-type": "text/event-stream", ...(position && { "last-event-id": position }) } },
    );
}

// JSON may have a line separator, which ends no line of a stream.
const eventOf = (sequence: number, name = "é😀\u2028") =>
  `id: ${sequence}\ndata: ${JSON.stringify({ sequence, after: { name } })}\n\n`;
const problem =
  (status: number, code: string, headers = {}) =>
  () =>
    new Response(JSON.stringify({ status, code, detail: "", title: "", type: "" }), {
      ...{ status, headers: { "content-type": "application/problem+json", ...headers } },
    });

test("events are read from parts that are cut anywhere, and comments and other fields ignored", async () => {
  const bytes = new TextEncoder().encode(
    `: connected\n\n${eventOf(1)}retry: 5\nevent: x\n:\n\nid: 2\r\ndata:{"sequence":2,\r\ndata: "after":{"name":"b"}}\r\n\r\n${eventOf(3)}`,
  );
  const parts = Array.from({ length: bytes.length }, (_, i) => bytes.subarray(i, i + 1));
  using world = serveStreams(streamOf(parts));
  const taken = await take(world.changes.stream({ after: 0 }), 3);
  expect(taken as unknown[]).toEqual([
    { sequence: 1, after: { name: "é😀\u2028" } },
    { sequence: 2, after: { name: "b" } },
    { sequence: 3, after: { name: "é😀\u2028" } },
  ]);
});

test("a lost stream is opened again after its last event, or where it began; a cut event is read again", async () => {
  using world = serveStreams(
    streamOf([": connected\n\n"], { position: "7" }),
    streamOf([eventOf(8), eventOf(9).slice(0, -1)]),
    problem(503, "too_busy"),
    streamOf([eventOf(9)], { isOpen: true }),
    streamOf([eventOf(10)], { isOpen: true }),
  );
  const taken = await take(world.changes.stream({ maxSilenceSeconds: 0.2 }), 3);
  expect(taken.map(({ sequence }) => sequence)).toEqual([8, 9, 10]);
  expect(world.requests.map(({ after }) => after)).toEqual([null, "7", "8", "8", "9"]);
});

test("the pauses between failures grow, and the time of Retry-After is waited for", async () => {
  const refused = problem(502, "store_failed");
  using world = serveStreams(
    streamOf([eventOf(1)]),
    ...[refused, refused, refused, problem(429, "too_many_streams", { "retry-after": "3" })],
    streamOf([eventOf(2)]),
  );
  await take(world.changes.stream({ after: 0 }), 2);
  const times = world.requests.map(({ receivedAt }) => receivedAt);
  const pauses = times.slice(1).map((time, i) => time - (times[i] ?? 0));
  expect(pauses).toHaveLength(5);
  const atLeast = [125, 250, 500, 1_000, 3_000];
  for (const [i, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThan((atLeast[i] ?? 0) - 10);
    if (i > 0) expect(pause).toBeGreaterThan(pauses[i - 1] ?? 0);
  }
});

test.each([
  [400, "invalid_request"],
  [401, "unauthorized"],
  [403, "insufficient_scope"],
  [404, "not_found"],
  [410, "changes_expired"],
  [429, "too_many_streams"],
] as const)(
  "a response of %d without Retry-After is thrown, also after a lost connection",
  async (status, code) => {
    using world = serveStreams(problem(status, code), streamOf([eventOf(1)]), problem(status, code));
    const read = (init?: StreamInit) =>
      take(world.changes.stream(init), 2).catch((error: unknown) => error as unknown[]);
    for (const count of [1, 3]) {
      expect(await read({ after: 0 })).toMatchObject({ name: "ProblemError", status, code });
      expect(world.requests).toHaveLength(count);
    }
  },
);

test("a response that is no stream is thrown, and a part with many events ends at the signal", async () => {
  const page = new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
  using world = serveStreams(() => page, streamOf([eventOf(1) + eventOf(2)], { isOpen: true }));
  await expect(take(world.changes.stream(), 1)).rejects.toMatchObject({ name: "ProblemError", status: 200 });
  const stop = new AbortController();
  const sequences: number[] = [];
  for await (const { sequence } of world.changes.stream({ signal: stop.signal })) {
    sequences.push(sequence);
    stop.abort();
  }
  expect(sequences).toEqual([1]);
});

test("a first connection that fails, and an event that is no JSON, are thrown", async () => {
  const client = createClient({ server: "http://127.0.0.1:1", key: "key", maxRetries: 0 });
  await expect(take(client.changes.stream(), 1)).rejects.toThrow();
  using world = serveStreams(streamOf(["id: 1\ndata: {\n\n"]));
  await expect(take(world.changes.stream(), 1)).rejects.toBeInstanceOf(SyntaxError);
});
