import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, readFileSync, statSync, truncateSync } from "node:fs";
import { createDatabase } from "../../db/sqlite/create.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { fold } from "../../src/core/folding.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock, newDatabase, now } from "./files.ts";
import { databaseOfVersion, releasedVersion } from "./versions.ts";

/** The bytes of the database and of its WAL, if they are not empty. */
function bytesOf(file: string): Record<string, string> {
  const parts = ["", "-wal"].filter((suffix) => statSync(file + suffix, { throwIfNoEntry: false })?.size);
  return Object.fromEntries(parts.map((suffix) => [suffix, readFileSync(file + suffix).toBase64()]));
}

/** A database after a kill: a part of its data is only in its WAL. */
async function killedDatabase(name: string, list = migrations): Promise<string> {
  const file = temporaryFile("accountd.db");
  const killed = temporaryFile("accountd.db");
  const running = openDatabase(file, { clock, canCreate: true, migrations: list });
  await createOrganization(running, name);
  for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, killed + suffix);
  await running.close();
  return killed;
}

test("a database that is rejected is not changed, nor is its WAL", async () => {
  const newer = [...migrations, { name: "9999_more", sql: "CREATE TABLE more (id INTEGER) STRICT" }];
  const file = await killedDatabase("First", newer);
  const before = bytesOf(file);
  expect(Object.keys(before)).toEqual(["", "-wal"]);
  for (const isExclusive of [false, true])
    expect(() => openDatabase(file, { clock, isExclusive })).toThrow("newer");
  expect(bytesOf(file)).toEqual(before);
});

test("a database of an older version is rejected without a migration, also with its lock", async () => {
  const file = await databaseOfVersion(releasedVersion);
  const before = bytesOf(file);
  for (const isExclusive of [false, true])
    expect(() => openDatabase(file, { clock, isExclusive, canMigrate: false, fold })).toThrow("older schema");
  expect(bytesOf(file)).toEqual(before);
});

test("a command that only opens and closes a database does not change the file", async () => {
  const copy = temporaryFile("accountd.db");
  const source = new Database(await newDatabase(["First"]));
  source.query("VACUUM INTO ?").run(copy);
  source.close();
  const before = bytesOf(copy);
  await openDatabase(copy, { clock }).close();
  expect(bytesOf(copy)).toEqual(before);
});

test("a file without a part of its last page is rejected by a server and not changed", async () => {
  const names = Array.from({ length: 300 }, (_, i) => `Organization ${i} ${"x".repeat(100)}`);
  const file = await newDatabase(names);
  truncateSync(file, statSync(file).size - 100);
  const before = bytesOf(file);
  expect(() => openDatabase(file, { clock, isExclusive: true })).toThrow(
    `${file} is truncated. Restore a backup.`,
  );
  expect(bytesOf(file)).toEqual(before);
});

test("a file without its second half is rejected as damaged and not changed", async () => {
  const file = await newDatabase(["First"]);
  truncateSync(file, statSync(file).size / 2);
  const before = bytesOf(file);
  for (const isExclusive of [false, true])
    expect(() => openDatabase(file, { clock, isExclusive })).toThrow(`${file} is damaged. Restore a backup.`);
  expect(bytesOf(file)).toEqual(before);
});

test("createDatabase does not change a database that exists", async () => {
  const file = await newDatabase(["First"]);
  createDatabase(file, migrations, now);
  const engine = openDatabase(file, { clock });
  expect(await listOrganizations(engine)).toHaveLength(1);
  await engine.close();
});

test("the WAL of an interrupted creation is not read by the next one", async () => {
  const file = temporaryFile("accountd.db");
  const interrupted = await killedDatabase("Interrupted");
  copyFileSync(`${interrupted}-wal`, `${file}.new-wal`);
  const engine = openDatabase(file, { clock, canCreate: true });
  expect(await listOrganizations(engine)).toEqual([]);
  await engine.close();
});
