/** A request that all connections send. */
export type Shape = {
  name: string;
  path: string;
  /** The key that is sent in a header, if any. */
  key?: "valid" | "invalid";
  body: string;
  /** Sends the body in one chunk without content-length. */
  isChunked?: boolean;
  /** The bytes that are sent, where the rest never arrives. */
  sent?: number;
  /** Whether the short form of the proof sends it. */
  isShort?: boolean;
};

const mebibyte = 1_048_576;
const accounts = "/api/v1/accounts";
const events = "/api/v1/events";
const batch = "/v1/batch";

/** The first one is harmless: the others are compared with it. */
export function shapes(): Shape[] {
  const event = { event: "opened", externalId: "x", userId: "u", properties: { text: "x".repeat(800) } };
  const listOf = (count: number) => JSON.stringify({ events: Array.from({ length: count }, () => event) });
  const calls = Array.from({ length: 950 }, () => ({ type: "track", ...event }));
  const nested = `{"batch":[${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}]}`;
  const empty = `{"event":"opened","externalId":"x","properties":{"a":[${"[],".repeat(320)}[]]}}`;
  const arraysOf = (count: number) => `{"events":[${Array.from({ length: count }, () => empty).join()}]}`;
  const membersOf = (count: number) => `{${Array.from({ length: count }, (_, i) => `"m${i}":[1]`).join()}}`;
  const spaces = " ".repeat(mebibyte);
  const half = { body: spaces, sent: mebibyte - 1 };
  return [
    {
      name: "one text of 878 KiB",
      path: accounts,
      key: "valid",
      body: JSON.stringify({ name: "A", more: "x".repeat(898_000) }),
    },
    { name: "950 events", path: events, key: "valid", body: listOf(950), isShort: true },
    { name: "950 events in a chunk", path: events, key: "valid", body: listOf(950), isChunked: true },
    { name: "60 events", path: events, key: "valid", body: listOf(60) },
    { name: "1,000 events of 320 arrays", path: events, key: "valid", body: arraysOf(1_000), isShort: true },
    { name: "250 events of 320 arrays", path: events, key: "valid", body: arraysOf(250) },
    { name: "60,000 members", path: accounts, key: "valid", body: membersOf(60_000), isShort: true },
    { name: "20,000 members", path: accounts, key: "valid", body: membersOf(20_000) },
    { name: "nested objects", path: batch, key: "valid", body: nested },
    { name: "events with an invalid key", path: events, key: "invalid", body: listOf(950) },
    { name: "a batch without a key", path: batch, body: JSON.stringify({ batch: calls }) },
    { name: "64 KiB without a key", path: batch, body: JSON.stringify({ batch: calls.slice(0, 68) }) },
    { name: "nested objects without a key", path: batch, body: nested },
    { name: "a body without its last byte", path: events, key: "valid", isShort: true, ...half },
    { name: "a body without a key and its last byte", path: batch, ...half },
  ];
}

/** The bytes of the request. */
export function bytesOf({ path, key, body, isChunked, sent = body.length }: Shape, validKey: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "content-type: application/json",
    isChunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`,
    ...(key ? [`x-api-key: ${key === "valid" ? validKey : validKey.replace(/.{8}$/, "00000000")}`] : []),
  ];
  const text = isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body.slice(0, sent);
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${text}`);
}
