import { expect, test } from "bun:test";
import { healthWorld } from "../health-scores/health-world.ts";
import { beginning, beginningText } from "../support/world.ts";

const path = "/api/v1/last-seen";
const minute = 60_000;
const item = { externalId: "acme", source: "vitally", lastSeenAt: "2026-01-01T03:04:05.678Z" };

/** A health world with one account, `acme`; `contact` returns the contact activity of its health. */
async function itemWorld() {
  const here = await healthWorld();
  await here.account({ name: "Acme", externalId: "acme" });
  return { ...here, contact: async () => (await here.health()).contactActivity };
}

test("POST returns 200 with the numbers of accepted and rejected items, and the reasons", async () => {
  const { call, contact } = await itemWorld();
  const items = [item, { ...item, externalId: "other" }];
  const reply = await call("POST", path, { items });
  expect(reply.status).toBe(200);
  const detail = expect.stringMatching(/\S/);
  expect(reply.body).toEqual({
    data: { accepted: 1, rejected: 1, items: [{ index: 1, code: "unknown_account", detail }] },
  });
  expect(await contact()).toEqual({ at: item.lastSeenAt, source: "vitally" });
});

test.each([
  ["its externalId", { externalId: "acme" }],
  ["its id", { accountId: 1 }],
  ["its id, which takes precedence over an externalId", { accountId: 1, externalId: "other" }],
  ["the address of a contact", { contactEmail: "ada@x.io" }],
])("an account is referenced by %s", async (_, reference) => {
  const { call, seen, contact } = await itemWorld();
  await call("POST", "/api/v1/accounts/1/contacts", { name: "Ada", email: "ada@x.io" });
  const { externalId, ...others } = item;
  expect((await seen([{ ...others, ...reference }])).body.data).toEqual({
    accepted: 1,
    rejected: 0,
    items: [],
  });
  expect(await contact()).toEqual({ at: item.lastSeenAt, source: "vitally" });
});

test("lastSeenTimestamp is an alias of lastSeenAt, which takes precedence", async () => {
  const { seen, contact } = await itemWorld();
  const { lastSeenAt, ...others } = item;
  await seen([{ ...others, lastSeenTimestamp: "2025-12-01" }]);
  expect(await contact()).toEqual({ at: "2025-12-01T00:00:00.000Z", source: "vitally" });
  await seen([{ ...others, lastSeenAt, lastSeenTimestamp: "2026-01-02" }]);
  expect(await contact()).toEqual({ at: lastSeenAt, source: "vitally" });
});

test("an older timestamp of a source does not replace a newer one", async () => {
  const { seen, contact } = await itemWorld();
  await seen([item]);
  expect((await seen([{ ...item, lastSeenAt: "2025-12-31" }])).body.data.accepted).toBe(1);
  expect(await contact()).toEqual({ at: item.lastSeenAt, source: "vitally" });
});

const { source: _source, ...withoutSource } = item;
const { lastSeenAt: _lastSeenAt, ...withoutTimestamp } = item;
const { externalId: _externalId, ...withoutAccount } = item;
const rejected: [string, string, unknown][] = [
  ["text", "wrong_type", "acme"],
  ["null", "wrong_type", null],
  ["a list", "wrong_type", [item]],
  ["no source", "required", withoutSource],
  ["no timestamp", "required", withoutTimestamp],
  ["no account", "no_account", withoutAccount],
  ["an externalId of null", "no_account", { ...item, externalId: null }],
  ["a timestamp of null", "required", { ...item, lastSeenAt: null, lastSeenTimestamp: null }],
  ["an externalId of a number", "wrong_type", { ...item, externalId: 7 }],
  ["an empty externalId", "too_short", { ...item, externalId: "" }],
  ["an id of text", "wrong_type", { ...item, accountId: "1" }],
  ["an id below 0", "out_of_range", { ...item, accountId: -1 }],
  ["an empty address", "no_account", { ...withoutAccount, contactEmail: "" }],
  ["an address of 255 characters", "too_long", { ...withoutAccount, contactEmail: "é".repeat(255) }],
  ["an empty source", "too_short", { ...item, source: "" }],
  ["a blank source", "blank", { ...item, source: " " }],
  ["a source of 65 characters", "too_long", { ...item, source: "😀".repeat(65) }],
  ["a source with a NUL", "ill_formed_text", { ...item, source: "a\0b" }],
  ["the source api", "reserved_source", { ...item, source: "api" }],
  ["the source event", "reserved_source", { ...item, source: "event" }],
  ["the source Api", "reserved_source", { ...item, source: "Api" }],
  ["the source EVENT", "reserved_source", { ...item, source: "EVENT" }],
  ["an invalid timestamp", "invalid_timestamp", { ...item, lastSeenAt: "2026-02-30" }],
  ["a number as timestamp", "wrong_type", { ...item, lastSeenAt: beginning }],
  ["an unknown externalId", "unknown_account", { ...item, externalId: "ACME" }],
  ["an unknown id", "unknown_account", { ...withoutAccount, accountId: 999 }],
  ["an unknown address", "unknown_account", { ...withoutAccount, contactEmail: "ada@x.io" }],
];
test("an invalid item is rejected with its code, and does not affect the others", async () => {
  const { seen, contact, textOf } = await itemWorld();
  for (const [i, [what, code, invalid]] of rejected.entries()) {
    const [source, lastSeenAt] = [`platform ${i}`, textOf(beginning - (60 - i) * minute)];
    const { data } = (await seen([item, invalid, { ...item, source, lastSeenAt }])).body;
    const items = [{ index: 1, code }];
    expect([what, data]).toMatchObject([what, { accepted: 2, rejected: 1, items }]);
    expect([what, await contact()]).toEqual([what, { at: lastSeenAt, source }]);
  }
});

test("a source has at most 64 characters and is compared byte for byte", async () => {
  const { seen, contact } = await itemWorld();
  for (const source of ["😀".repeat(64), "VITALLY", "vitally"])
    expect((await seen([{ ...item, source }])).body.data.accepted).toBe(1);
  expect((await contact()).source).toBe("VITALLY");
});

test("up to 5 minutes ahead is stored as now; more is rejected as in_future", async () => {
  const { seen, contact, pass, textOf } = await itemWorld();
  const ahead = (time: number) => seen([{ ...item, lastSeenAt: textOf(beginning + time) }]);
  const { data } = (await ahead(5 * minute + 1)).body;
  expect(data).toMatchObject({ accepted: 0, rejected: 1, items: [{ index: 0, code: "in_future" }] });
  expect(await contact()).toEqual({ at: null, source: null });
  expect((await ahead(5 * minute)).body.data.accepted).toBe(1);
  expect(await contact()).toEqual({ at: beginningText, source: "vitally" });
  pass(10 * minute);
  expect(await contact()).toEqual({ at: beginningText, source: "vitally" });
});

test("accounts and contacts of another organization get the same outcome as those that do not exist", async () => {
  const { account, seen, call, second } = await itemWorld();
  await account({ name: "Theirs", externalId: "theirs", contactEmail: "eve@x.io" }, { key: second.key });
  const reference = [{ accountId: 2 }, { externalId: "theirs" }, { contactEmail: "eve@x.io" }];
  const missing = [{ accountId: 9 }, { externalId: "nobody" }, { contactEmail: "nobody@x.io" }];
  const bodyOf = async (names: object[]) =>
    (await seen(names.map((name) => ({ ...withoutAccount, ...name })))).body;
  const foreign = await bodyOf(reference);
  expect(foreign.data).toMatchObject({ accepted: 0, rejected: 3 });
  expect(foreign).toEqual(await bodyOf(missing));
  const { body } = await call("GET", "/api/v1/accounts/2/health", undefined, { key: second.key });
  expect(body.data.contactActivity).toEqual({ at: null, source: null });
});

test("a request has 0 to 1,000 items, each stored independently", async () => {
  const { seen, contact } = await itemWorld();
  const items = Array.from({ length: 1001 }, (_, index) => ({
    ...item,
    source: `platform ${index % 10}`,
    lastSeenAt: new Date(beginning - index * minute).toISOString(),
  }));
  expect((await seen(items)).body).toMatchObject({
    status: 400,
    code: "invalid_request",
    errors: [{ pointer: "/items", code: "too_many" }],
  });
  expect(await contact()).toEqual({ at: null, source: null });
  expect((await seen(items.slice(0, 1000))).body.data).toEqual({ accepted: 1000, rejected: 0, items: [] });
  expect(await contact()).toEqual({ at: beginningText, source: "platform 0" });
  expect((await seen([])).body.data).toEqual({ accepted: 0, rejected: 0, items: [] });
});

test("a body without a list of items is 400", async () => {
  const { call } = await itemWorld();
  for (const [body, code] of [
    [{}, "required"],
    [item, "required"],
    [{ items: null }, "wrong_type"],
    [{ items: { 0: item } }, "wrong_type"],
  ] as const) {
    const problem = { status: 400, code: "invalid_request", errors: [{ pointer: "/items", code }] };
    expect([body, (await call("POST", path, body)).body]).toMatchObject([body, problem]);
  }
});

test("A null member of an item, and an empty address, count as absent", async () => {
  const { seen, contact } = await itemWorld();
  const nulls = { accountId: null, contactEmail: null, lastSeenTimestamp: null };
  const { lastSeenAt, ...others } = item;
  const items = [
    { ...nulls, ...item },
    { ...item, contactEmail: "" },
    { ...others, lastSeenAt: null, lastSeenTimestamp: lastSeenAt },
    { ...item, externalId: null, accountId: 1 },
  ];
  expect((await seen(items)).body.data).toEqual({ accepted: 4, rejected: 0, items: [] });
  expect(await contact()).toEqual({ at: lastSeenAt, source: "vitally" });
});
