import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, existsSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from "node:fs";
import { createDatabase } from "../../db/sqlite/create.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { databaseStatus, openWriteConnection } from "../../db/sqlite/file.ts";
import { lockDatabase } from "../../db/sqlite/lock.ts";
import { checkMigrations } from "../../db/sqlite/migrate.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { checkDatabase } from "../../db/sqlite/storage.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock, newDatabase, now, openPathsNextTo, pragma } from "./files.ts";

test("only the service's user can read a new database and its WAL", async () => {
  const file = await newDatabase();
  const engine = openDatabase(file, { clock, isExclusive: true });
  await createOrganization(engine, "First");
  for (const suffix of ["", "-wal"]) expect(statSync(file + suffix).mode & 0o777).toBe(0o600);
  await engine.close();
});

test("a new database has application_id, user_version and its migrations", async () => {
  const file = temporaryFile("accountd.db");
  await openDatabase(file, { clock, canCreate: true }).close();
  const client = new Database(file, { readonly: true });
  expect(pragma(client, "application_id")).toBe(0x61636374);
  expect(pragma(client, "user_version")).toBe(migrations.length);
  expect(pragma(client, "journal_mode")).toBe("wal");
  const versions = client.query<{ version: number }, []>("SELECT version FROM schema_migrations").all();
  expect(versions.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
  client.close();
});

test("a write connection limits the size of its WAL", async () => {
  const { client } = openWriteConnection(await newDatabase(), { busyTimeoutMilliseconds: 0 });
  expect(pragma(client, "journal_size_limit")).toBe(67_108_864);
  expect(pragma(client, "wal_autocheckpoint")).toBe(4_000);
  client.close();
});

test("a database that another program has locked is rejected", async () => {
  const file = await newDatabase();
  const other = new Database(file);
  other.run("PRAGMA locking_mode = EXCLUSIVE");
  other.run("BEGIN EXCLUSIVE");
  expect(() => openDatabase(file, { clock })).toThrow(`${file} is locked by another program.`);
  other.close();
  await openDatabase(file, { clock }).close();
});

test("a path where a database or its lock cannot be created is reported", () => {
  const file = temporaryFile("accountd.db");
  mkdirSync(`${file}.lock`);
  expect(() => lockDatabase(file)).toThrow(`${file}.lock cannot be locked.`);
  const blocked = temporaryFile("accountd.db");
  mkdirSync(`${blocked}.new`);
  expect(() => openDatabase(blocked, { clock, canCreate: true })).toThrow("accountd.db");
  const below = `${temporaryFile("text")}/accountd.db`;
  writeFileSync(below.slice(0, -"/accountd.db".length), "a file, no folder");
  expect(() => openDatabase(below, { clock, canCreate: true })).toThrow(`${below} cannot be created.`);
});

test.skipIf(!existsSync("/proc/self/fd"))("rejected lock files and new databases are closed", () => {
  const file = temporaryFile("accountd.db");
  const open = openSync(`${file}.open`, "w");
  expect(openPathsNextTo(file)).toEqual([`${file}.open`]);
  closeSync(open);
  writeFileSync(`${file}.lock`, "a text, no database");
  for (let i = 0; i < 3; i += 1) expect(() => lockDatabase(file)).toThrow("cannot be locked");
  expect(openPathsNextTo(file)).toEqual([]);
  const created = `${temporaryFile("deep")}/er/accountd.db`;
  createDatabase(created, migrations, now);
  expect(openPathsNextTo(created)).toEqual([]);
});

test("checkDatabase reads the whole file: a sound one passes, a damaged one is rejected", async () => {
  const names = Array.from({ length: 300 }, (_, i) => `Organization ${i} ${"x".repeat(100)}`);
  const file = await newDatabase(names);
  checkDatabase(file, { firstCompleteDay: 0 });
  const size = statSync(file).size;
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, new Uint8Array(16_384).fill(0xab), 0, 16_384, size - 32_768);
  closeSync(descriptor);
  expect(() => checkDatabase(file, { firstCompleteDay: 0 })).toThrow("damaged");
});

test("checkDatabase and databaseStatus reject a database of other migrations", async () => {
  const file = temporaryFile("accountd.db");
  const newer = [...migrations, { name: "9999_more", sql: "CREATE TABLE more (id INTEGER) STRICT" }];
  await openDatabase(file, { clock, canCreate: true, migrations: newer }).close();
  expect(() => checkDatabase(file, { firstCompleteDay: 0 })).toThrow("newer accountd");
  expect(() => databaseStatus(file)).toThrow("newer accountd");
  expect(databaseStatus(file, newer).at(-1)).toEqual({ name: "9999_more", appliedAt: now });
  const client = new Database(file, { readonly: true });
  expect(checkMigrations(client, newer)).toHaveLength(newer.length);
  client.close();
});
