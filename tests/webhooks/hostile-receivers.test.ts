import { expect, test } from "bun:test";
import type { Socket } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { attemptTo, receive } from "./receiver.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const mebibyte = Buffer.alloc(1_048_576, "a");

/** Writes the data again and again until the connection is closed. */
function pump(socket: Socket, data: Uint8Array | string): void {
  const write = () => {
    while (socket.writable && socket.write(data));
  };
  socket.on("drain", write);
  write();
}

function repeat(socket: Socket, text: string, milliseconds: number): void {
  const timer = setInterval(() => socket.write(text), milliseconds);
  socket.on("close", () => clearInterval(timer));
}

/** What a receiver does with a request, and what the attempt returns. Those with `timeout` end at the limit. */
const receivers: [name: string, (socket: Socket) => void, expected: object][] = [
  ["is silent", () => {}, { status: null, error: "timeout" }],
  [
    "trickles headers",
    (socket) => {
      socket.write(ok);
      repeat(socket, "x-a: b\r\n", 20);
    },
    { status: null, error: "timeout" },
  ],
  [
    "trickles a body",
    (socket) => {
      socket.write(`${ok}content-length: 10000\r\n\r\n`);
      repeat(socket, "x", 20);
    },
    { status: 200, error: "timeout", isSuccess: false },
  ],
  [
    "sends interim responses without end",
    (socket) => repeat(socket, "HTTP/1.1 102 Processing\r\n\r\n", 20),
    { status: null, error: "timeout" },
  ],
  [
    "sends a body without end",
    (socket) => {
      socket.write(`${ok}\r\n`);
      pump(socket, mebibyte);
    },
    { status: 200, error: null, isSuccess: true, body: "a".repeat(1_024) },
  ],
  [
    "sends chunks without end",
    (socket) => {
      socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`);
      pump(socket, `100000\r\n${mebibyte}\r\n`);
    },
    { status: 200, error: null, isSuccess: true, body: "a".repeat(1_024) },
  ],
  [
    "announces 1 GB",
    (socket) => {
      socket.write(`${ok}content-length: 1000000000\r\n\r\n`);
      pump(socket, mebibyte);
    },
    { status: 200, error: null, isSuccess: true, body: "a".repeat(1_024) },
  ],
  [
    "announces 1 GB and sends 1 byte",
    (socket) => socket.end(`${ok}content-length: 1000000000\r\n\r\na`),
    { status: 200, error: "connection_closed", isSuccess: false },
  ],
  [
    "sends a gzip bomb",
    (socket) => {
      const bomb = gzipSync(Buffer.alloc(100_000_000));
      socket.write(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    },
    { status: 200, error: null, isSuccess: true, body: expect.stringContaining("\u001f\ufffd\b") },
  ],
  [
    "sends interim responses first",
    (socket) =>
      socket.end(
        `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${ok}content-length: 2\r\n\r\nhi`,
      ),
    { status: 200, error: null, isSuccess: true, body: "hi" },
  ],
  [
    "sends a header of 1 MB",
    (socket) => socket.end(`${ok}x-a: ${mebibyte}\r\ncontent-length: 2\r\n\r\nhi`),
    { status: 200, error: null, isSuccess: true, body: "hi" },
  ],
  [
    "sends a header without end",
    (socket) => {
      socket.write(`${ok}x-a: `);
      pump(socket, mebibyte);
    },
    { status: null, error: "invalid_response" },
  ],
  [
    "sends headers without end",
    (socket) => {
      socket.write(ok);
      pump(socket, "x-a: b\r\n".repeat(10_000));
    },
    { status: null, error: "invalid_response" },
  ],
  [
    "switches protocols",
    (socket) => socket.end("HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"),
    { status: null, error: "invalid_response" },
  ],
  ["closes without a response", (socket) => socket.end(), { status: null, error: "connection_closed" }],
  [
    "resets the connection",
    (socket) => socket.resetAndDestroy(),
    { status: null, error: "connection_closed" },
  ],
  ["sends something else than HTTP", (socket) => socket.end("+OK hello\r\n\r\n".repeat(9)), { status: null }],
  [
    "sends binary data",
    (socket) => socket.end(Buffer.from(`${ok}content-length: 6\r\n\r\na\0\xff\xfeb\0`, "latin1")),
    { status: 200, isSuccess: true, body: "a\ufffd\ufffd\ufffdb\ufffd" },
  ],
  [
    "sends a character at the cut",
    (socket) => socket.end(`${ok}\r\n${"a".repeat(1_023)}😀`),
    { status: 200, isSuccess: true, body: "a".repeat(1_023) },
  ],
];

test.each(receivers)("a receiver %s", async (_name, behave, expected) => {
  const receiver = await receive(behave);
  const isSlow = "error" in expected && expected.error === "timeout";
  const result = await attemptTo(`http://127.0.0.1:${receiver.port}/`, {
    maxMilliseconds: isSlow ? 300 : 15_000,
  });
  expect(result).toMatchObject(expected);
  expect(result.isSuccess).toBe(result.error === null);
  if (isSlow) expect(result.milliseconds).toBeWithin(290, 5_000);
  await receiver.closed();
  expect(receiver.connectionCount()).toBe(1);
});

test("a receiver that speaks no TLS", async () => {
  const receiver = await receive(`${ok}\r\n`);
  expect(await attemptTo(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({ error: "tls_failed" });
});

test("a resolver that is silent", async () => {
  const rules = { resolve: () => new Promise<string[]>(() => {}), maxMilliseconds: 300 };
  expect(await attemptTo("https://silent.test/", rules)).toMatchObject({ error: "timeout", status: null });
});

test("the memory does not grow with attempts whose responses are large or late", async () => {
  const large = await receive((socket) => {
    socket.write(`${ok}\r\n`);
    pump(socket, mebibyte);
  });
  const silent = await receive(() => {});
  const urls = [large, silent].map(({ port }) => `http://127.0.0.1:${port}/`);
  const program = join(import.meta.dir, "attempt-memory.ts");
  const child = Bun.spawn([process.execPath, program, ...urls], { stdout: "pipe", stderr: "inherit" });
  const megabytes = Number(await new Response(child.stdout).text());
  expect([await child.exited, large.connectionCount()]).toEqual([0, 2_400]);
  // 2,000 responses of 64 kB would be 128 MB.
  expect(megabytes).toBeLessThan(40);
});
