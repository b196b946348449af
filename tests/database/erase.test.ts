import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { Engine } from "../../db/engine.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { unusedParts } from "../../db/sqlite/erasing/pages.ts";
import { updateAccount } from "../../src/accounts/store.ts";
import { Tenant } from "../../src/core/tenant/tenant.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

const marker = "quetzalcoatlus";
const longName = "x".repeat(200);

/**
 * A database of two organizations: the second's accounts, which are in each page between the first's, were deleted by
 * a program without secure_delete, so that free pages, free blocks and gaps have their texts.
 */
async function databaseWithResidue(accountCount = 3_000) {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, canCreate: true });
  for (const name of ["First", "Second"]) await createOrganization(engine, name);
  const client = new Database(file, { readwrite: true, create: false });
  client.run("PRAGMA secure_delete = OFF");
  // A multiplicative order: the rows of an index are inserted everywhere in it.
  client.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO accounts (organization_id, name, folded_name, external_id, mrr, status, logo_url, created_at, updated_at)
     SELECT 1 + (i % 10 > 0), CASE WHEN i % 10 > 0 THEN '${marker} ' ELSE 'kept ' END || (i * 7919 % 10007), 'folded', i, i, 'active', '${longName}', 1, 1 FROM n`,
    [accountCount],
  );
  client.run("UPDATE accounts SET name = name || name || logo_url WHERE id % 3 = 0 AND organization_id = 2");
  client.run("DELETE FROM accounts WHERE organization_id = 2");
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return { file, engine, client };
}

function countMarkers(file: string): number {
  const paths = [file, `${file}-wal`].filter(existsSync);
  return paths.reduce((sum, path) => sum + readFileSync(path).toString("latin1").split(marker).length - 1, 0);
}

async function eraseAll(engine: Engine): Promise<number> {
  const erasePart = engine.eraseDeleted();
  let parts = 1;
  while (await erasePart()) parts += 1;
  return parts;
}

const accounts = (client: Database) => client.query("SELECT * FROM accounts ORDER BY id").values();
const integrity = (client: Database) => client.query("PRAGMA integrity_check").values();

test("texts of deleted rows are erased from free pages, free blocks and gaps, and other rows are unchanged", async () => {
  const { file, engine, client } = await databaseWithResidue();
  const before = accounts(client);
  expect(before).toHaveLength(300);
  expect(countMarkers(file)).toBeGreaterThan(1_000);
  await eraseAll(engine);
  expect(countMarkers(file)).toBe(0);
  expect(accounts(client)).toEqual(before);
  expect(integrity(client)).toEqual([["ok"]]);
  client.close();
  await engine.close();
});

test("erased pages that the engine has in its page cache stay erased when it writes them", async () => {
  const { file, engine, client } = await databaseWithResidue();
  const services = { engine, reactions: [], runJob: async () => {} };
  const tenant = new Tenant(services, { organizationId: 1, actor: { type: "cli" }, requestId: null });
  const ids = accounts(client).map(([id]) => Number(id));
  const updateAll = async (mrr: number) => {
    for (const id of ids) await tenant.write((tx) => updateAccount(tx, id, { mrr }));
  };
  await updateAll(-1);
  await eraseAll(engine);
  expect(countMarkers(file)).toBe(0);
  await updateAll(-2);
  client.close();
  await engine.close();
  expect(countMarkers(file)).toBe(0);
});

test("a file of many pages is erased in parts, between which changes are stored", async () => {
  const { file, engine, client } = await databaseWithResidue(9_000);
  const pages = statSync(file).size / 4_096;
  expect(pages).toBeGreaterThan(600);
  const erasePart = engine.eraseDeleted();
  let parts = 0;
  for (let hasMore = true; hasMore; parts += 1) {
    await createOrganization(engine, `During part ${parts}`);
    hasMore = await erasePart();
  }
  expect(parts).toBeGreaterThanOrEqual(Math.ceil(pages / 256));
  expect(countMarkers(file)).toBe(0);
  expect(integrity(client)).toEqual([["ok"]]);
  const { n } = client.query<{ n: number }, []>("SELECT count(*) AS n FROM organizations").get() ?? { n: 0 };
  expect(n).toBe(2 + parts);
  client.close();
  await engine.close();
});

test("erasures that overlap share the parts of one pass, which erases what was deleted after it began", async () => {
  const { file, engine, client } = await databaseWithResidue(9_000);
  const first = engine.eraseDeleted();
  for (let i = 0; i < 3; i += 1) expect(await first()).toBe(true);
  client.run("UPDATE accounts SET name = name || ? WHERE id % 2 = 0", [marker.repeat(20)]);
  client.run("UPDATE accounts SET name = 'kept' WHERE id % 2 = 0");
  let runCount = 0;
  const second = engine.eraseDeleted();
  for (let hasMore = true; hasMore; runCount += 1) {
    const results = await Promise.all([first(), second()]);
    expect(results[0]).toBe(results[1]);
    hasMore = results[0];
  }
  const pages = statSync(file).size / 4_096;
  expect(runCount).toBeLessThan(pages / 256 + 2);
  expect(countMarkers(file)).toBe(0);
  expect(integrity(client)).toEqual([["ok"]]);
  // Another erasure is another pass.
  expect(await second()).toBe(true);
  client.close();
  await engine.close();
});

test("pages that map pages to their parents are unchanged", async () => {
  const file = temporaryFile("accountd.db");
  await openDatabase(file, { clock, canCreate: true }).close();
  const client = new Database(file, { readwrite: true, create: false });
  client.run("PRAGMA auto_vacuum = FULL; VACUUM");
  client.run("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)");
  // The map that begins with page 823 begins with the byte of a B-tree page: the type of that page.
  client.run(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO rows SELECT i, hex(zeroblob(100)) FROM n",
  );
  const engine = openDatabase(file, { clock });
  await eraseAll(engine);
  expect(integrity(client)).toEqual([["ok"]]);
  client.close();
  await engine.close();
});

test("a page whose rows begin before its content area is damaged, and nothing of it is erased", () => {
  const page = Buffer.alloc(4_096);
  const format = { pageBytes: 4_096, usableBytes: 4_096, firstTrunk: 0, hasPointerMap: false };
  // A leaf of a table with one row at 4,000.
  page.writeUInt8(13, 0);
  page.writeUInt16BE(1, 3);
  page.writeUInt16BE(4_000, 8);
  page.writeUInt16BE(4_000, 5);
  expect(unusedParts(page, 3, format)).toEqual([[10, 4_000]]);
  page.writeUInt16BE(4_050, 5);
  expect(unusedParts(page, 3, format)).toEqual([]);
});

test("a damaged freelist is an error", async () => {
  const { file, engine, client } = await databaseWithResidue();
  client.close();
  await engine.close();
  const bytes = readFileSync(file);
  const trunk = bytes.readUInt32BE(32);
  expect(trunk).toBeGreaterThan(0);
  // The only trunk is followed by itself.
  bytes.writeUInt32BE(trunk, (trunk - 1) * 4_096);
  writeFileSync(file, bytes);
  let damageCount = 0;
  const onDamage = () => {
    damageCount += 1;
  };
  const damaged = openDatabase(file, { clock, onDamage });
  await expect(eraseAll(damaged)).rejects.toThrow("freelist of the database is damaged");
  await expect(damaged.ping()).rejects.toThrow("damaged");
  expect(damageCount).toBe(1);
  await damaged.close();
});

test("while another program reads an earlier state or writes, nothing is erased; after it, everything", async () => {
  const { file, engine, client } = await databaseWithResidue();
  const states: [string, string][] = [
    ["BEGIN", "SELECT count(*) FROM accounts"],
    ["BEGIN IMMEDIATE", "INSERT INTO organizations (name, folded_name, created_at) VALUES ('x', 'x', 1)"],
  ];
  for (const [begin, statement] of states) {
    // The reader's state is in the WAL, which must not be emptied.
    await createOrganization(engine, `Before ${begin}`);
    client.run(begin);
    client.query(statement).all();
    if (begin === "BEGIN") await createOrganization(engine, "After the reader began");
    const before = countMarkers(file);
    const erasePart = engine.eraseDeleted();
    for (let i = 0; i < 5; i += 1) expect(await erasePart()).toBe(true);
    expect(countMarkers(file)).toBe(before);
    client.run("ROLLBACK");
  }
  await eraseAll(engine);
  expect(countMarkers(file)).toBe(0);
  client.close();
  await engine.close();
});

test("an erasure is rejected once the engine is closed", async () => {
  const { engine, client } = await databaseWithResidue(10);
  client.close();
  const erasePart = engine.eraseDeleted();
  await engine.close();
  await expect(erasePart()).rejects.toThrow("stopping");
});
