import { afterEach, expect, spyOn, test } from "bun:test";
import type { Socket } from "bun";
import { type Answering, answerOf, serve, stopServing, streamOf } from "./answering.ts";
import { drive } from "./connections.ts";

const atOnce = { warmup: 0, seconds: 0 };

afterEach(stopServing);

test("a request larger than the socket buffer is sent completely", async () => {
  const large = Array.from({ length: 800_000 }, (_, i) => 10_000_000 + i).join("");
  let came = "";
  const port = serve((path, say) => {
    came = path;
    // An error status, after which the client sends no more requests.
    say(answerOf(400));
  });
  const stream = { connections: 1, next: () => `GET ${large} HTTP/1.1\r\n\r\n` };
  expect(await drive(port, [stream], atOnce)).toMatchObject([{ failed: { 400: 1 } }]);
  // Not printed, because it is long.
  expect(came === large).toBe(true);
});

test.each<[string, string, Answering]>([
  ["two answers to a request", "more was answered", (_, say) => say(answerOf(200) + answerOf(200))],
  [
    "an answer without a status",
    "without a status",
    (_, say) => say("HTTP/1.1 what\r\ncontent-length: 0\r\n\r\n"),
  ],
  ["an answer without an end", "without a length", (_, say) => say("HTTP/1.1 200 OK\r\n\r\n")],
  [
    "a closed connection",
    "closed by the server",
    (path, say, socket) => (path === "/5" ? socket.end() : say(answerOf(200))),
  ],
])("%s ends the measurement with an error", async (_, message, answering) => {
  const port = serve(answering);
  await expect(drive(port, [streamOf(2)], atOnce)).rejects.toThrow(message);
});

test("a closed port is an error", async () => {
  const port = serve(() => {});
  stopServing();
  await expect(drive(port, [streamOf(2)], atOnce)).rejects.toThrow();
});

test("if one connection is refused, the others are closed", async () => {
  const port = serve(() => {});
  const refuse = () => Promise.reject(new Error("refused"));
  const connect = spyOn(Bun, "connect").mockImplementationOnce(refuse);
  try {
    await expect(drive(port, [streamOf(3)], atOnce)).rejects.toThrow("refused");
    const others = connect.mock.results.slice(1).map(({ value }) => value as Promise<Socket>);
    const states = (await Promise.all(others)).map(({ readyState }) => readyState);
    expect(states).toHaveLength(2);
    // Above zero a socket is open or closing.
    expect(states.filter((state) => state > 0)).toEqual([]);
  } finally {
    connect.mockRestore();
  }
});
