import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { createDatabase } from "../../db/sqlite/create.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { openWriteConnection } from "../../db/sqlite/file.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { fold } from "../../src/core/folding.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock, newDatabase, now, pragma } from "./files.ts";
import { databaseOfVersion, releasedVersion } from "./versions.ts";

/** The database and what is in its WAL. */
function bytesOf(file: string): Record<string, string> {
  const parts = ["", "-wal"].filter((suffix) => statSync(file + suffix, { throwIfNoEntry: false })?.size);
  return Object.fromEntries(parts.map((suffix) => [suffix, readFileSync(file + suffix).toBase64()]));
}

/** A database as a kill leaves it: a part of what it holds is in its WAL alone. */
async function killedDatabase(name: string, list = migrations): Promise<string> {
  const file = temporaryFile("accountd.db");
  const killed = temporaryFile("accountd.db");
  const running = openDatabase(file, { clock, canCreate: true, migrations: list });
  await createOrganization(running, name);
  for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, killed + suffix);
  await running.close();
  return killed;
}

test("a database that is refused stays as it is, and so does its WAL", async () => {
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

test("a command that changes nothing leaves the file as it is", async () => {
  const copy = temporaryFile("accountd.db");
  const source = new Database(await newDatabase(["First"]));
  source.query("VACUUM INTO ?").run(copy);
  source.close();
  const before = bytesOf(copy);
  await openDatabase(copy, { clock }).close();
  expect(bytesOf(copy)).toEqual(before);
});

test("a file that lost a part of its last page is refused when it is to be served, and stays as it is", async () => {
  const names = Array.from({ length: 300 }, (_, i) => `Organization ${i} ${"x".repeat(100)}`);
  const file = await newDatabase(names);
  truncateSync(file, statSync(file).size - 100);
  const before = bytesOf(file);
  expect(() => openDatabase(file, { clock, isExclusive: true })).toThrow(
    `${file} is truncated. Restore a backup.`,
  );
  expect(bytesOf(file)).toEqual(before);
});

test("a file of which half is gone is refused as damaged, and stays as it is", async () => {
  const file = await newDatabase(["First"]);
  truncateSync(file, statSync(file).size / 2);
  const before = bytesOf(file);
  for (const isExclusive of [false, true])
    expect(() => openDatabase(file, { clock, isExclusive })).toThrow(`${file} is damaged. Restore a backup.`);
  expect(bytesOf(file)).toEqual(before);
});

test("damage that no reading meets is found after an unclean end", async () => {
  const file = await killedDatabase("First");
  damage(file, "requests_title");
  const before = bytesOf(file);
  expect(() => openDatabase(file, { clock, isExclusive: true })).toThrow(
    `${file} is damaged. Restore a backup.`,
  );
  expect(bytesOf(file)).toEqual(before);
});

/** Writes nonsense over the first page of the index. */
function damage(file: string, index: string): void {
  const client = new Database(file, { readonly: true });
  const size = Number(pragma(client, "page_size"));
  const root = client.query<{ page: number }, [string]>(
    "SELECT rootpage AS page FROM sqlite_schema WHERE name = ?",
  );
  const page = root.get(index)?.page;
  client.close();
  if (page === undefined) throw new Error(`there is no ${index}`);
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, new Uint8Array(size).fill(0xab), 0, size, (page - 1) * size);
  closeSync(descriptor);
}

test("a creation leaves a database that is there by then alone", async () => {
  const file = await newDatabase(["First"]);
  createDatabase(file, migrations, now);
  const engine = openDatabase(file, { clock });
  expect(await listOrganizations(engine)).toHaveLength(1);
  await engine.close();
});

test("what an interrupted creation had in its WAL is not taken into the next", async () => {
  const file = temporaryFile("accountd.db");
  const interrupted = await killedDatabase("Of another time");
  copyFileSync(`${interrupted}-wal`, `${file}.new-wal`);
  const engine = openDatabase(file, { clock, canCreate: true });
  expect(await listOrganizations(engine)).toEqual([]);
  await engine.close();
});

test("a connection that writes makes no database where there is none", () => {
  const file = temporaryFile("accountd.db");
  expect(() => openWriteConnection(file, { busyTimeoutMilliseconds: 0 })).toThrow("unable to open");
  expect(existsSync(file)).toBe(false);
});
