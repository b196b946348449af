import { afterEach, expect, spyOn, test } from "bun:test";
import type { Socket } from "bun";
import { drive } from "./connections.ts";
import { type RequestHandler, replyOf, serve, stopServing, streamOf } from "./test-server.ts";

const atOnce = { warmup: 0, seconds: 0 };

afterEach(stopServing);

test("a request larger than the socket buffer is sent completely", async () => {
  const large = Array.from({ length: 800_000 }, (_, i) => 10_000_000 + i).join("");
  let came = "";
  const port = serve((path, send) => {
    came = path;
    // An error status, after which the client sends no more requests.
    send(replyOf(400));
  });
  const stream = { connections: 1, next: () => `GET ${large} HTTP/1.1\r\n\r\n` };
  expect(await drive(port, [stream], atOnce)).toMatchObject([{ failed: { 400: 1 } }]);
  // Not printed, because it is long.
  expect(came === large).toBe(true);
});

test.each<[string, string, RequestHandler]>([
  ["two replies to a request", "the reply is longer", (_, send) => send(replyOf(200) + replyOf(200))],
  [
    "a reply without a status",
    "without a status",
    (_, send) => send("HTTP/1.1 what\r\ncontent-length: 0\r\n\r\n"),
  ],
  ["a reply without an end", "without a length", (_, send) => send("HTTP/1.1 200 OK\r\n\r\n")],
  [
    "a closed connection",
    "closed by the server",
    (path, send, socket) => (path === "/5" ? socket.end() : send(replyOf(200))),
  ],
])("%s ends the measurement with an error", async (_, message, handler) => {
  const port = serve(handler);
  await expect(drive(port, [streamOf(2)], atOnce)).rejects.toThrow(message);
});

test("a closed port is an error", async () => {
  const port = serve(() => {});
  stopServing();
  await expect(drive(port, [streamOf(2)], atOnce)).rejects.toThrow();
});

test("if one connection is rejected, the others are closed", async () => {
  const port = serve(() => {});
  const reject = () => Promise.reject(new Error("rejected"));
  const connect = spyOn(Bun, "connect").mockImplementationOnce(reject);
  try {
    await expect(drive(port, [streamOf(3)], atOnce)).rejects.toThrow("rejected");
    const others = connect.mock.results.slice(1).map(({ value }) => value as Promise<Socket>);
    const states = (await Promise.all(others)).map(({ readyState }) => readyState);
    expect(states).toHaveLength(2);
    // Above zero a socket is open or closing.
    expect(states.filter((state) => state > 0)).toEqual([]);
  } finally {
    connect.mockRestore();
  }
});
