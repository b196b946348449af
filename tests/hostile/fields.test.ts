import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker, type Probe } from "./probes.ts";

/** JSON texts of values that are not strings. */
const noText = ["1", "1.5", "true", "false", "[]", "{}", `["${marker}"]`, `{"${marker}":"${marker}"}`];
const noNumber = ["null", "true", "[]", "[1]", "{}", '""', '"1"', `"${marker}"`, "1e400", "-1e400"];
const long = (length: number) => JSON.stringify(marker.padEnd(length, "x"));

const onCreate: Record<string, string[]> = {
  name: [...noText, "null", '""', '" "', '"\\t\\n\\u00a0"', long(256)],
  externalId: [...noText, "null", long(256)],
  mrr: noNumber,
  status: [...noText, "null", '""', '"inactive"', '"Active"', '" active"', `"${marker}"`, '"__proto__"'],
  contactName: [...noText, "null", '""', '" "', long(256)],
  contactEmail: [...noText, "null", '"@"', `"${marker}"`, `"${marker}@"`, `"a@${marker}@b"`, '"a b@x.io"'],
};
const onUpdate: Record<string, string[]> = {
  name: [...noText, "null", '""', '" "', long(256)],
  externalId: [...noText, long(256)],
  mrr: noNumber,
  status: [...noText, "null", '""', '"ACTIVE"', `"${marker}"`, '"constructor"'],
  logoUrl: [
    ...noText,
    '""',
    `"${marker}"`,
    `"ftp://${marker}/a"`,
    `"javascript:alert('${marker}')"`,
    `"//${marker}/a"`,
    '"http://"',
    '"http:///a"',
    '"https://[::1"',
    JSON.stringify(`https://x.io/${"a".repeat(2048)}`),
  ],
  contactActivityAt: [
    ...noText,
    '""',
    `"${marker}"`,
    '"1767225600000"',
    '"2026"',
    '"2026-02-30"',
    '"2026-13-01"',
    '"2026-01-01T24:00:00Z"',
    '"2026-01-01T00:00:00+24:00"',
    '"2026-01-01T00:00:00 Z"',
    '"+002026-01-01"',
    '"2026-01-01; DROP TABLE accounts"',
    '"2026-01-02T03:04:05.679Z"',
    '"9999-12-31"',
  ],
};

test("POST rejects each field of the wrong type or range with 400 and its name", async () => {
  const service = await world();
  const probes = probesOf("POST", "/api/v1/accounts", onCreate, { name: '"Acme"' });
  expect(probes.length).toBeGreaterThan(60);
  expect(await faultsOf(service, probes)).toEqual([]);
  expect((await service.call("GET", "/api/v1/accounts?search=acme")).body.pagination.total).toBe(0);
});

test("PATCH rejects each field of the wrong type or range with 400, and changes nothing", async () => {
  const service = await world();
  const { id } = await service.account({ name: "Acme", externalId: "acme", mrr: 1 });
  const before = await service.call("GET", `/api/v1/accounts/${id}`);
  const probes = probesOf("PATCH", `/api/v1/accounts/${id}`, onUpdate, { mrr: "2" });
  expect(probes.length).toBeGreaterThan(60);
  expect(await faultsOf(service, probes)).toEqual([]);
  expect((await service.call("GET", `/api/v1/accounts/${id}`)).text).toBe(before.text);
});

test("A body in which every field is invalid gets one reply with all fields", async () => {
  const service = await world();
  const body = {
    name: 1,
    externalId: [marker],
    mrr: marker,
    status: marker,
    contactName: {},
    contactEmail: marker,
  };
  const reply = await service.call("POST", "/api/v1/accounts", body);
  expect(reply.status).toBe(400);
  expect(reply.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(
    Object.keys(body)
      .map((name) => `/${name}`)
      .sort(),
  );
  expect(reply.text).not.toContain(marker);
});

/** One probe for each value of each field; the other fields are those of `valid`. */
function probesOf(
  method: string,
  path: string,
  fields: Record<string, string[]>,
  valid: Record<string, string>,
): Probe[] {
  return Object.entries(fields).flatMap(([field, values]) =>
    values.map((value) => ({
      title: `${method} ${field}: ${value.slice(0, 60)}`,
      status: 400,
      code: "invalid_request",
      blamed: `/${field}`,
      method,
      path,
      body: bodyOf({ ...valid, [field]: value }),
    })),
  );
}

function bodyOf(members: Record<string, string>): string {
  return `{${Object.entries(members).map(([name, value]) => `"${name}":${value}`)}}`;
}
