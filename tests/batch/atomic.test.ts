import { expect, test } from "bun:test";
import { accounts, batchWorld, post } from "./batch-world.ts";

test("atomic: when an operation fails, nothing is stored, and 422 batch_failed has the problems", async () => {
  const { batch, account, stored, call } = await batchWorld();
  await account({ name: "Taken", externalId: "taken" });
  const before = await stored();
  const { status, body } = await batch("atomic", [
    post({ name: "A", externalId: "a" }),
    { method: "PATCH", path: `${accounts}/99`, body: { name: "B" } },
    post({ name: "C", externalId: "taken" }),
    { method: "PATCH", path: `${accounts}/1`, body: { contactActivityAt: "2030-01-01" } },
    post({ name: "D", externalId: "a" }),
  ]);
  expect([status, body]).toEqual([
    422,
    {
      type: "urn:accountd:problem:batch_failed",
      title: "Batch failed",
      status: 422,
      detail: "Nothing was stored. Correct the operations listed in errors and send the batch again.",
      code: "batch_failed",
      errors: [
        {
          pointer: "/operations/1",
          code: "not_found",
          detail: "There is no account with this id in your organization.",
        },
        {
          pointer: "/operations/2/body/externalId",
          code: "external_id_conflict",
          detail: "is in use by another account",
        },
        {
          pointer: "/operations/3/body/contactActivityAt",
          code: "in_future",
          detail: "must not be in the future",
        },
        {
          pointer: "/operations/4/body/externalId",
          code: "external_id_conflict",
          detail: "is in use by another account",
        },
      ],
    },
  ]);
  expect(await stored()).toEqual(before);
  expect((await call("POST", accounts, { name: "Next" })).status).toBe(201);
  const feed = (await call("GET", "/api/v1/changes")).body.data;
  expect(feed.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2]);
});

test("atomic: invalid operations are reported before any other runs; the first ten failures are listed", async () => {
  const { batch, rows } = await batchWorld();
  const invalid = Array.from({ length: 12 }, () => post({}));
  const early = (await batch("atomic", [post({ name: "A", externalId: "a" }), ...invalid])).body;
  expect(early.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
    Array.from({ length: 10 }, (_, i) => `/operations/${i + 1}/body/name`),
  );
  const missing = Array.from({ length: 12 }, () => ({ method: "DELETE", path: `${accounts}/99` }));
  const late = (await batch("atomic", [post({ name: "A" }), ...missing])).body;
  expect(late.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
    Array.from({ length: 10 }, (_, i) => `/operations/${i + 1}`),
  );
  expect(await rows("SELECT * FROM accounts")).toEqual([]);
});

test("a batch has dry runs and idempotency keys", async () => {
  const { call, batch, stored } = await batchWorld();
  const operations = [post({ name: "A" }), post({ name: "" })];
  const before = await stored();
  const dry = await call("POST", "/api/v1/batch?dryRun=true", { mode: "partial", operations });
  expect([dry.status, dry.headers.get("dry-run"), dry.body.data.succeeded]).toEqual([200, "true", 1]);
  expect(await stored()).toEqual(before);
  const options = { headers: { "idempotency-key": "k" } };
  const first = await batch("partial", operations, options);
  const after = await stored();
  const second = await batch("partial", operations, options);
  expect([second.text, second.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
  expect(await stored()).toEqual(after);
  expect((await batch("partial", operations.slice(1), options)).body.code).toBe("idempotency_key_reused");
});
