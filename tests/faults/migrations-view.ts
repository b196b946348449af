import { Database } from "bun:sqlite";
import { tablesOf } from "./migrations-content.ts";

type Columns = { all: string[]; key: string[] };
/** The content that an upgrade must not change: a hash of the rows of each table. */
export type View = {
  columns: Map<string, Columns>;
  hashes: Map<string, string>;
  migrations: number;
  rows: number;
};

/** Tables that a later migration merged into others, and the queries of their rows. */
const moved: Readonly<Record<string, string>> = {
  account_health: `(SELECT organization_id, id AS account_id, score, tier, coverage, rank, mrr, folded_name FROM accounts)`,
};
/**
 * Columns that change after an upgrade: it makes all scores stale, and leaves declined requests out of their sums. A
 * server completes pending erasures.
 */
const changed: Readonly<Record<string, readonly string[]>> = {
  account_health: ["changes_at"],
  organizations: ["erasure_pending_since"],
  account_counts: ["scaled_mrr", "mrr_error"],
  accounts: [
    ...["score", "tier", "coverage", "rank", "score_stale_at", "activity_at"],
    // Dropped by a later migration.
    ...["open_severity", "resolved_count", "resolved_time", "resolved_after"],
  ],
};

/** Tables whose rows a later migration divided, with the columns that they had before, and the queries of these rows. */
const divided: Readonly<Record<string, { columns: string; query: string }>> = {
  account_counts: {
    columns: "organization_id,status,count",
    query: "(SELECT organization_id, status, sum(count) AS count FROM account_counts GROUP BY 1, 2)",
  },
};

/** Tables that a later migration drops: their rows are not compared. */
const dropped = ["usage_totals", "score_counts"];

/** Calls `look` with the database, opened read-only. */
export function looking<T>(file: string, look: (client: Database) => T): T {
  const client = new Database(file, { readonly: true });
  try {
    return look(client);
  } finally {
    client.close();
  }
}

/** The rows of a database; after an upgrade only the tables, columns and migrations of `before`. */
export function viewOf(client: Database, before?: View): View {
  const migrations = before?.migrations ?? count(client, "SELECT count(*) AS n FROM schema_migrations");
  const present = tablesOf(client).filter((table) => !dropped.includes(table));
  const columns = before?.columns ?? new Map(present.map((table) => [table, columnsOf(client, table)]));
  const hashes = new Map<string, string>();
  let rows = 0;
  const tables = [...columns.keys()].map((table) => `'${table}'`);
  const queries = new Map([
    ...[...columns].map(([table, names]): [string, string] => {
      const undivided = divided[table]?.columns === names.all.join() ? divided[table]?.query : undefined;
      const source = undivided ?? (present.includes(table) ? `"${table}"` : moved[table]);
      if (source === undefined) throw new Error(`the table ${table} is missing: add its query to \`moved\``);
      return [table, rowsOf(table, source, names, migrations)];
    }),
    // The last assigned ids: an id must not be assigned twice.
    ["sqlite_sequence", `SELECT name, seq FROM sqlite_sequence WHERE name IN (${tables}) ORDER BY name`],
  ]);
  for (const [table, sql] of queries) {
    const hash = new Bun.CryptoHasher("sha256");
    for (const row of client.query(sql).values()) {
      hash.update(JSON.stringify(row));
      rows += 1;
    }
    hashes.set(table, hash.digest("hex"));
  }
  return { columns, hashes, migrations, rows };
}

function rowsOf(table: string, source: string, { all, key }: Columns, migrations: number): string {
  const where = table === "schema_migrations" ? `WHERE version <= ${migrations}` : "";
  return `SELECT ${all.map((name) => `"${name}"`)} FROM ${source} ${where} ORDER BY ${key}`;
}

function columnsOf(client: Database, table: string): Columns {
  const namesOf = (condition: string) =>
    client
      .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}') ${condition}`)
      .all()
      .map(({ name }) => name);
  const all = namesOf("ORDER BY cid").filter((name) => !changed[table]?.includes(name));
  return { all, key: namesOf("WHERE pk > 0 ORDER BY pk") };
}

/** The tables whose rows differ. */
export function differing(before: View, after: View): string[] {
  return [...before.hashes.keys()].filter((table) => before.hashes.get(table) !== after.hashes.get(table));
}

/** The schema and the pragmas of the file as one text. */
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

/** The time at which a migration was applied, in milliseconds; never if it was not. */
export function appliedAt(client: Database, version: number): number {
  const sql = `SELECT applied_at AS n FROM schema_migrations WHERE version = ${version}`;
  return count(client, sql) || Number.POSITIVE_INFINITY;
}
