import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker, type Probe } from "./probes.ts";

const malformed = { status: 400, code: "malformed_json" };
const invalid = { status: 400, code: "invalid_request" };
/** The members of a valid account, for use under __proto__. */
const harm = '{"polluted":true,"name":"b","externalId":"taken","prototype":{"polluted":true}}';
const created = { status: 201 };
type Expected = { status: number; code?: string; blamed?: string };

test("Invalid UTF-8, a NUL character or a lone surrogate is 400 anywhere in the body", async () => {
  const bytes = (hex: string) =>
    Buffer.concat([Buffer.from('{"name":"a'), Buffer.from(hex, "hex"), Buffer.from('"}')]);
  const broken = [
    "ff",
    "80",
    "c3",
    "c080",
    "c0af",
    "eda080",
    "edbfbf",
    "f4908080",
    "f8a0a0a0a0",
    "fffe",
    "e282",
  ];
  const named = (blamed: string) => ({ ...invalid, blamed });
  await expectAnswers([
    ...broken.map((hex) => posted(`bytes ${hex}`, malformed, { body: bytes(hex) })),
    posted("UTF-16", malformed, { body: Buffer.from('{"name":"a"}', "utf16le") }),
    posted("good UTF-8 after bad", created, { body: bytes("f09f9880") }),
    posted("a byte order mark is no text", created, { body: '\ufeff{"name":"a"}' }),
    posted("NUL in name", named("/name"), { body: '{"name":"a\\u0000b"}' }),
    posted("half a pair in name", named("/name"), { body: '{"name":"\\ud800"}' }),
    posted("the other half in externalId", named("/externalId"), {
      body: '{"name":"a","externalId":"\\udc00"}',
    }),
    posted("a pair the wrong way round", named("/name"), { body: '{"name":"\\udc00\\ud800"}' }),
    posted("a whole pair", created, { body: '{"name":"\\ud83d\\ude00"}' }),
    posted("an escaped backslash before u0000", created, { body: '{"name":"\\\\u0000"}' }),
    posted("NUL in an unknown member", invalid, { body: `{"name":"a","${marker}":"\\u0000"}` }),
    posted("half a pair deep in an unknown member", invalid, {
      body: `{"name":"a","x":[{"${marker}":"\\ud800"}]}`,
    }),
    posted("NUL in a member of 1 MiB", invalid, {
      body: `{"name":"a","${"x".repeat(1_000_000)}":"\\u0000"}`,
    }),
    posted("NUL in the name of a member", invalid, { body: `{"name":"a","${marker}\\u0000":1}` }),
    posted("half a pair in the name of a member", invalid, { body: `{"name":"a","${marker}\\ud800":1}` }),
  ]);
});

test("__proto__, constructor and prototype are ignored as every unknown member", async () => {
  const keys = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then", "toJSON"];
  await expectAnswers([
    ...keys.map((key) => posted(key, created, { body: `{"name":"a","${key}":${harm}}` })),
    ...keys.map((key) =>
      posted(`${key} alone`, { ...invalid, blamed: "/name" }, { body: `{"${key}":${harm}}` }),
    ),
    posted(
      "the last of two names counts",
      { ...invalid, blamed: "/name" },
      { body: `{"name":"${marker}","name":1}` },
    ),
    posted("the last of two names is taken", created, { body: '{"name":1,"name":"b"}' }),
  ]);
});

test("No member of __proto__ replaces a missing member of the body, and read-only members are ignored", async () => {
  const { call, account } = await world();
  const { id } = await account({ name: "Acme" });
  const ids = `"id":77,"organizationId":2,"createdAt":"2000-01-01","foldedName":"x"`;
  for (const body of ["{}", `{${ids}}`, `{"__proto__":${harm}}`, `{"constructor":${harm}}`]) {
    const { status, body: problem } = await call("PATCH", `/api/v1/accounts/${id}`, body);
    expect([status, problem.code]).toEqual([400, "no_valid_fields"]);
  }
  const { body } = await call("POST", "/api/v1/accounts", `{"name":"b","__proto__":${harm},${ids}}`);
  expect([body.data.id, body.data.name, body.data.externalId]).toEqual([id + 1, "b", null]);
});

async function expectAnswers(probes: Probe[]): Promise<void> {
  expect(await faultsOf(await world(), probes)).toEqual([]);
}

function posted(title: string, expected: Expected, sent: Pick<Probe, "body">): Probe {
  return { title, method: "POST", path: "/api/v1/accounts", ...expected, ...sent };
}
