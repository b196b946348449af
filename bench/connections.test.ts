import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { drive, type Span, type Stream } from "./connections.ts";
import type { Figures } from "./tally.ts";
import { replyOf, serve, stopServing, streamOf } from "./test-server.ts";

/** A fake clock in milliseconds, advanced by the servers, so that all figures are known. */
let now = 0;
let clock: { mockRestore(): void } | undefined;
beforeEach(() => {
  now = 0;
  clock = spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => {
  clock?.mockRestore();
  stopServing();
});

async function driveOne(
  port: number,
  stream: Stream,
  span: Span = { warmup: 0.01, seconds: 0.03 },
): Promise<Figures> {
  const [figures] = await drive(port, [stream], span);
  if (!figures) throw new Error("nothing was measured");
  return figures;
}

test("every connection sends, and the requests are numbered over all of them", async () => {
  const received: number[] = [];
  const sockets = new Set<unknown>();
  const port = serve((path, send, socket) => {
    now++;
    received.push(Number(path.slice(1)));
    sockets.add(socket);
    send(replyOf(200));
  });
  const figures = await driveOne(port, streamOf(4), { warmup: 0.1, seconds: 0.1 });
  expect(sockets.size).toBe(4);
  expect(received.toSorted((one, other) => one - other)).toEqual(received.map((_, n) => n));
  expect(figures.failed).toEqual({});
  expect(figures.answered).toBeWithin(90, 110);
});

test("the figures are the rate since the last reply of the warm-up, and quantiles of the latencies", async () => {
  const port = serve((path, send) => {
    const n = Number(path.slice(1));
    // First two of 400 ms, then all durations from 1 to 100 ms twice, shuffled.
    now += n < 2 ? 400 : 1 + ((n * 37) % 100);
    send(replyOf(200));
  });
  const figures = await driveOne(port, streamOf(1), { warmup: 0.8001, seconds: 10.0999 });
  expect(figures).toEqual({
    perSecond: 200 / 10.1,
    p50: 50,
    p99: 99,
    p999: 100,
    max: 100,
    answered: 200,
    failed: {},
  });
});

test("error replies are counted by status, and not as replies", async () => {
  const statuses = [200, 503, 404, 404, 201, 301, 204, 199, 300, 299];
  const port = serve((path, send) => {
    now++;
    send(replyOf(statuses[Number(path.slice(1)) % 10] ?? 0));
  });
  const { failed, answered } = await driveOne(port, streamOf(1), { warmup: 0, seconds: 0.1 });
  expect(failed).toEqual({ 199: 10, 300: 10, 301: 10, 404: 20, 503: 10 });
  expect(answered).toBe(40);
});

test.each([
  [
    "if every request fails, the measurement is not extended",
    1,
    500,
    20,
    { answered: 0, failed: { 500: 2 }, perSecond: 0, max: 0 },
  ],
  [
    "the measurement of a slow server is extended to ten replies",
    1,
    200,
    20,
    { answered: 10, failed: {}, perSecond: 50, max: 20 },
  ],
  [
    "of many connections three each, and what is under way then",
    5,
    200,
    20,
    { answered: 15 + 4, perSecond: 50 },
  ],
  ["of a very slow server as many as come in ten seconds", 1, 200, 3_000, { answered: 4, perSecond: 1 / 3 }],
])("%s", async (_, connections, status, taken, wanted) => {
  const port = serve((_, send) => {
    now += taken;
    send(replyOf(status));
  });
  expect(await driveOne(port, streamOf(connections))).toMatchObject(wanted);
});

test("a reply in parts is one reply, whose latency includes the last part", async () => {
  const port = serve((_, send) => {
    send(replyOf(200).slice(0, 30));
    setTimeout(() => {
      now += 5;
      send(replyOf(200).slice(30));
    }, 1);
  });
  expect(await driveOne(port, streamOf(1))).toMatchObject({ p50: 5, max: 5, perSecond: 200, failed: {} });
});

test("open requests at the end count too: a server that replies to all connections at once", async () => {
  const waiting: ((text: string) => void)[] = [];
  const port = serve((_, send) => {
    waiting.push(send);
    if (waiting.length < 4) return;
    now += 100;
    for (const reply of waiting.splice(0)) reply(replyOf(200));
  });
  const figures = await driveOne(port, streamOf(4), { warmup: 0, seconds: 0.35 });
  expect(figures).toMatchObject({ answered: 16, perSecond: 40, p50: 100, max: 100 });
});

test("streams are measured separately, each on its own connections", async () => {
  const sockets: Record<string, Set<unknown>> = {
    "/200/": new Set(),
    "/400/": new Set(),
    "/500/": new Set(),
  };
  const port = serve((path, send, socket) => {
    now++;
    sockets[path.slice(0, 5)]?.add(socket);
    send(replyOf(Number(path.slice(1, 4))));
  });
  const streams = [streamOf(2, "/200/"), streamOf(3, "/400/"), streamOf(1, "/500/")];
  const figures = await drive(port, streams, { warmup: 0, seconds: 0.1 });
  expect(figures.map(({ failed }) => Object.keys(failed))).toEqual([[], ["400"], ["500"]]);
  expect(figures.map(({ answered }) => answered > 0)).toEqual([true, false, false]);
  expect(Object.values(sockets).map(({ size }) => size)).toEqual([2, 3, 1]);
});
