import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { databaseStatus } from "../../db/file.ts";
import type { Migration } from "../../db/migrations/list.ts";
import { openDatabase } from "../../db/open.ts";
import { temporaryFile } from "../support/world.ts";

const parents: Migration = {
  name: "0001_parents",
  sql: `CREATE TABLE parents (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
    CREATE TABLE children (
      id INTEGER PRIMARY KEY,
      parent_id INTEGER NOT NULL REFERENCES parents (id) ON DELETE CASCADE
    ) STRICT;
    INSERT INTO parents VALUES (1, 'Ada'), (2, 'Grace');
    INSERT INTO children VALUES (1, 1), (2, 1), (3, 2);`,
};
const rebuild: Migration = {
  name: "0002_rebuild",
  sql: `CREATE TABLE parents_new (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name <> '')) STRICT;
    INSERT INTO parents_new SELECT id, name FROM parents;
    DROP TABLE parents;
    ALTER TABLE parents_new RENAME TO parents;`,
};

async function open(file: string, migrations: readonly Migration[], now = 1): Promise<void> {
  await openDatabase(file, { now, create: true, exclusive: true, migrations }).close();
}

/** A database that had the first migration. */
async function firstDatabase(): Promise<string> {
  const file = temporaryFile("accountd.db");
  await open(file, [parents]);
  return file;
}

function read<Row>(file: string, sql: string): Row[] {
  const client = new Database(file, { readonly: true });
  try {
    return client.query<Row, []>(sql).all();
  } finally {
    client.close();
  }
}

/** All that the database holds, as text. */
function contentOf(file: string): string {
  const tables = read<{ name: string; sql: string }>(
    file,
    "SELECT name, sql FROM sqlite_schema ORDER BY name",
  );
  const rows = tables.map(({ name }) => read(file, `SELECT * FROM "${name}"`));
  const marks = ["user_version", "application_id"].map((name) => read(file, `PRAGMA ${name}`));
  return JSON.stringify({ tables, rows, marks });
}

test("all statements of a migration run", async () => {
  const file = await firstDatabase();
  const two = "CREATE TABLE one (id INTEGER) STRICT; CREATE TABLE two (id INTEGER) STRICT;";
  await open(file, [parents, { name: "0002_two", sql: two }]);
  const found = read(file, "SELECT name FROM sqlite_schema WHERE name IN ('one', 'two') ORDER BY name");
  expect(found).toEqual([{ name: "one" }, { name: "two" }]);
});

test("a rebuilt table keeps its children, and its references hold afterwards", async () => {
  const file = await firstDatabase();
  await open(file, [parents, rebuild]);
  expect(read(file, "SELECT * FROM children")).toHaveLength(3);
  expect(read(file, "SELECT * FROM parents")).toHaveLength(2);
  const [reference] = read(file, "PRAGMA foreign_key_list(children)");
  expect(reference).toMatchObject({ table: "parents", from: "parent_id", on_delete: "CASCADE" });
  expect(read(file, "PRAGMA foreign_key_check")).toEqual([]);
});

test("migrations are noted in order, with the moment at which they ran", async () => {
  const file = await firstDatabase();
  await open(file, [parents, rebuild], 2);
  expect(databaseStatus(file, [parents, rebuild])).toEqual([
    { name: "0001_parents", appliedAt: 1 },
    { name: "0002_rebuild", appliedAt: 2 },
  ]);
});

test("a migration that was edited after it ran is refused, and nothing changes", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  const edited = { ...parents, sql: `${parents.sql} ` };
  for (const list of [[edited], [edited, rebuild]])
    await expect(open(file, list)).rejects.toMatchObject({ code: "DATABASE_REFUSED" });
  expect(openDatabase.bind(null, file, { now: 1, migrations: [edited] })).toThrow("Migration 1");
  expect(contentOf(file)).toBe(before);
});

test("a migration that fails leaves the database as it was, the ones before it in the same run too", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  const failing = {
    name: "0003_failing",
    sql: "DELETE FROM parents WHERE id = 1; SELECT nonsense FROM nowhere;",
  };
  await expect(open(file, [parents, rebuild, failing])).rejects.toThrow("nowhere");
  expect(contentOf(file)).toBe(before);
  await open(file, [parents]);
});

test("a migration that leaves a dangling reference takes all back", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  const dangling = { name: "0003_dangling", sql: "DELETE FROM parents WHERE id = 1;" };
  await expect(open(file, [parents, rebuild, dangling])).rejects.toThrow("2 references");
  expect(contentOf(file)).toBe(before);
});

test("a whole copy is made before a database that holds data is changed, and it opens", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  await open(file, [parents, rebuild]);
  const copy = `${file}.before-2`;
  expect(contentOf(copy)).toBe(before);
  // It holds what the database held, so it is for the same user alone.
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  await open(copy, [parents]);
  expect(read(copy, "SELECT * FROM children")).toHaveLength(3);
});

test("no copy is made of a new database, nor of one that is up to date", async () => {
  const file = await firstDatabase();
  await open(file, [parents]);
  for (const suffix of [".copy", ".before-1", ".before-2"]) expect(existsSync(file + suffix)).toBe(false);
});

test("when something stands where the copy is to be made, the migration is refused and nothing changes", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  writeFileSync(`${file}.before-2`, "precious");
  await expect(open(file, [parents, rebuild])).rejects.toMatchObject({ code: "DATABASE_REFUSED" });
  expect(contentOf(file)).toBe(before);
  expect(await Bun.file(`${file}.before-2`).text()).toBe("precious");
});

test("opening again runs no migration again", async () => {
  const file = await firstDatabase();
  await open(file, [parents, rebuild], 2);
  const before = contentOf(file);
  await open(file, [parents, rebuild], 3);
  expect(contentOf(file)).toBe(before);
});

test("a database with pending migrations is refused unless its opener serves", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  const opening = () => openDatabase(file, { now: 2, migrations: [parents, rebuild] });
  expect(opening).toThrow("older version");
  expect(contentOf(file)).toBe(before);
});
