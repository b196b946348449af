import { Database } from "bun:sqlite";
import type { Migration } from "../../db/migration.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { temporaryFile } from "../support/world.ts";

export const parents: Migration = {
  name: "0001_parents",
  sql: `CREATE TABLE parents (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
    CREATE TABLE children (
      id INTEGER PRIMARY KEY,
      parent_id INTEGER NOT NULL REFERENCES parents (id) ON DELETE CASCADE
    ) STRICT;
    INSERT INTO parents VALUES (1, 'Ada'), (2, 'Grace');
    INSERT INTO children VALUES (1, 1), (2, 1), (3, 2);`,
};
export const rebuild: Migration = {
  name: "0002_rebuild",
  sql: `CREATE TABLE parents_new (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name <> '')) STRICT;
    INSERT INTO parents_new SELECT id, name FROM parents;
    DROP TABLE parents;
    ALTER TABLE parents_new RENAME TO parents;`,
};

export async function open(file: string, migrations: readonly Migration[], now = 1): Promise<void> {
  await openDatabase(file, { clock: () => now, canCreate: true, isExclusive: true, migrations }).close();
}

/** A database with the first migration. */
export async function firstDatabase(): Promise<string> {
  const file = temporaryFile("accountd.db");
  await open(file, [parents]);
  return file;
}

export function read<Row>(file: string, sql: string): Row[] {
  const client = new Database(file, { readonly: true });
  try {
    return client.query<Row, []>(sql).all();
  } finally {
    client.close();
  }
}

/** The whole content of the database, as text. */
export function contentOf(file: string): string {
  const tables = read<{ type: string; name: string; sql: string }>(
    file,
    "SELECT type, name, sql FROM sqlite_schema ORDER BY name",
  );
  const rows = tables
    .filter(({ type }) => type === "table")
    .map(({ name }) => read(file, `SELECT * FROM "${name}"`));
  const pragmas = ["user_version", "application_id"].map((name) => read(file, `PRAGMA ${name}`));
  return JSON.stringify({ tables, rows, pragmas });
}
