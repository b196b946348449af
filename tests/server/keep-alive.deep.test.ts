import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import type { Server } from "bun";
import { streamText } from "../../src/http/replies/stream-text.ts";
import { createKeepAlive, listen } from "../../src/server/listen.ts";

setDefaultTimeout(60_000);
const servers: Server<undefined>[] = [];
afterAll(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

/** The time after which the connections that are to stay open are looked at. */
const openForSeconds = 20;
const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n";

async function* parts(count: number): AsyncGenerator<string, void> {
  for (let i = 0; i < count; i += 1) yield "x".repeat(65_536);
}

/** A server that reads bodies, and streams a short text at /short and an endless one at /long. */
function serve(keepAliveSeconds: () => number) {
  const reportStreamError = () => {};
  const fetch = async (request: Request): Promise<Response> => {
    await request.bytes().catch(() => {});
    if (request.url.endsWith("/short")) return streamText({ request, reportStreamError }, parts(2));
    if (request.url.endsWith("/long")) return streamText({ request, reportStreamError }, parts(1e9));
    return new Response("replied");
  };
  const server = listen({ host: "127.0.0.1", port: 0 }, fetch, { keepAliveSeconds });
  servers.push(server);

  /** The seconds until the server closes a connection on which these texts are sent, or undefined while it is open. */
  return (texts: readonly string[]): Promise<number | undefined> =>
    new Promise((resolve) => {
      const start = performance.now();
      const socket = connect(server.port ?? 0, "127.0.0.1");
      for (const [i, text] of texts.entries()) setTimeout(() => socket.write(text), i * 500);
      socket.on("error", () => {});
      socket.on("data", () => {});
      const timer = setTimeout(() => {
        socket.destroy();
        resolve(undefined);
      }, openForSeconds * 1_000);
      socket.on("close", () => {
        clearTimeout(timer);
        resolve((performance.now() - start) / 1_000);
      });
    });
}

test.concurrent("A connection stays open after a reply, and is closed soon when its request or body stalls", async () => {
  const closedAfter = serve(() => 75);
  const idle = [
    [get],
    [`${post}0123456789`],
    [post, "01234", "56789"],
    [get.replace("/", "/short")],
    [`${post}0123456789`, get],
  ];
  const stalled = [[], ["GET / HTTP/1.1\r\nHost: x\r\nx: "], [post], [get, post]];
  const [open, closed] = await Promise.all([
    Promise.all(idle.map(closedAfter)),
    Promise.all(stalled.map(closedAfter)),
  ]);
  expect(open).toEqual(idle.map(() => undefined));
  for (const seconds of closed) {
    expect(seconds).toBeGreaterThan(8);
    expect(seconds).toBeLessThan(openForSeconds);
  }
});

test.concurrent("A stream that is read continues, and one that is not read ends after 15 s", async () => {
  let [ended, readBytes] = [0, 0];
  const reportStreamError = () => {};
  const fetch = async (request: Request) => {
    const endless = parts(1e9);
    const text = (async function* () {
      try {
        yield* endless;
      } finally {
        ended += 1;
      }
    })();
    return streamText({ request, reportStreamError }, text);
  };
  const server = listen({ host: "127.0.0.1", port: 0 }, fetch, { keepAliveSeconds: () => 75 });
  servers.push(server);
  const [unread, read] = [0, 1].map(() => connect(server.port ?? 0, "127.0.0.1"));
  for (const socket of [unread, read]) socket?.write(get);
  unread?.pause();
  read?.on("data", (bytes) => {
    readBytes += bytes.length;
    read.pause();
    setTimeout(() => read.resume(), 20);
  });
  await Bun.sleep(openForSeconds * 1_000);
  expect([ended, read?.closed]).toEqual([1, false]);
  // The other connection is still read.
  const before = readBytes;
  while (readBytes === before) await Bun.sleep(20);
  unread?.destroy();
  read?.destroy();
});

test.concurrent("While many files are open, idle connections are kept for 10 s", async () => {
  const [many, few] = [createKeepAlive(75, 0), createKeepAlive(75, 100_000)];
  try {
    await Bun.sleep(1_500);
    expect([many.seconds(), few.seconds(), createKeepAlive(30).seconds()]).toEqual([10, 75, 30]);
    const closedAfter = serve(many.seconds);
    const seconds = await closedAfter([get]);
    expect(seconds).toBeGreaterThan(4);
    expect(seconds).toBeLessThan(15);
  } finally {
    many.stop();
    few.stop();
  }
});
