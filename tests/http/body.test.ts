import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import fc from "fast-check";
import { Problem } from "../../src/core/errors.ts";
import { readEvents } from "../../src/events/input.ts";
import {
  isStorable,
  type ParsedBody,
  readUnvalidatedJson,
  releaseBody,
  strictJson,
} from "../../src/http/body/body.ts";
import { measureJson } from "../../src/http/body/json-text.ts";
import { readLastSeenItems } from "../../src/last-seen/input.ts";

const read = strictJson(Type.Object({ name: Type.String(), more: Type.Unknown() }));
const malformed = "Send one JSON object in UTF-8.";
const tooDeep = "Send one JSON object in UTF-8, nested at most 8 levels deep.";
const json = { "content-type": "application/json" };

/** A request with this body: in one piece with content-length, or in chunks without. */
function request(body: string | Uint8Array, headers: Record<string, string> = json, pieces = false): Request {
  const bytes = Buffer.from(body);
  const length: Record<string, string> = pieces ? {} : { "content-length": String(bytes.length) };
  const half = Math.ceil(bytes.length / 2);
  const stream = new ReadableStream({
    start(controller) {
      if (half > 0) controller.enqueue(bytes.subarray(0, half));
      if (half < bytes.length) controller.enqueue(bytes.subarray(half));
      controller.close();
    },
  });
  return new Request("http://x/", {
    method: "POST",
    headers: { ...length, ...headers },
    body: pieces ? stream : bytes,
  });
}

/** The part of Elysia's context that a body parser reads. */
function inContext(request: Request) {
  return { request, set: { headers: {} as Record<string, string> } };
}

/** The Problem of the body: its code, its detail and its fields. */
async function problemOf(work: Promise<unknown>) {
  const [result] = await Promise.allSettled([work]);
  if (result?.status !== "rejected") return undefined;
  if (!(result.reason instanceof Problem)) throw result.reason;
  const { code, message, errors } = result.reason;
  return { code, message, errors };
}

test.each([
  ["", 0],
  ["1", 0],
  ["{}", 1],
  ["[]", 1],
  ['{"a":[]}', 2],
  ["[[],[[]],{}]", 3],
  ['{"a":{"b":1},"c":{"d":{}}}', 3],
  // Brackets in strings do not count.
  ['["[[[[{{{{"]', 1],
  ['["]]]]",[[]]]', 3],
  ['["\\"[[[["]', 1],
  ['["\\\\",[[]]]', 3],
  ['["\\\\\\"[[", []]', 2],
  ['{"[":{"]":[]}}', 3],
  // Not JSON: the function still returns.
  ['["', 1],
  ['["\\', 1],
])("%j has depth %d", (text, depth) => {
  expect(measureJson(Buffer.from(text)).depth).toBe(depth);
});

/** The number of objects, arrays and scalars. */
function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 1);
}

test("the number of values of a JSON text is that of its parsed value", () => {
  const property = fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 1, "\t"), (json, indent) => {
    const value = JSON.parse(json);
    const text = JSON.stringify(value, null, indent);
    expect(measureJson(Buffer.from(text)).valueCount).toBe(countValues(value));
  });
  fc.assert(property, { numRuns: 1_000 });
});

test("the number of values of a text that is not JSON is at least the number before its error", () => {
  const values = "[1,".repeat(1_000);
  for (const end of ["::::", '"a":'.repeat(2_000), "}}]]", '"', ":,:,:,", "\0\0", "1 2 3"])
    expect(measureJson(Buffer.from(values + end)).valueCount).toBeGreaterThanOrEqual(2_000);
});

test("a body of 65,536 values is accepted and one more is rejected before it is parsed", async () => {
  const body = (count: number, end = "") => `{"name":"A","more":[${"0,".repeat(count - 4)}0]}${end}`;
  expect(await read(inContext(request(body(65_536))))).toHaveProperty("name", "A");
  for (const end of ["", "x"])
    expect(await problemOf(read(inContext(request(body(65_537, end)))))).toEqual({
      code: "too_many_values",
      message:
        "Send a body of at most 65,536 objects, arrays and scalars. A list can be sent in several requests.",
      errors: [],
    });
});

test("a member named __proto__ is a member, and a number beyond the largest one is infinite", async () => {
  const body = '{"name":1e999,"more":{"__proto__":{"a":1}}}';
  const { name, more } = (await read(inContext(request(body)))) as { name: number; more: object };
  expect(name).toBe(Number.POSITIVE_INFINITY);
  expect(Object.keys(more)).toEqual(["__proto__"]);
});

test("a text that the database would truncate or change is not storable", () => {
  for (const text of ["", "a", "é😀", "\u{1}", "\ufffd"])
    expect([text, isStorable(text)]).toEqual([text, true]);
  for (const text of ["\0", "a\0b", "\ud800", "a\udc00", "\udc00\ud800"])
    expect([text, isStorable(text)]).toEqual([text, false]);
});

test("a body is reduced to the members of its schema, in one piece or in chunks", async () => {
  for (const pieces of [false, true]) {
    const body = '{"name":"é😀","more":{"b":[1]},"other":1,"__proto__":2}';
    expect(await read(inContext(request(body, json, pieces)))).toEqual({ name: "é😀", more: { b: [1] } });
    expect(await read(inContext(request("{}", json, pieces)))).toEqual({});
  }
});

test("an unvalidated body is returned with all members, its size and its depth", async () => {
  const body = '{"a":{"b":"é"}}';
  const sent = await readUnvalidatedJson({ maxDepth: 2 })(inContext(request(body)));
  expect(sent).toEqual({ body: { a: { b: "é" } }, size: 16, depth: 2 });
  expect(await problemOf(readUnvalidatedJson({ maxDepth: 1 })(inContext(request(body))))).toMatchObject({
    code: "malformed_json",
    message: "Send one JSON object in UTF-8, nested at most 1 levels deep.",
  });
});

test.each([
  "application/json",
  "Application/JSON",
  "application/json;charset=utf-8",
  "application/json \t; x",
])("content-type %s is accepted", async (type) => {
  expect(await read(inContext(request("{}", { "content-type": type })))).toEqual({});
});

test.each<Record<string, string>>([
  {},
  { "content-type": "" },
  { "content-type": "text/plain" },
  { "content-type": "application/jsonp" },
  { "content-type": "x-application/json" },
  { "content-type": "application/json x" },
  { ...json, "content-encoding": "br" },
  { ...json, "content-encoding": "gzip, gzip" },
])("headers %j are rejected", async (headers) => {
  expect((await problemOf(read(inContext(request("{}", headers)))))?.code).toBe("unsupported_media_type");
});

test("a body of 1 MiB is accepted and one more byte is rejected, in one piece or in chunks", async () => {
  const body = (size: number) => `{"name":"${"x".repeat(size - 11)}"}`;
  for (const pieces of [false, true]) {
    expect(await read(inContext(request(body(1_048_576), json, pieces)))).toHaveProperty("name");
    const larger = request(body(1_048_577), json, pieces);
    expect((await problemOf(read(inContext(larger))))?.code).toBe("payload_too_large");
  }
});

const deep = (depth: number) => `${'{"more":'.repeat(depth)}1${"}".repeat(depth)}`;

test.each<[string | Uint8Array, string]>([
  ["", "Send one JSON object in UTF-8."],
  ["{", "Send one JSON object in UTF-8."],
  ['{"a":01}', "Send one JSON object in UTF-8."],
  ["[]", "The body must be a JSON object."],
  ["null", "The body must be a JSON object."],
  ["1", "The body must be a JSON object."],
  [new Uint8Array([0x22, 0xff, 0x22]), "The body must be valid UTF-8."],
  [deep(9), "Send one JSON object in UTF-8, nested at most 8 levels deep."],
  ["[".repeat(100_000), "Send one JSON object in UTF-8, nested at most 8 levels deep."],
])("%# a body is rejected: %s", async (body, message) => {
  expect(await problemOf(read(inContext(request(body))))).toEqual({
    code: "malformed_json",
    message,
    errors: [],
  });
});

test("a body of depth 8 is accepted", async () => {
  expect(await read(inContext(request(deep(8))))).toHaveProperty("more");
});

test.each([
  ["in pieces", json],
  ["with its length", { ...json, "content-length": "100" }],
])("an incomplete body, sent %s, is rejected as an error of the client", async (_, headers) => {
  const broken = new ReadableStream({
    start: (controller) => controller.error(new Error("gone")),
  });
  const request = new Request("http://x/", { method: "POST", headers, body: broken });
  expect(await problemOf(read(inContext(request)))).toMatchObject({
    code: "malformed_json",
    message: "The body ended early.",
  });
});

const illFormed = "must contain no NUL character and no lone surrogate";

test.each(["\\u0000", "a\\ud800", "\\uDC00b", "\\uDFFF\\ud83d"])(
  "ill-formed text %s is reported with the field if the field is in the schema",
  async (text) => {
    const named = {
      code: "invalid_request" as const,
      message: "Correct the fields or parameters listed in errors.",
      errors: [{ pointer: "/name", code: "ill_formed_text" as const, detail: illFormed }],
    };
    expect(await problemOf(read(inContext(request(`{"name":"${text}"}`))))).toEqual(named);
    const below = [
      `["${text}"]`,
      `{"a":"${text}"}`,
      `{"${text}":1}`,
      `{"a":1,"${text}":1}`,
      `{"a":1,"b":"${text}"}`,
      `[[{"a":["${text}"]}]]`,
      `[1,null,"${text}"]`,
    ];
    for (const value of below) {
      const problem = await problemOf(read(inContext(request(`{"name":"a","more":${value}}`))));
      expect(problem).toMatchObject({ errors: [{ pointer: "/more" }] });
    }
    for (const body of [`{"${text}":1}`, `{"other":"${text}"}`])
      expect(await problemOf(read(inContext(request(body))))).toEqual({
        code: "invalid_request",
        message: `A text in the body ${illFormed}.`,
        errors: [],
      });
  },
);

test.each([
  ["text after it", '"} x', malformed],
  ["a container that is not closed", '","more":[', malformed],
  ["too deep a container", `","more":${"[".repeat(8)}${"]".repeat(8)}}`, tooDeep],
])("a body of 10,000 values with %s is rejected", async (_, end, detail) => {
  const body = `{"a":[${"0,".repeat(10_000)}0],"name":"${end}`;
  const problem = await problemOf(read(inContext(request(body))));
  expect(problem).toMatchObject({ code: "malformed_json", message: detail });
});

test.each([100, 20_000, 300_000])("a body of %d bytes is read, and a large one freed", async (size) => {
  const body = JSON.stringify({ name: "x".repeat(size), more: [{ a: 1 }], other: 2 });
  const sent = request(body);
  const bytes = Uint8Array.from(Buffer.from(body));
  Object.defineProperty(sent, "bytes", { value: async () => bytes });
  expect(await read(inContext(sent))).toEqual({ name: "x".repeat(size), more: [{ a: 1 }] });
  expect(bytes.byteLength).toBe(size < 16_384 ? body.length : 0);
});

test("releaseBody removes the object from the parsed body", async () => {
  const sent = await readUnvalidatedJson({ maxDepth: 8 })(inContext(request('{"events":[],"junk":[[]]}')));
  expect(releaseBody(sent)).toEqual({ events: [], junk: [[]] });
  expect(sent).toEqual({ body: {}, size: 25, depth: 3 });
});

test.each([
  ["events", (sent: ParsedBody) => readEvents(sent, 0), '{"events":[{"event":"a"}],"junk":[[]]}'],
  ["one event", (sent: ParsedBody) => readEvents(sent, 0), '{"event":"a","junk":[[]]}'],
  ["a Segment batch", (sent: ParsedBody) => readEvents(sent, 0), '{"batch":[{}],"junk":[[]]}'],
  ["items", (sent: ParsedBody) => readLastSeenItems(sent, 0), '{"items":[{}],"junk":[[]]}'],
])("%s are read, and the rest of the body is released", async (_, readItems, body) => {
  const sent = await readUnvalidatedJson({ maxDepth: 8 })(inContext(request(body)));
  const items = readItems(sent);
  // Before the items are validated, during which other requests run.
  expect(sent.body).toEqual({});
  expect(await items).toHaveLength(1);
});

test("an escape of well-formed text is accepted", async () => {
  const body = '{"name":"\\u0001\\ud83d\\ude00 \\\\u0000","more":[{"a":"\\ud83d\\ude00"},null,1]}';
  expect(await read(inContext(request(body)))).toEqual({
    name: "\u0001😀 \\u0000",
    more: [{ a: "😀" }, null, 1],
  });
});
