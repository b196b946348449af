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
  ["externalId", "empty", "", "no_account"],
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
  ["properties", "a list", [1], "wrong_type"],
];
test("only an event with an invalid member is rejected, and neither it nor its messageId is stored", async () => {
  const { send, usage } = await eventWorld();
  for (const [i, [member, what, value, code]] of rejections.entries()) {
    const detail = expect.stringContaining(member);
    const messageId = `m${i}`;
    const receipt = await send([event, { ...event, messageId, [member]: value }, event]);
    const items = [{ index: 1, code, detail }];
    expect([member, what, receipt]).toMatchObject([member, what, { accepted: 2, rejected: 1, items }]);
    expect((await send([{ ...event, messageId }])).accepted).toBe(1);
  }
  expect(await usage()).toEqual([["2026-01-02", "opened", 3 * rejections.length, 0]]);
});

test("an event that is no object is rejected", async () => {
  const { send } = await eventWorld();
  const others = [null, 5, "opened", [], true];
  const items = others.map((_, index) => ({ index, code: "wrong_type" }));
  expect(await send([...others, event])).toMatchObject({ accepted: 1, rejected: 5, items });
});

test("event is any 1 to 128 characters, the other texts are up to 255", async () => {
  const { outcome } = await eventWorld();
  for (const name of ["a", "𝔸".repeat(128), " a ", "'; --"])
    expect(await outcome({ ...event, event: name })).toBe("accepted");
  const longest = "𝔸".repeat(255);
  expect(await outcome({ ...event, messageId: longest, userId: longest })).toBe("accepted");
  expect(await outcome({ ...event, externalId: longest })).toBe("parked");
  expect(await outcome({ ...event, accountId: 1, externalId: "" })).toBe("accepted");
});

test("a NUL or a lone surrogate in a text rejects only that event", async () => {
  const { send, rows } = await eventWorld();
  const names = ["event", "externalId", "messageId", "userId"];
  for (const name of names) {
    const texts = ["a\u0000", "\u0000", "\ud800", "a\udc00b"];
    const receipt = await send([...texts.map((text) => ({ ...event, [name]: text })), event]);
    const detail = `${name} must contain no NUL character and no lone surrogate`;
    const items = texts.map((_, index) => ({ index, code: "ill_formed_text", detail }));
    expect(receipt).toMatchObject({ accepted: 1, rejected: 4, items });
  }
  expect(await rows("SELECT count(*) AS count FROM events")).toEqual([{ count: names.length }]);
});

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

test("a body without a list or an event is 400 with a pointer", async () => {
  const { call, rows } = await eventWorld();
  const required = { code: "required", detail: "or event, or batch, is required" };
  for (const [body, pointer, error] of [
    [{}, "/events", required],
    [{ properties: {}, externalId: "acme" }, "/events", required],
    [{ events: null }, "/events", { code: "wrong_type" }],
    [{ events: {} }, "/events", { code: "wrong_type" }],
    [{ events: "opened", ...event }, "/events", { code: "wrong_type" }],
    [{ events: 5, batch: [] }, "/events", { code: "wrong_type" }],
    [{ batch: {} }, "/batch", { code: "wrong_type" }],
    [{ batch: null }, "/batch", { code: "wrong_type" }],
  ] as const) {
    const reply = await call("POST", path, body);
    expect([body, reply.body]).toMatchObject([
      body,
      { status: 400, code: "invalid_request", errors: [{ pointer, ...error }] },
    ]);
  }
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
