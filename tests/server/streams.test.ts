import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { folder } from "../binary/binary.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { organization, serve } from "../support/server.ts";

/** A server in its own process. */
async function startServer() {
  const file = join(folder(), "accountd.db");
  const key = await organization(file);
  const { process, url } = await serve(file);
  const { port } = new URL(url);

  /** A connection that has sent the request of a stream. */
  function openStream(): Socket {
    const request = `GET /api/v1/changes/stream HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\n\r\n`;
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(request));
    socket.on("error", () => {});
    closeAfterTest(async () => socket.destroy());
    return socket;
  }

  async function create(body: object): Promise<void> {
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const reply = await fetch(`${url}/api/v1/accounts`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    if (reply.status !== 201) throw new Error(await reply.text());
  }

  return { process, openStream, create };
}

test("a stop ends open streams first, with the end of their bodies", async () => {
  const { process, openStream } = await startServer();
  const ends = Array.from({ length: 20 }, async () => {
    const socket = openStream();
    let text = "";
    const connected = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.includes(": connected")) connected.resolve();
    });
    socket.on("close", () => closed.resolve());
    await connected.promise;
    return async () => {
      await closed.promise;
      return text;
    };
  });
  const texts = await Promise.all(ends);
  const start = performance.now();
  process.kill("SIGTERM");
  expect(await process.exited).toBe(0);
  expect(performance.now() - start).toBeLessThan(3_000);
  for (const text of texts) expect(await text()).toEndWith("\r\n0\r\n\r\n");
});

test("a client that does not read its stream is disconnected", async () => {
  const { openStream, create } = await startServer();
  const socket = openStream();
  socket.pause();
  let isClosed = false;
  socket.on("close", () => {
    isClosed = true;
  });
  // The buffers of both sockets take some megabytes.
  const attributes = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`a${i}`, "x".repeat(500)]));
  for (let batch = 0; batch < 20; batch += 1)
    await Promise.all(Array.from({ length: 40 }, (_, i) => create({ name: `${batch} ${i}`, attributes })));
  await Bun.sleep(12_000);
  // What the client had in its buffer comes first, then the end without the end of the body.
  let end = "";
  socket.on("data", (chunk) => {
    end = (end + chunk).slice(-8);
  });
  socket.resume();
  for (let i = 0; i < 100 && !isClosed; i += 1) await Bun.sleep(100);
  expect([isClosed, end.endsWith("0\r\n\r\n")]).toEqual([true, false]);
});
