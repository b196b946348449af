import { expect, test } from "bun:test";
import { prefersStrictHandling } from "../../src/http/resource/prefer.ts";
import { type Body, world } from "../support/world.ts";

test.each([
  "handling=strict",
  "Handling=STRICT",
  "handling = strict",
  'handling="strict"',
  'handling="st\\rict"',
  "return=minimal, handling=strict",
  "return=minimal,, ,handling=strict , wait=10",
  'foo="a, handling=lenient; \\" b", handling=strict',
  "handling=strict; version=1",
  "handling=strict;a=b;c",
  "\thandling=strict\t",
  "handling=strict, handling=lenient",
  "handling lenient, handling=strict",
])("Prefer: %s requests strict handling", (header) => {
  expect(prefersStrictHandling(header)).toBe(true);
});

test.each([
  null,
  "",
  ",",
  "strict",
  "handling",
  "handling=",
  'handling=""',
  "handling=lenient",
  "handling=strictly",
  "handling=strict x",
  "x-handling=strict",
  "handlings=strict",
  "return=minimal; handling=strict",
  'foo="handling=strict"',
  'foo=", handling=strict',
  'foo="a\\", handling=strict"',
  "handling=lenient, handling=strict",
  "handling, handling=strict",
  'handling="strict',
])("Prefer: %s does not request strict handling", (header) => {
  expect(prefersStrictHandling(header)).toBe(false);
});

test("a Prefer header of 16 kB is parsed within milliseconds", () => {
  const times = Array.from({ length: 3 }, () => {
    const begin = performance.now();
    for (const part of ["a,", '"', "a=", '\\"', "a;", " ", "handling=strict ", '="\\'])
      prefersStrictHandling(part.repeat(16_384 / part.length));
    return performance.now() - begin;
  });
  expect(Math.min(...times)).toBeLessThan(100);
});

const strict = { headers: { prefer: "handling=strict" } };

async function service() {
  const { call, account } = await world();
  const { id } = await account({ name: "Acme", externalId: "acme" });
  const send = async (method: string, path: string, body: Body | string, options = strict) => {
    const reply = await call(method, `/api/v1/${path}`, body, options);
    return {
      status: reply.status,
      code: reply.body.code,
      detail: reply.body.detail,
      applied: reply.headers.get("preference-applied"),
      data: reply.body.data,
    };
  };
  return { call, account, send, id };
}

const applied = "handling=strict";
const refused = (detail: string) => ({ status: 400, code: "unknown_member", detail, applied });

test("without the preference, unknown members are ignored and Preference-Applied is absent", async () => {
  const { send } = await service();
  for (const headers of [{}, { prefer: "handling=lenient" }, { prefer: "return=minimal" }])
    expect(await send("POST", "accounts", { name: "A", MRR: 5 }, { headers } as typeof strict)).toMatchObject(
      {
        status: 201,
        applied: null,
        data: { name: "A", mrr: 0 },
      },
    );
});

test("with the preference, an unknown member is 400 with the closest valid name; nothing is stored, and the member is not repeated", async () => {
  const { send, call, id } = await service();
  expect(await send("POST", "accounts", { name: "A", MRR: 5 })).toMatchObject(
    refused("Unknown field: did you mean `mrr`?"),
  );
  expect(await send("PATCH", `accounts/${id}`, { name: "B", mmr: 5, statsu: "churned" })).toMatchObject(
    refused("2 unknown fields: did you mean `mrr`, `status`?"),
  );
  expect(await send("PUT", "accounts/external/other", { name: "B", owner: "x" })).toMatchObject(
    refused(
      "Unknown field. The valid names are `name`, `mrr`, `status`, `logoUrl`, `contactActivityAt`, `attributes`.",
    ),
  );
  for (const list of ["contacts", "meetings", "requests"]) {
    const reply = await send("POST", `accounts/${id}/${list}`, { name: "A", title: "A", zqMARKERqz: 1 });
    expect(reply).toMatchObject({ status: 400, code: "unknown_member", applied });
    expect(reply.detail).not.toContain("zqMARKERqz");
  }
  const { body } = await call("GET", "/api/v1/accounts");
  expect(body.data.map((row: Body) => [row.name, row.mrr])).toEqual([["Acme", 0]]);
});

test("with the preference, a body of valid members is stored, and the reply has Preference-Applied", async () => {
  const { send, id } = await service();
  expect(await send("POST", "accounts", { name: "B", mrr: 5 })).toMatchObject({ status: 201, applied });
  expect(await send("PATCH", `accounts/${id}`, { mrr: 7 })).toMatchObject({ status: 200, applied });
  expect(await send("PATCH", `accounts/${id}`, {})).toMatchObject({ code: "no_valid_fields", applied });
  expect(await send("PATCH", "accounts/999999", { mrr: 7 })).toMatchObject({ status: 404, applied });
  expect(await send("POST", "accounts", { name: "C", externalId: "acme" })).toMatchObject({
    status: 409,
    applied,
  });
  expect(await send("POST", "accounts", { name: 1 })).toMatchObject({ code: "invalid_request", applied });
});

test("the preference is not applied to a body that cannot be parsed or to a request without a body", async () => {
  const { send, call, id } = await service();
  expect(await send("POST", "accounts", "{")).toMatchObject({ code: "malformed_json", applied: null });
  for (const [method, path] of [
    ["GET", "/api/v1/accounts"],
    ["GET", `/api/v1/accounts/${id}`],
    ["DELETE", "/api/v1/contacts/1"],
  ] as const)
    expect((await call(method, path, undefined, strict)).headers.get("preference-applied")).toBeNull();
});

test("for events and last-seen items, the top level is strict and the items are not", async () => {
  const { send } = await service();
  const event = { event: "e", externalId: "acme", more: 1 };
  expect(await send("POST", "events", { events: [event] })).toMatchObject({ status: 200, applied });
  expect(await send("POST", "events", { event: "e", externalId: "acme" })).toMatchObject({
    status: 200,
    applied,
  });
  const item = { externalId: "acme", source: "s", lastSeenAt: "2026-01-01", more: 1 };
  expect(await send("POST", "last-seen", { items: [item] })).toMatchObject({ status: 200, applied });

  const wrong = "Unknown field: did you mean `events`?";
  expect(await send("POST", "events", { evnets: [event] })).toMatchObject(refused(wrong));
  expect(await send("POST", "events", { ...event, more: undefined, timestmp: "2026-01-01" })).toMatchObject(
    refused("Unknown field: did you mean `timestamp`?"),
  );
  expect(await send("POST", "events", { events: [event], batch: [] })).toMatchObject({
    code: "unknown_member",
  });
  expect(await send("POST", "last-seen", { items: [item], itmes: [] })).toMatchObject(
    refused("Unknown field: did you mean `items`?"),
  );
});

test("a Segment batch under /api may have the members of Segment's bodies; others are unknown", async () => {
  const { send } = await service();
  const batch = { batch: [], writeKey: "k", sentAt: "2026-01-01", context: {}, integrations: {} };
  expect(await send("POST", "events", batch)).toMatchObject({ status: 200, applied });
  expect(await send("POST", "events", { batch: [], zzz: 1 })).toMatchObject(
    refused("Unknown field. The valid names are `batch`, `context`, `integrations`, `sentAt`, `writeKey`."),
  );
  expect(await send("POST", "events", { batch: [], sentat: 1 })).toMatchObject(
    refused("Unknown field: did you mean `sentAt`?"),
  );
});

test("the preference is not applied to /v1/batch", async () => {
  const { call } = await service();
  const reply = await call("POST", "/v1/batch", { batch: [], zzz: 1 }, strict);
  expect([reply.status, reply.headers.get("preference-applied")]).toEqual([200, null]);
});
