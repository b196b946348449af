import { Database } from "bun:sqlite";
import { tablesOf } from "./migrations-content.ts";

/** What has to be the same before an upgrade and after it: a hash over the rows of each table. */
export type View = {
  columns: Map<string, string[]>;
  hashes: Map<string, string>;
  migrations: number;
  rows: number;
};

/** Calls `look` with the database, which is opened to be read alone and closed again. */
export function looking<T>(file: string, look: (client: Database) => T): T {
  const client = new Database(file, { readonly: true });
  try {
    return look(client);
  } finally {
    client.close();
  }
}

/** The rows of a database, or, of one that was upgraded, what was there `before`: the same tables, columns and migrations. */
export function viewOf(client: Database, before?: View): View {
  const migrations = before?.migrations ?? count(client, "SELECT count(*) AS n FROM schema_migrations");
  const columns =
    before?.columns ?? new Map(tablesOf(client).map((table) => [table, columnsOf(client, table)]));
  const hashes = new Map<string, string>();
  let rows = 0;
  const tables = [...columns.keys()].map((table) => `'${table}'`);
  const questions = new Map([
    ...[...columns].map(([table, names]): [string, string] => [
      table,
      rowsOf(client, table, names, migrations),
    ]),
    // From where the ids go on: one that was given must not be given again.
    ["sqlite_sequence", `SELECT name, seq FROM sqlite_sequence WHERE name IN (${tables}) ORDER BY name`],
  ]);
  for (const [table, sql] of questions) {
    const hash = new Bun.CryptoHasher("sha256");
    for (const row of client.query(sql).values()) {
      hash.update(JSON.stringify(row));
      rows += 1;
    }
    hashes.set(table, hash.digest("hex"));
  }
  return { columns, hashes, migrations, rows };
}

function rowsOf(client: Database, table: string, names: string[], migrations: number): string {
  const known = table === "schema_migrations" ? `WHERE version <= ${migrations}` : "";
  const columns = names.map((name) => `"${name}"`);
  return `SELECT ${columns} FROM "${table}" ${known} ORDER BY ${columnsOf(client, table, "WHERE pk > 0 ORDER BY pk")}`;
}

function columnsOf(client: Database, table: string, which = "ORDER BY cid"): string[] {
  const sql = `SELECT name FROM pragma_table_info('${table}') ${which}`;
  return client
    .query<{ name: string }, []>(sql)
    .all()
    .map(({ name }) => name);
}

/** The tables whose rows are not what they were. */
export function differing(before: View, after: View): string[] {
  return [...before.hashes.keys()].filter((table) => before.hashes.get(table) !== after.hashes.get(table));
}

/** What SQLite itself finds wrong with the file. */
export function damageOf(client: Database): string[] {
  const integrity = client.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  const dangling = client.query("PRAGMA foreign_key_check").all().length;
  return [
    ...integrity.map((row) => row.integrity_check).filter((line) => line !== "ok"),
    ...(dangling > 0 ? [`${dangling} references to what is not there`] : []),
  ];
}

/** All of the schema, and the marks of the file, as one text. */
export function schemaOf(client: Database): string {
  const objects = client
    .query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    .values();
  const marks = ["user_version", "application_id", "journal_mode"].map((name) =>
    client.query(`PRAGMA ${name}`).get(),
  );
  const noted = client.query("SELECT version, name, sha256 FROM schema_migrations ORDER BY version").values();
  return JSON.stringify([objects, marks, noted], null, 1);
}

function count(client: Database, sql: string): number {
  return client.query<{ n: number }, []>(sql).get()?.n ?? 0;
}

/** When a migration was applied, in milliseconds; never, when it was not. */
export function appliedAt(client: Database, version: number): number {
  const sql = `SELECT applied_at AS n FROM schema_migrations WHERE version = ${version}`;
  return count(client, sql) || Number.POSITIVE_INFINITY;
}
