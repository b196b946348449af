import { expect, test } from "bun:test";
import { eventWorld, path } from "./event-world.ts";

const event = { event: "opened", externalId: "acme" };
const text = (length: number) => "a".repeat(length);
/** An array with this nesting depth. */
const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));

/** An event of this many bytes of JSON. */
function eventOf(bytes: number, letter = "a") {
  const empty = Buffer.byteLength(JSON.stringify({ ...event, properties: { filler: "" } }));
  const filler = letter.repeat((bytes - empty) / Buffer.byteLength(letter));
  return { ...event, properties: { filler } };
}

const rejections: [member: string, what: string, value: unknown, code: string][] = [
  ["event", "absent", undefined, "required"],
  ["event", "empty", "", "too_short"],
  ["event", "blank", " \t", "blank"],
  ["event", "129 letters", text(129), "too_long"],
  ["event", "129 characters of two units each", "𝔸".repeat(129), "too_long"],
  ["event", "null", null, "wrong_type"],
  ["event", "a number", 5, "wrong_type"],
  ["externalId", "empty", "", "too_short"],
  ["externalId", "256 letters", text(256), "too_long"],
  ["externalId", "a number", 5, "wrong_type"],
  ["accountId", "a text", "1", "wrong_type"],
  ["accountId", "a fraction", 1.5, "wrong_type"],
  ["accountId", "negative", -1, "out_of_range"],
  ["accountId", "too large", 2 ** 53, "out_of_range"],
  ["messageId", "256 letters", text(256), "too_long"],
  ["messageId", "a number", 5, "wrong_type"],
  ["timestamp", "a word", "yesterday", "invalid_timestamp"],
  ["timestamp", "no day", "2025-12-32", "invalid_timestamp"],
  ["timestamp", "empty", "", "invalid_timestamp"],
  ["timestamp", "a number", 1_767_323_045_678, "wrong_type"],
  ["userId", "256 letters", text(256), "too_long"],
  ["userId", "a number", 7, "wrong_type"],
  ["properties", "a text", "rows", "wrong_type"],
  ["properties", "a list", [], "wrong_type"],
];
test.each(rejections)("only an event whose %s is %s is rejected", async (member, _what, value, code) => {
  const { send, usage } = await eventWorld();
  const detail = expect.stringContaining(member);
  const receipt = await send([event, { ...event, messageId: "m", [member]: value }, event]);
  expect(receipt).toMatchObject({ accepted: 2, rejected: 1, items: [{ index: 1, code, detail }] });
  expect(await usage()).toEqual([["2026-01-02", "opened", 2, 0]]);
  // The rejected event is not stored, also not its messageId.
  expect((await send([{ ...event, messageId: "m" }])).accepted).toBe(1);
});

test.each([[null], [5], ["opened"], [[]], [true]])("an event that is %j is rejected", async (item) => {
  const { send } = await eventWorld();
  expect(await send([item, event])).toMatchObject({
    accepted: 1,
    rejected: 1,
    items: [{ code: "wrong_type" }],
  });
});

test("event is any 1 to 128 characters, the other texts are up to 255", async () => {
  const { outcome } = await eventWorld();
  for (const name of ["a", "𝔸".repeat(128), " a ", "'; --"])
    expect(await outcome({ ...event, event: name })).toBe("accepted");
  const longest = "𝔸".repeat(255);
  expect(await outcome({ ...event, messageId: longest, userId: longest })).toBe("accepted");
  expect(await outcome({ ...event, externalId: longest })).toBe("parked");
});

test.each(["event", "externalId", "messageId", "userId"])(
  "a NUL or a lone surrogate in %s rejects only that event",
  async (name) => {
    const { send, rows } = await eventWorld();
    const texts = ["a\u0000", "\u0000", "\ud800", "a\udc00b"];
    const receipt = await send([...texts.map((text) => ({ ...event, [name]: text })), event]);
    const detail = `${name} must contain no NUL character and no lone surrogate`;
    const items = texts.map((_, index) => ({ index, code: "ill_formed_text", detail }));
    expect(receipt).toMatchObject({ accepted: 1, rejected: 4, items });
    expect(await rows("SELECT count(*) AS count FROM events")).toEqual([{ count: 1 }]);
  },
);

test("an event is at most 32 KiB, in bytes", async () => {
  const { outcome } = await eventWorld();
  expect(await outcome(eventOf(32_768))).toBe("accepted");
  expect(await outcome(eventOf(32_769))).toBe("too_large");
  const [odd, even] = [eventOf(32_767, "é"), eventOf(32_768, "é")];
  const [longest] = [odd, even].filter((event) => Buffer.byteLength(JSON.stringify(event)) === 32_768);
  expect(await outcome(longest ?? even)).toBe("accepted");
  expect(await outcome({ ...(longest ?? even), userId: "u" })).toBe("too_large");
});

test("an event may be nested 32 deep, including itself and its properties", async () => {
  const { send } = await eventWorld();
  const receipt = await send([
    { ...event, properties: { deep: nested(30) } },
    { ...event, properties: { deep: nested(31) } },
    { ...event, properties: { deep: nested(500) } },
    { ...event, properties: { deep: "[".repeat(100) } },
  ]);
  const [code, detail] = ["too_deep", expect.any(String)];
  expect(receipt).toMatchObject({
    accepted: 2,
    items: [
      { index: 1, code, detail },
      { index: 2, code, detail },
    ],
  });
});

test("a request has at most 1,000 events: one more is 400, and nothing is stored", async () => {
  const { call, send, usage } = await eventWorld();
  const many = Array.from({ length: 1_000 }, () => event);
  for (const name of ["events", "batch"]) {
    const reply = await call("POST", path, { [name]: [...many, event] });
    expect(reply.body).toMatchObject({
      status: 400,
      code: "invalid_request",
      errors: [{ pointer: `/${name}`, code: "too_many", detail: "must contain at most 1000 items" }],
    });
  }
  expect(await usage()).toEqual([]);
  expect((await send(many)).accepted).toBe(1_000);
  expect(await usage()).toEqual([["2026-01-02", "opened", 1_000, 0]]);
});

test("a request is at most 1 MiB: one byte more is 413, and nothing is stored", async () => {
  const { call, usage } = await eventWorld();
  const body = JSON.stringify({ events: [event] });
  const padded = (bytes: number) => body.replace(/\]\}$/, `]${" ".repeat(bytes - body.length)}}`);
  expect(padded(1_048_576).length).toBe(1_048_576);
  expect((await call("POST", path, padded(1_048_577))).body.code).toBe("payload_too_large");
  expect(await usage()).toEqual([]);
  expect((await call("POST", path, padded(1_048_576))).body.data.accepted).toBe(1);
});

test.each([{}, { properties: {}, externalId: "acme" }])(
  "the problem of a body without events names the three forms: %j",
  async (body) => {
    const { call } = await eventWorld();
    expect((await call("POST", path, body)).body.errors).toEqual([
      { pointer: "/events", code: "required", detail: "or event, or batch, is required" },
    ]);
  },
);

test.each([
  [{ events: null }, "/events", "wrong_type"],
  [{ events: {} }, "/events", "wrong_type"],
  [{ events: "opened", ...event }, "/events", "wrong_type"],
  [{ events: 5, batch: [] }, "/events", "wrong_type"],
  [{ batch: {} }, "/batch", "wrong_type"],
  [{ batch: null }, "/batch", "wrong_type"],
])("a body that is neither form is 400 with a pointer: %j", async (body, pointer, code) => {
  const { call, rows } = await eventWorld();
  const reply = await call("POST", path, body);
  expect(reply.status).toBe(400);
  expect(reply.body).toMatchObject({ code: "invalid_request", errors: [{ pointer, code }] });
  expect(await rows("SELECT * FROM events")).toEqual([]);
});

test("A null member of an event counts as absent", async () => {
  const { send, usage } = await eventWorld();
  const nulls = { accountId: null, messageId: null, timestamp: null, userId: null, properties: null };
  const byId = { event: "opened", accountId: 1, externalId: null };
  expect(await send([{ ...nulls, ...event }, byId])).toMatchObject({ accepted: 2, items: [] });
  expect(await usage()).toEqual([["2026-01-02", "opened", 2, 0]]);
  const items = [{ index: 0, code: "no_account" }];
  expect(await send([{ ...nulls, event: "opened", externalId: null }])).toMatchObject({ items });
});
