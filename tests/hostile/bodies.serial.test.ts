import { expect, test } from "bun:test";
import { NewAccountBody } from "../../src/accounts/input.ts";
import { strictJson } from "../../src/http/body/body.ts";
import { world } from "../support/world.ts";
import { faultsOf, marker, type Probe } from "./probes.ts";

const mebibyte = 1_048_576;
const malformed = { status: 400, code: "malformed_json" };
const invalid = { status: 400, code: "invalid_request" };
const tooManyValues = { status: 413, code: "too_many_values" };
const tooLarge = { status: 413, code: "payload_too_large" };
const unsupported = { status: 415, code: "unsupported_media_type" };
const created = { status: 201 };
type Expected = { status: number; code?: string; blamed?: string };
type Sent = Pick<Probe, "body" | "headers" | "key" | "addedTime">;

test("A body that is not one JSON object is 400", async () => {
  const notJson = [
    "",
    " ",
    marker,
    `{"name":"${marker}"`,
    `{"name":"${marker}",}`,
    `{name:"${marker}"}`,
    "{'name':1}",
  ];
  const odd = [
    '{"name":"a"}}',
    '{"name":"a"} {}',
    '{"name":"a"}//x',
    '{"name":NaN}',
    '{"mrr":01}',
    '{"mrr":.5}',
  ];
  const cut = [
    '{"name":"a\nb"}',
    '{"name":"a\u0000b"}',
    '{"name":"\\x41"}',
    '{"name":"\\u12"}',
    "[",
    "{",
    '"',
    "]",
    "}",
  ];
  const noObject = ["null", "true", "1", "1e400", `"${marker}"`, "[]", `[{"name":"${marker}"}]`, "[[]]"];
  const texts = [...notJson, ...odd, ...cut, ...noObject];
  await expectAnswers(texts.map((body) => posted(`body ${body.slice(0, 40)}`, malformed, { body })));
});

test("A body nested deeper than 8 is 400, in known and unknown members, and at any depth", async () => {
  const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  const within = (member: string, value: string) => `{"name":"Acme","${member}":${value}}`;
  const objects = (depth: number) => `${`{"${marker}":`.repeat(depth)}1${"}".repeat(depth)}`;
  await expectAnswers([
    posted("7 arrays in an unknown member", created, { body: within(marker, nested("[", "]", 7)) }),
    posted("8 arrays in an unknown member", malformed, { body: within(marker, nested("[", "]", 8)) }),
    posted("7 objects in an unknown member", created, { body: within(marker, objects(7)) }),
    posted("8 objects in an unknown member", malformed, { body: within(marker, objects(8)) }),
    posted(
      "7 arrays in a known member",
      { ...invalid, blamed: "/name" },
      { body: `{"name":${nested("[", "]", 7)}}` },
    ),
    posted("8 arrays in a known member", malformed, { body: `{"name":${nested("[", "]", 8)}}` }),
    posted(
      "7 objects in a known member",
      { ...invalid, blamed: "/mrr" },
      { body: within("mrr", objects(7)) },
    ),
    posted("8 objects in a known member", malformed, { body: within("mrr", objects(8)) }),
    posted("100,000 arrays", malformed, { body: within(marker, nested("[", "]", 100_000)) }),
    posted("100,000 objects", malformed, { body: `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}` }),
    posted("half a million open brackets", malformed, { body: "[".repeat(500_000) }),
    posted("closed before it was opened", malformed, { body: `${"]".repeat(20)}${"[".repeat(20)}` }),
    posted("brackets in a string are text", created, { body: `{"name":"${"[{".repeat(20)}"}` }),
    posted("a string that ends in a backslash", malformed, { body: '{"name":"\\"}' }),
    posted("brackets behind an escaped quote", created, { body: `{"name":"\\"${"[".repeat(20)}"}` }),
  ]);
});

test("A body of 1 MiB is accepted and one byte more is 413, with and without a content-length", async () => {
  const streamed = (text: string) => () => new Blob([text]).stream();
  const told = (length: string) => ({ headers: { "content-length": length } });
  await expectAnswers([
    posted("1 MiB", created, { body: padded(mebibyte) }),
    posted("1 MiB and a byte", tooLarge, { body: padded(mebibyte + 1) }),
    posted("1 MiB, streamed", created, { body: streamed(padded(mebibyte)) }),
    posted("1 MiB and a byte, streamed", tooLarge, { body: streamed(padded(mebibyte + 1)) }),
    posted("a stream without an end", tooLarge, { body: endless }),
    posted("a length of 1 TB alone", tooLarge, { body: "{}", ...told("1000000000000") }),
    posted("too large, of another kind", unsupported, {
      body: padded(mebibyte + 1),
      headers: { "content-type": "text/plain" },
    }),
  ]);
});

test("The reply to a body of 1 MiB takes at most 50 ms longer than JSON.parse, for any content", async () => {
  const timed = (title: string, expected: Expected, body: string): Probe =>
    posted(title, expected, { body, addedTime: () => parseTime(body) });
  const invalidMember = (blamed: string) => ({ ...invalid, blamed });
  await expectAnswers([
    timed("1 MiB in one name", invalidMember("/name"), JSON.stringify({ name: marker.repeat(100_000) })),
    timed("1 MiB of blanks in one name", invalidMember("/name"), `{"name":"${" ".repeat(1_000_000)}"}`),
    timed("1 MiB of emoji in one name", invalidMember("/name"), `{"name":"${"😀".repeat(250_000)}"}`),
    timed(
      "1 MiB of at signs in an e-mail address",
      invalidMember("/contactEmail"),
      `{"name":"a","contactEmail":"${"@".repeat(1_000_000)}"}`,
    ),
    timed("60,000 unknown members", created, manyMembers('"x"')),
    timed("60,000 unknown members with escapes", created, manyMembers('"\\u0041"')),
    timed("65,000 numbers and an escape", created, manyElements("1", 65_000)),
    timed("500,000 numbers and an escape", tooManyValues, manyElements("1", 500_000)),
    timed("300,000 empty arrays and an escape", tooManyValues, manyElements("[]", 300_000)),
    timed("65,000 escapes", created, manyElements('"\\u0041"', 65_000)),
    timed("a number of 1 MiB", invalidMember("/mrr"), `{"name":"a","mrr":${"9".repeat(1_000_000)}}`),
    timed("a name repeated 65,000 times", invalidMember("/name"), `{${'"name":1,'.repeat(65_000)}"name":2}`),
  ]);
});

test("A body of another media type, or with another content-encoding than gzip, is 415", async () => {
  const body = `{"name":"${marker}"}`;
  const others = [
    "text/plain",
    "application/jsonx",
    "application/json-seq",
    "application/problem+json",
    "text/json",
  ];
  const forms = [
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/octet-stream",
  ];
  const odd = [
    "application/json, text/plain",
    "application/json/",
    "application",
    "*/*",
    "x application/json",
  ];
  const taken = [
    "application/json",
    "APPLICATION/JSON; charset=utf-8",
    "application/json;charset=utf-8",
    "application/json ; a=b",
  ];
  const encodings = ["br", "deflate", "gzip, gzip", marker];
  await expectAnswers([
    ...[...others, ...forms, ...odd].map((type) =>
      posted(type, unsupported, { body, headers: { "content-type": type } }),
    ),
    ...taken.map((type) => posted(type, created, { body, headers: { "content-type": type } })),
    ...encodings.map((name) => posted(name, unsupported, { body, headers: { "content-encoding": name } })),
    posted("no content-type", unsupported, { body, headers: { "content-type": null } }),
    posted("gzip", created, { body: Bun.gzipSync(body), headers: { "content-encoding": "gzip" } }),
    posted("identity", created, { body, headers: { "content-encoding": "identity" } }),
    posted("no gzip", malformed, { body, headers: { "content-encoding": "gzip" } }),
    posted("gzip's own bytes, without a content-encoding", malformed, { body: Bun.gzipSync(body) }),
    posted("neither a body nor a content-type", unsupported, {}),
  ]);
});

test("Without a key the reply is 401, before a body of any kind is read", async () => {
  const text = { "content-type": "text/plain", "content-encoding": "gzip" };
  const bodies: [string, Sent][] = [
    ["no body", {}],
    ["broken JSON", { body: `{${marker}` }],
    ["another kind", { body: marker, headers: text }],
    ["too large", { body: padded(mebibyte + 1) }],
    ["without an end", { body: endless }],
    ["bad UTF-8", { body: new Uint8Array([0xff]) }],
  ];
  const denied = { status: 401, code: "unauthorized" };
  await expectAnswers(
    [null, "", marker, `ak_${marker}`, `ak_${"0".repeat(36)}`, "x".repeat(10_000)].flatMap((key) =>
      bodies.map(([title, sent]) => posted(`${title}, key ${key?.slice(0, 40)}`, denied, { ...sent, key })),
    ),
  );
});

async function expectAnswers(probes: Probe[]): Promise<void> {
  expect(await faultsOf(await world(), probes)).toEqual([]);
}

function posted(title: string, expected: Expected, sent: Sent): Probe {
  return { title, method: "POST", path: "/api/v1/accounts", ...expected, ...sent };
}

/** The milliseconds that JSON.parse takes at present, which depends on the load of the machine. */
function parseTime(text: string): number {
  const start = performance.now();
  JSON.parse(text);
  return performance.now() - start;
}

/** A valid body of this many bytes. */
function padded(size: number): string {
  const start = '{"name":"Acme","padding":"';
  return `${start}${"x".repeat(size - start.length - 2)}"}`;
}

function manyMembers(value: string): string {
  return `{"name":"Acme",${Array.from({ length: 60_000 }, (_, i) => `"${i}":${value}`)}}`;
}

function manyElements(value: string, count: number): string {
  return `{"name":"\\u0041","x":[${`${value},`.repeat(count)}1]}`;
}

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)) });
}

test("The body reader returns only the known members", async () => {
  const body = `{"name":"a","x":[${"[],".repeat(1000)}1],"__proto__":{"mrr":1},"constructor":1}`;
  const headers = { "content-type": "application/json" };
  const request = new Request("http://localhost/", { method: "POST", headers, body });
  const read = await strictJson(NewAccountBody)({ request, set: { headers: {} } });
  expect(read).toEqual({ name: "a" });
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});
