import { afterEach, expect, test } from "bun:test";
import { driveAtRate } from "./open-loop.ts";
import { replyOf, serve, stopServing, streamOf } from "./test-server.ts";

afterEach(stopServing);

test("requests are sent at the rate, on the connections in turn", async () => {
  const port = serve((_, send) => send(replyOf(200)));
  const figures = await driveAtRate(port, streamOf(4), 200, { warmup: 0.1, seconds: 0.5 });
  expect(figures.answered).toBe(100);
  expect(figures.failed).toEqual({});
});

test("a request that is due while all connections wait is measured from the moment when it was due", async () => {
  let isFirst = true;
  const port = serve((_, send) => {
    const delay = isFirst ? 200 : 0;
    isFirst = false;
    setTimeout(() => send(replyOf(200)), delay);
  });
  const figures = await driveAtRate(port, streamOf(1), 100, { warmup: 0, seconds: 0.5 });
  expect(figures.answered).toBe(50);
  // Each of the first 20 requests waits for the first one.
  expect(figures.max).toBeGreaterThan(190);
  expect(figures.p50).toBeLessThan(120);
  expect(figures.p999).toBe(figures.max);
});

test("error replies are counted, also in the warm-up", async () => {
  const port = serve((_, send) => send(replyOf(503)));
  const { answered, failed } = await driveAtRate(port, streamOf(2), 100, { warmup: 0.1, seconds: 0.1 });
  expect({ answered, failed }).toEqual({ answered: 0, failed: { 503: 20 } });
});

test("a server that closes its connection is an error", async () => {
  const port = serve((_, __, socket) => socket.end());
  await expect(driveAtRate(port, streamOf(1), 100, { warmup: 0, seconds: 1 })).rejects.toThrow("closed");
});
