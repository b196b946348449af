import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { checkDatabase } from "../../db/sqlite/storage.ts";
import { daysUntilFinal } from "../../src/core/event-limits.ts";
import { dayOf, millisecondsOfDay } from "../../src/core/timestamps.ts";
import { beginning, temporaryFile, world } from "../support/world.ts";

const firstCompleteDay = dayOf(beginning) - daysUntilFinal;
const check = (file: string, isQuick = false) => checkDatabase(file, { firstCompleteDay, isQuick });

/** A service with rows in every table that the check compares. */
async function filledWorld() {
  const service = await world();
  const { account, call, pass } = service;
  const attributes = { plan: "pro", seats: 1e21, trial: false };
  await account({ name: "Acme", externalId: "a", contactName: "Ada", attributes });
  await call("PATCH", "/api/v1/contacts/1", { attributes: { share: 0.3 } });
  await account({ name: "Beta", status: "churned", mrr: 1000.5 });
  await call("POST", "/api/v1/accounts/1/requests", { title: "SSO", severity: 4 });
  const requestedAt = new Date(service.now() - 3_600_000).toISOString();
  await call("POST", "/api/v1/accounts/1/requests", { title: "Export", status: "Done", requestedAt });
  const at = (days: number) => new Date(service.now() - days * millisecondsOfDay).toISOString();
  const sent = (userId: string, days = 0) => ({
    event: "login",
    externalId: "a",
    userId,
    timestamp: at(days),
  });
  const events = [sent("u1"), sent("u2"), sent("u2"), sent("u3", 34), { event: "login", externalId: "none" }];
  expect((await call("POST", "/api/v1/events", { events })).status).toBe(200);
  pass(millisecondsOfDay);
  await account({ name: "Gone", externalId: "g" });
  await call("POST", "/api/v1/events", { events: [{ event: "login", externalId: "g" }] });
  await call("DELETE", "/api/v1/accounts/3");
  return service;
}

let filled: Promise<Uint8Array> | undefined;

/** The bytes of the closed database of `filledWorld`. */
async function fill(): Promise<Uint8Array> {
  const { file, engine } = await filledWorld();
  await engine.close();
  return readFileSync(file);
}

/** A copy of the database of `filledWorld`, changed by SQL. */
async function changedCopy(...statements: string[]): Promise<string> {
  filled ??= fill();
  const copy = temporaryFile("changed.db");
  writeFileSync(copy, await filled);
  for (const sql of statements) {
    const client = new Database(copy);
    client.run("PRAGMA foreign_keys = OFF");
    client.run(sql);
    client.close();
  }
  return copy;
}

test("a database that is in use is sound, and the check changes no file", async () => {
  const { file } = await filledWorld();
  const state = () =>
    ["", "-wal"].map((suffix) => [readFileSync(file + suffix), statSync(file + suffix).mtimeMs]);
  const before = state();
  expect(check(file)).toEqual([]);
  expect(check(file, true)).toEqual([]);
  expect(state()).toEqual(before);
});

// The faults that a repair corrects: tests/repairs.
test.each([
  ["UPDATE contacts SET account_id = 99", "row 1 of contacts references no row of accounts"],
  [
    "DELETE FROM changes WHERE sequence = 2",
    "organization 1: 1 changes are missing between the sequence numbers 1 and 8",
  ],
  [
    "UPDATE attribute_values SET number = 0.30000001 WHERE name = 'share'",
    "organization 1, contact 1: attribute_values differs from the row in 1 attributes",
  ],
])("check after %s reports one fault", async (sql, fault) => {
  const file = await changedCopy(sql);
  expect(check(file)).toEqual([fault]);
  expect(check(file, true)).toEqual([]);
});

test("events of an account that does not exist are a fault, those of a deletion in progress are not", async () => {
  const file = await changedCopy("DELETE FROM account_deletions");
  expect(check(file)).toEqual([
    "organization 1: 1 rows of events belong to account 3, which does not exist",
    "organization 1: 1 rows of usage_days belong to account 3, which does not exist",
  ]);
});

test("pending events of an account that took their id are counted in attachments", async () => {
  const taken = "INSERT INTO attachments VALUES (1, 'none', 5, 1, %, 0, 0)";
  const withoutList = "DELETE FROM unmatched_ids";
  expect(check(await changedCopy(withoutList, taken.replace("%", "1")))).toEqual([]);
  expect(check(await changedCopy(withoutList, taken.replace("%", "3")))).toEqual([
    "organization 1: unmatched_ids and attachments have 3 pending events of an external id, the table events 1",
  ]);
});

test("counts whose events or users were deleted by retention are not compared", async () => {
  const { file, pass, jobs, tenant, engine } = await filledWorld();
  const run = async (job: string) => {
    while (await jobs.steps[job]?.(tenant()));
  };
  pass(36 * millisecondsOfDay);
  await run("pending events");
  await run("old events");
  expect(check(file)).toEqual([]);
  pass(60 * millisecondsOfDay);
  await run("expired users");
  await engine.close();
  const later = firstCompleteDay + 97;
  expect(checkDatabase(file, { firstCompleteDay: later })).toEqual([]);
  // The counts are compared from an earlier day on.
  expect(checkDatabase(file, { firstCompleteDay })).not.toEqual([]);
});

test("an index that lacks a row is a fault that a quick check does not find", async () => {
  const file = await changedCopy();
  const before = readFileSync(file);
  const client = new Database(file);
  const [[root, size] = []] = client
    .query(
      "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = 'accounts_mrr'",
    )
    .values();
  client.run("UPDATE accounts SET mrr = 5 WHERE id = 1");
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
  // The page of the index as it was before the update.
  const start = (Number(root) - 1) * Number(size);
  const after = readFileSync(file);
  before.copy(after, start, start, start + Number(size));
  writeFileSync(file, after);
  expect(check(file, true)).toEqual([]);
  expect(check(file)).toEqual(["row 1 missing from index accounts_mrr"]);
});
