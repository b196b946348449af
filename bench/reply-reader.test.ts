import { expect, test } from "bun:test";
import { ReplyReader } from "./reply-reader.ts";

const head = (status: number, ...fields: string[]) =>
  [`HTTP/1.1 ${status} Some words`, ...fields, "", ""].join("\r\n");
const sized = (status: number, body: string) =>
  head(status, `Content-Length: ${Buffer.byteLength(body)}`) + body;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const chunked = (status: number, ...parts: string[]) =>
  head(status, "date: now", "Transfer-Encoding: chunked") + [...parts.map(chunk), "0\r\n\r\n"].join("");

const replies: [what: string, status: number, text: string][] = [
  ["a body", 200, sized(200, "hello, wörld")],
  ["an empty body", 201, head(201, "content-length:0", "date: now")],
  ["no content and no length", 204, head(204, "date: now")],
  [
    "a length between other fields",
    409,
    `${head(409, "X-Content-Length: 99", "content-length:   2", "a: b")}{}`,
  ],
  ["blank lines in its body", 200, sized(200, "\r\n\r\na\r\n\r\n")],
  ["a head as its body", 404, sized(404, sized(200, "x"))],
  ["chunks", 200, chunked(200, "hello", "\r\n0\r\n\r\n", "x".repeat(300))],
  ["chunks of a byte", 500, chunked(500, "\n", "\r", "0")],
  ["no chunks but the last", 200, chunked(200)],
  [
    "chunk extensions and trailers",
    200,
    `${head(200, "transfer-encoding:chunked")}0A;x=1\r\n0123456789\r\n0;y\r\nA: b\r\nC: d\r\n\r\n`,
  ],
];
const large = sized(200, "x".repeat(100_000));
const ok = sized(200, "{}");

/** The result of the reader for each part: whether the reply is complete. */
function fed(reader: ReplyReader, ...parts: (string | Uint8Array)[]): boolean[] {
  return parts.map((part) => reader.feed(Buffer.from(part)));
}

test.each(replies)("a reply with %s is complete at its end, with the status %d", (_, status, text) => {
  const reader = new ReplyReader();
  expect(fed(reader, text)).toEqual([true]);
  expect(reader.status).toBe(status);
});

test("replies of all kinds on one connection may be received in parts of any length", () => {
  for (const length of [1, 2, 3, 7, 50, 1_000]) {
    const reader = new ReplyReader();
    const seen: number[] = [];
    for (const [, , text] of [...replies, ...replies.toReversed()]) {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += length)
        if (reader.feed(bytes.subarray(at, at + length))) seen.push(reader.status);
    }
    const statuses = replies.map(([, status]) => status);
    expect([length, seen]).toEqual([length, [...statuses, ...statuses.toReversed()]]);
  }
});

test("the status of a reply is known before its body is complete", () => {
  const reader = new ReplyReader();
  expect(fed(reader, large.slice(0, 60_000))).toEqual([false]);
  expect(reader.status).toBe(200);
  expect(fed(reader, large.slice(60_000, -1), "x")).toEqual([false, true]);
});

test("bytes after the reply are an error, in the same part and in a later one", () => {
  const tooMuch = "the reply is longer than its length";
  expect(() => fed(new ReplyReader(), `${ok}${ok}`)).toThrow(tooMuch);
  expect(() => fed(new ReplyReader(), `${ok}\n`)).toThrow(tooMuch);
  expect(() => fed(new ReplyReader(), ok.slice(0, -1), "}}")).toThrow(tooMuch);
  expect(() => fed(new ReplyReader(), ok.slice(0, 20), `${ok.slice(20)} `)).toThrow(tooMuch);
  const inChunks = chunked(200, "{}");
  expect(() => fed(new ReplyReader(), `${inChunks}${ok}`)).toThrow(tooMuch);
  expect(() => fed(new ReplyReader(), `${inChunks}\n`)).toThrow(tooMuch);
  expect(() => fed(new ReplyReader(), inChunks.slice(0, -1), "\n ")).toThrow(tooMuch);
});

test.each([
  [200, "connection: close"],
  [200, "content-length: many"],
  [200, "transfer-encoding: gzip"],
  [100, "date: now"],
])("a reply without a length is rejected: %d, %s", (status, field) => {
  expect(() => fed(new ReplyReader(), head(status, field))).toThrow("a reply without a length");
});

test.each(["", "x", "-1"])("a chunk of the size %p is an error", (size) => {
  const text = `${head(200, "transfer-encoding: chunked")}${size}\r\nhello\r\n`;
  expect(() => fed(new ReplyReader(), text)).toThrow("a chunk without a size");
});

test.each([
  "HTTP/1.1 OK",
  "HTTP/1.1 2x0 OK",
  "HTTP/1.1 2000 OK",
  "HTTP/1.1 20",
  "HTTP/1.1",
  "\r\nHTTP/1.1 200 OK",
])("a reply that begins with %j is rejected, because it has no status", (line) => {
  const text = `${line}\r\ncontent-length: 0\r\n\r\n`;
  expect(() => fed(new ReplyReader(), text)).toThrow("a reply without a status");
});
