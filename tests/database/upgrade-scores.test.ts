import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { revenueOf } from "../../src/account-counts/revenue.ts";
import { updateAccount } from "../../src/accounts/store.ts";
import { fold } from "../../src/core/folding.ts";
import { Tenant } from "../../src/core/tenant/tenant.ts";
import { healthList, sumHealth } from "../../src/health-scores/store.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { reactions } from "../../src/reactions.ts";
import { temporaryFile } from "../support/world.ts";
import { contentOf, read } from "./families.ts";
import { differencesOf, shapeOf } from "./schema-shape.ts";
import { databaseOfVersion, releasedVersion, upgrade } from "./versions.ts";

const versions = Array.from({ length: releasedVersion }, (_, i) => i + 1);
const never = Number.MAX_SAFE_INTEGER;

/** Accounts in each state that a score can be in. */
const scores = `
  UPDATE account_health
    SET score = 82.5, tier = 'healthy', coverage = 0.75, rank = 82.5, changes_at = 12345 WHERE account_id = 5;
  INSERT INTO accounts SELECT 20, 1, 'Unscored', 'unscored', NULL, NULL, 7, 'active', NULL, NULL, 1, 1;
  INSERT INTO accounts SELECT 21, 1, 'Stale', 'stale', NULL, NULL, 8, 'active', NULL, NULL, 1, 1;
  INSERT INTO accounts SELECT 22, 1, 'Zero', 'zero', NULL, NULL, 9, 'churned', NULL, NULL, 1, 1;
  INSERT INTO account_health VALUES (1, 20, NULL, NULL, 0, 101, 7, 'unscored', ${never});
  INSERT INTO account_health VALUES (1, 21, 59.9, 'at_risk', 0.25, 59.9, 8, 'stale', 0);
  INSERT INTO account_health VALUES (1, 22, 0, 'critical', 1, 0, 9, 'zero', ${never - 1});
  UPDATE account_counts SET count = 2 WHERE organization_id = 1;
  INSERT INTO account_counts VALUES (1, 'active', 2), (1, 'churned', 1);
  UPDATE account_counts SET count = 1 WHERE organization_id = 1 AND status = 'onboarding';`;
const scoreColumns = "id, score, tier, coverage, rank, score_stale_at";

function shapeOfFile(file: string) {
  const client = new Database(file, { readonly: true });
  try {
    return shapeOf(client);
  } finally {
    client.close();
  }
}

test.each(versions)(
  "a database of version %d has the schema of a new one after its upgrade",
  async (version) => {
    const file = await databaseOfVersion(version);
    const fresh = temporaryFile("accountd.db");
    await openDatabase(fresh, { clock: () => 1, canCreate: true }).close();
    await upgrade(file);
    expect(differencesOf(shapeOfFile(fresh), shapeOfFile(file))).toEqual([]);
    expect(read(file, "PRAGMA foreign_key_check")).toEqual([]);
    expect(read(file, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(read(file, "PRAGMA user_version")).toEqual([{ user_version: migrations.length }]);
    const applied = read(file, "SELECT name, applied_at FROM schema_migrations ORDER BY version");
    expect(applied).toEqual(
      migrations.map(({ name }, i) => ({ name, applied_at: i < version ? i + 1 : 100 })),
    );
  },
);

test.each(versions)(
  "an upgrade of version %d keeps every row, and the copy made before it is complete",
  async (version) => {
    const file = await databaseOfVersion(version);
    const before = contentOf(file);
    const tables = read<{ name: string }>(
      file,
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('account_health', 'schema_migrations', 'sqlite_sequence')",
    ).map(({ name }) => name);
    const columns = tables.map((table) =>
      read<{ name: string }>(file, `PRAGMA table_info(${table})`).map(({ name }) => name),
    );
    const rows = () =>
      tables.map((table, i) => read(file, `SELECT ${columns[i]} FROM ${table} ORDER BY 1, 2`));
    const expected = rows();
    expect(expected.every((list) => list.length > 0)).toBe(true);
    await upgrade(file);
    expect(rows()).toEqual(expected);
    const copy = `${file}.before-${version + 1}`;
    expect(contentOf(copy)).toBe(before);
    const files = readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.before`));
    expect(files).toContain(basename(copy));
  },
);

test.each([1, 2, 3])(
  "after an upgrade of version %d, which had no scores, every score is stale",
  async (version) => {
    const file = await databaseOfVersion(version);
    await upgrade(file);
    expect(read(file, `SELECT ${scoreColumns} FROM accounts ORDER BY id`)).toEqual(
      [5, 9].map((id) => ({ id, score: null, tier: null, coverage: 0, rank: 101, score_stale_at: 0 })),
    );
  },
);

test.each([4, 5, 6])(
  "an upgrade of version %d keeps the scores, and each is stale, because the rules of scores are others",
  async (version) => {
    const file = await databaseOfVersion(version, scores);
    const expected = read(
      file,
      "SELECT account_id AS id, score, tier, coverage, rank, 0 AS score_stale_at FROM account_health ORDER BY account_id",
    );
    await upgrade(file);
    expect(read(file, `SELECT ${scoreColumns} FROM accounts ORDER BY id`)).toEqual(expected);
    expect(expected).toEqual([
      { id: 5, score: 82.5, tier: "healthy", coverage: 0.75, rank: 82.5, score_stale_at: 0 },
      { id: 9, score: null, tier: null, coverage: 0, rank: 101, score_stale_at: 0 },
      { id: 20, score: null, tier: null, coverage: 0, rank: 101, score_stale_at: 0 },
      { id: 21, score: 59.9, tier: "at_risk", coverage: 0.25, rank: 59.9, score_stale_at: 0 },
      { id: 22, score: 0, tier: "critical", coverage: 1, rank: 0, score_stale_at: 0 },
    ]);
  },
);

test("after an upgrade lists show the existing scores until the job has recomputed them, which records other tiers", async () => {
  const file = await databaseOfVersion(releasedVersion, scores);
  await upgrade(file);
  const engine = openDatabase(file, { clock: () => 2_000, fold });
  const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
  const tenant = new Tenant(
    { engine, reactions, runJob: jobs.runJob },
    { organizationId: 1, actor: { type: "cli" }, requestId: null },
  );
  const listed = async () => {
    const { rows } = await tenant.read((snapshot) =>
      healthList.request({ page: 1, pageSize: 25 }, snapshot.now).read(snapshot),
    );
    return rows.map(({ accountId, score, tier }) => [accountId, score, tier]);
  };
  expect(await listed()).toEqual([
    [22, 0, "critical"],
    [21, 59.9, "at_risk"],
    [5, 82.5, "healthy"],
    [20, null, null],
  ]);
  const { byTier } = await tenant.read(sumHealth);
  expect([...byTier].map(([tier, sum]) => [tier, revenueOf(sum)])).toEqual([
    ["critical", { accounts: 1, mrr: 9 }],
    ["at_risk", { accounts: 1, mrr: 8 }],
    ["healthy", { accounts: 1, mrr: 10.5 }],
    [null, { accounts: 1, mrr: 7 }],
  ]);
  await tenant.runJob("scores");
  // Accounts without data have no score.
  expect(await listed()).toEqual([
    [5, 85.9, "healthy"],
    [20, null, null],
    [21, null, null],
    [22, null, null],
  ]);
  await tenant.write((tx) => updateAccount(tx, 20, { name: "Renamed" }));
  await engine.close();
  expect(read(file, "SELECT sequence, action, account_id FROM changes ORDER BY sequence")).toEqual([
    { sequence: 1, action: "health_changed", account_id: 21 },
    { sequence: 2, action: "health_changed", account_id: 22 },
    { sequence: 3, action: "updated", account_id: 20 },
  ]);
});
