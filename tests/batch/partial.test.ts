import { expect, test } from "bun:test";
import { beginningText } from "../support/world.ts";
import { accounts, batchWorld, post, put, remove } from "./batch-world.ts";

const meeting = { title: "Review", startAt: "2026-01-01", endAt: "2026-01-02" };

test("a batch runs every write on accounts, contacts, meetings and requests, with the replies of their own requests", async () => {
  const { call, batch } = await batchWorld();
  const writes: [method: string, path: string, body?: object][] = [
    ["POST", accounts, { name: "Acme", externalId: "acme", contactName: "Ada" }],
    ["PATCH", `${accounts}/1`, { mrr: 5 }],
    ["PATCH", `${accounts}/external/acme`, { status: "churned" }],
    ["PUT", `${accounts}/external/acme`, { name: "Acme 2" }],
    ["PUT", `${accounts}/external/b%2Fc`, { name: "New" }],
    ["POST", `${accounts}/1/contacts`, { name: "Eve", externalId: "eve" }],
    ["PATCH", "/api/v1/contacts/1", { email: "ada@x.io" }],
    ["PUT", "/api/v1/contacts/external/eve", { name: "Eve 2" }],
    ["POST", `${accounts}/1/meetings`, { ...meeting, externalId: "m" }],
    ["PATCH", "/api/v1/meetings/1", { title: "Other" }],
    ["PUT", "/api/v1/meetings/external/m", { title: "Third" }],
    ["POST", `${accounts}/1/requests`, { title: "SSO", externalId: "r" }],
    ["PATCH", "/api/v1/requests/1", { status: "Done" }],
    ["PUT", "/api/v1/requests/external/r", { severity: 5 }],
    ["DELETE", "/api/v1/contacts/1"],
    ["DELETE", "/api/v1/contacts/external/eve"],
    ["DELETE", "/api/v1/meetings/external/m"],
    ["DELETE", "/api/v1/requests/1"],
    ["DELETE", `${accounts}/external/b%2Fc`],
    ["DELETE", `${accounts}/1`],
  ];
  const operations = writes.map(([method, path, body]) => ({ method, path, body }));
  const reply = await batch("partial", operations);
  expect(reply.status).toBe(200);
  // The same writes on a new database, one by one.
  const other = await batchWorld();
  const single = [];
  for (const [method, path, body] of writes) {
    const { status, text } = await other.call(method, path, body);
    single.push({ status, body: text === "" ? null : JSON.parse(text) });
  }
  const { results, succeeded, failed } = reply.body.data;
  // In one transaction every later update is a millisecond later.
  const withoutTimes = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replaceAll(/"2026-01-02T03:04:05\.\d{3}Z"/g, '"now"'));
  expect(withoutTimes(results)).toEqual(withoutTimes(single));
  expect([succeeded, failed]).toEqual([writes.length, 0]);
  const feed = async ({ call: send }: { call: typeof call }) =>
    (await send("GET", "/api/v1/changes")).body.data.map(({ type }: { type: string }) => type);
  expect(await feed({ call })).toEqual(await feed(other));
});

test("partial: a failed operation has its problem, leaves nothing behind, and does not affect the others", async () => {
  const { batch, rows, call, account } = await batchWorld();
  await account({ name: "First" });
  const { status, body } = await batch("partial", [
    post({ name: "A", externalId: "a", contactName: "Ada" }),
    post({ name: "B", externalId: "a" }),
    post({ name: "", mrr: "x" }),
    { method: "PATCH", path: `${accounts}/99`, body: { name: "C" } },
    put("b", { name: "B" }),
    { method: "PATCH", path: `${accounts}/external/b`, body: { externalId: "a" } },
    { method: "POST", path: `${accounts}/1/meetings`, body: { ...meeting, endAt: "2025-01-01" } },
    { method: "PATCH", path: `${accounts}/1`, body: { unknown: 1 } },
    { method: "POST", path: `${accounts}/1/contacts`, body: { name: "Eve" } },
  ]);
  expect(status).toBe(200);
  const { results, succeeded, failed } = body.data;
  expect([succeeded, failed]).toEqual([3, 6]);
  expect(results.map((result: { status: number }) => result.status)).toEqual([
    201, 409, 400, 404, 201, 409, 400, 400, 201,
  ]);
  expect(results[0].body).toEqual({
    data: {
      ...{
        id: expect.any(Number),
        name: "A",
        externalId: "a",
        mrr: 0,
        active: true,
        churned: false,
        onboarding: false,
      },
      ...{ createdAt: beginningText, updatedAt: beginningText },
    },
  });
  expect(results[1].body).toEqual({
    type: "urn:accountd:problem:external_id_conflict",
    title: "External id in use",
    status: 409,
    detail: "Use another externalId, or update the account that has this one.",
    code: "external_id_conflict",
    errors: [
      {
        pointer: "/operations/1/body/externalId",
        code: "external_id_conflict",
        detail: "is in use by another account",
      },
    ],
  });
  expect(results[2].body.errors).toEqual([
    { pointer: "/operations/2/body/name", code: "too_short", detail: "must not be empty" },
    { pointer: "/operations/2/body/mrr", code: "wrong_type", detail: "must be a finite number" },
  ]);
  expect(results[3].body).toMatchObject({ code: "not_found", status: 404 });
  expect(results[6].body.errors).toMatchObject([
    { pointer: "/operations/6/body/endAt", code: "before_start" },
  ]);
  expect(results[7].body.code).toBe("no_valid_fields");
  expect(await rows("SELECT name FROM accounts ORDER BY id")).toEqual([
    { name: "First" },
    { name: "A" },
    { name: "B" },
  ]);
  expect(await rows("SELECT name FROM contacts ORDER BY id")).toEqual([{ name: "Ada" }, { name: "Eve" }]);
  const feed = (await call("GET", "/api/v1/changes")).body.data;
  expect(feed.map(({ sequence, type }: Record<string, unknown>) => [sequence, type])).toEqual([
    [1, "account.created"],
    [2, "account.created"],
    [3, "contact.created"],
    [4, "account.created"],
    [5, "contact.created"],
  ]);
});

test("an operation that fails after its first change leaves nothing behind: the account of a create with its contact", async () => {
  const { batch, rows, faults } = await batchWorld();
  const { body } = await batch("partial", [
    post({ name: "A", externalId: "a" }),
    post({ name: "B", externalId: "a", contactName: "Ada" }),
    remove(`${accounts}/external/a`),
    post({ name: "C", externalId: "a", contactName: "Eve" }),
  ]);
  expect(body.data.results.map((result: { status: number }) => result.status)).toEqual([201, 409, 204, 201]);
  expect(await rows("SELECT name FROM contacts")).toEqual([{ name: "Eve" }]);
  expect(await faults(0)).toEqual([]);
});

test("operations see the changes of earlier ones, in order", async () => {
  const { batch } = await batchWorld();
  const contact = { accountExternalId: "a", name: "Ada" };
  const { body } = await batch("partial", [
    { method: "PUT", path: "/api/v1/contacts/external/ada", body: contact },
    put("a", { name: "A" }),
    { method: "PUT", path: "/api/v1/contacts/external/ada", body: contact },
    put("a", { name: "A" }),
    remove(`${accounts}/external/a`),
    remove("/api/v1/contacts/external/ada"),
  ]);
  expect(body.data.results.map((result: { status: number }) => result.status)).toEqual([
    404, 201, 201, 200, 204, 404,
  ]);
});

test("an empty batch succeeds; 1,000 operations run, and 1,001 are rejected", async () => {
  const { batch, rows } = await batchWorld();
  for (const mode of ["partial", "atomic"])
    expect((await batch(mode, [])).body).toEqual({ data: { results: [], succeeded: 0, failed: 0 } });
  const operations = Array.from({ length: 1_000 }, (_, i) => post({ name: `A ${i}`, externalId: `a-${i}` }));
  const { status, body } = await batch("partial", [...operations, post({ name: "B" })]);
  expect([status, body.errors]).toEqual([
    400,
    [{ pointer: "/operations", code: "too_many", detail: "must contain at most 1000 items" }],
  ]);
  expect((await batch("atomic", operations)).body.data.succeeded).toBe(1_000);
  const again = (await batch("partial", operations)).body.data;
  expect([again.succeeded, again.failed]).toEqual([0, 1_000]);
  expect(await rows("SELECT count(*) AS count FROM accounts")).toEqual([{ count: 1_000 }]);
});
