import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { errorCode } from "../../db/errors.ts";
import { Connection } from "../../db/sqlite/connection.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { openWriteConnection } from "../../db/sqlite/file.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock, newDatabase, pragma } from "./files.ts";

const notOurs = /not an accountd database|another program/;

/** The line that a person is told when the database is refused. Throws when it is not refused. */
async function refusalOf(file: string, options: Partial<Parameters<typeof openDatabase>[1]> = {}) {
  try {
    await openDatabase(file, { clock, ...options }).close();
  } catch (error) {
    expect(errorCode(error)).toBe("DATABASE_UNUSABLE");
    const line = error instanceof Error ? error.message : "";
    expect(line).not.toContain("\n");
    return line;
  }
  throw new Error("was not refused");
}

test("a database is made, with its folder, when it is asked for", async () => {
  const file = `${temporaryFile("deep")}/er/accountd.db`;
  const engine = openDatabase(file, { clock, canCreate: true });
  await engine.ping();
  expect(await listOrganizations(engine)).toEqual([]);
  await engine.close();
});

test("what an interrupted creation left is replaced", async () => {
  const file = temporaryFile("accountd.db");
  for (const suffix of ["", "-wal", "-shm"]) writeFileSync(`${file}.new${suffix}`, "half-made");
  await openDatabase(file, { clock, canCreate: true }).close();
  for (const suffix of ["", "-wal"]) expect(existsSync(`${file}.new${suffix}`)).toBe(false);
});

test("a creation that fails leaves no database, and can be made good", async () => {
  const file = temporaryFile("accountd.db");
  const broken = [...migrations, { name: "0002_broken", sql: "CREATE TABLE nonsense (" }];
  expect(() => openDatabase(file, { clock, canCreate: true, migrations: broken })).toThrow(
    "incomplete input",
  );
  expect(existsSync(file)).toBe(false);
  await openDatabase(file, { clock, canCreate: true }).close();
});

test("a missing database is refused when it is not to be made, and nothing is made", async () => {
  const file = temporaryFile("accountd.db");
  for (const isExclusive of [false, true])
    expect(await refusalOf(file, { isExclusive })).toContain("There is no database");
  for (const suffix of ["", "-wal", ".lock", ".new"]) expect(existsSync(file + suffix)).toBe(false);
});

test("an empty file is refused and stays empty", async () => {
  const file = temporaryFile("accountd.db");
  writeFileSync(file, "");
  for (const canCreate of [false, true])
    expect(await refusalOf(file, { canCreate, isExclusive: true })).toContain("is empty");
  expect(statSync(file).size).toBe(0);
});

test.each([
  ["of one letter", "x"],
  ["of one line", "not a database at all"],
  ["of many pages", "text, ".repeat(10_000)],
])("a text %s is refused and stays as it is", async (_, text) => {
  const file = temporaryFile("accountd.db");
  writeFileSync(file, text);
  for (const isExclusive of [false, true])
    expect(await refusalOf(file, { isExclusive, canCreate: true })).toMatch(notOurs);
  expect(await Bun.file(file).text()).toBe(text);
});

test("a SQLite database without tables is refused, for it is not ours", async () => {
  const file = temporaryFile("accountd.db");
  const other = new Database(file);
  other.run("PRAGMA application_id = 1");
  other.close();
  for (const isExclusive of [false, true])
    expect(await refusalOf(file, { isExclusive, canCreate: true })).toMatch(notOurs);
});

test("a folder in the database's place is refused", async () => {
  const file = temporaryFile("");
  expect(await refusalOf(file, { canCreate: true })).toBe(
    `${file} cannot be opened for writing. Check the permissions of the file and its folder.`,
  );
});

test("a SQLite database of another program is refused and stays as it is", async () => {
  const file = temporaryFile("accountd.db");
  const other = new Database(file);
  other.run("CREATE TABLE accounts (id INTEGER PRIMARY KEY)");
  other.close();
  const before = await Bun.file(file).bytes();
  for (const isExclusive of [false, true])
    expect(await refusalOf(file, { isExclusive, canCreate: true })).toMatch(notOurs);
  expect(await Bun.file(file).bytes()).toEqual(before);
});

test("a database of a newer version is refused", async () => {
  const file = temporaryFile("accountd.db");
  const newer = [...migrations, { name: "0002_more", sql: "CREATE TABLE more (id INTEGER) STRICT" }];
  await openDatabase(file, { clock, canCreate: true, migrations: newer }).close();
  for (const isExclusive of [false, true]) expect(await refusalOf(file, { isExclusive })).toContain("newer");
});

test("a second server is refused in one line, and served once the first has let go", async () => {
  const file = await newDatabase();
  const first = openDatabase(file, { clock, isExclusive: true });
  expect(await refusalOf(file, { isExclusive: true })).toContain("in use");
  await first.close();
  await openDatabase(file, { clock, isExclusive: true }).close();
});

test("a refused server lets the lock go", async () => {
  const file = temporaryFile("accountd.db");
  writeFileSync(file, "not a database at all");
  await refusalOf(file, { isExclusive: true });
  expect(await refusalOf(file, { isExclusive: true })).not.toContain("in use");
});

test("a command works beside a server, and each reads what the other wrote", async () => {
  const file = await newDatabase();
  const server = openDatabase(file, { clock, isExclusive: true });
  const command = openDatabase(file, { clock });
  await createOrganization(command, "By command");
  await createOrganization(server, "By server");
  const names = ["By command", "By server"];
  expect((await listOrganizations(server)).map(({ name }) => name)).toEqual(names);
  expect((await listOrganizations(command)).map(({ name }) => name)).toEqual(names);
  await command.close();
  await createOrganization(server, "After it");
  expect(await listOrganizations(server)).toHaveLength(3);
  await server.close();
});

test("each connection is set up for durable, checked work", async () => {
  const file = await newDatabase();
  const writing = openWriteConnection(file, { busyTimeoutMilliseconds: 250 });
  const reading = new Connection(file, { busyTimeoutMilliseconds: 250, isQueryOnly: true });
  for (const { client } of [writing, reading]) {
    expect(pragma(client, "journal_mode")).toBe("wal");
    expect(pragma(client, "foreign_keys")).toBe(1);
    expect(pragma(client, "trusted_schema")).toBe(0);
    expect(pragma(client, "busy_timeout")).toBe(250);
  }
  expect(pragma(writing.client, "synchronous")).toBe(2);
  expect(() => reading.client.run("DELETE FROM organizations")).toThrow("readonly");
  writing.close();
  reading.close();
});

test("a copy that was made by VACUUM INTO is served with a WAL again", async () => {
  const file = await newDatabase(["First"]);
  const copy = temporaryFile("accountd.db");
  const source = new Database(file);
  source.query("VACUUM INTO ?").run(copy);
  source.close();
  const engine = openDatabase(copy, { clock, isExclusive: true });
  expect(await listOrganizations(engine)).toHaveLength(1);
  const other = new Database(copy, { readonly: true });
  expect(pragma(other, "journal_mode")).toBe("wal");
  other.close();
  await engine.close();
});
