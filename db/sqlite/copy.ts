import type { Database } from "bun:sqlite";
import { existsSync, realpathSync } from "node:fs";
import {
  batchQuery,
  type CopyProgress,
  type CopyReader,
  type CopyTable,
  type CopyTarget,
  columnList,
  copyTables,
} from "../copy.ts";
import type { Value } from "../engine.ts";
import { UnusableDatabase } from "../errors.ts";
import { unfinishedTable } from "../migration.ts";
import type { Connection } from "./connection.ts";
import { createDatabase } from "./create.ts";
import { explainStorageError } from "./errors.ts";
import { asUnusable, openReadConnection, openWriteConnection, prepareDatabase } from "./file.ts";
import { lockDatabase } from "./lock.ts";
import { hasTable } from "./migrate.ts";
import { migrations } from "./migrations/list.ts";

const check = { isExclusive: false, canMigrate: false } as const;

/** One snapshot of the file, also next to a running server. Throws UnusableDatabase. */
export function openCopySource(path: string, now: number): CopyReader {
  const file = existsSync(path) ? realpathSync(path) : path;
  prepareDatabase(file, migrations, { now, ...check });
  const connection = openReadConnection(file);
  connection.execute("BEGIN");
  // A deferred transaction has no snapshot before its first statement.
  connection.client.query("SELECT 1 FROM sqlite_schema LIMIT 1").get();
  return { ...copyReader(connection.client), close: async () => connection.close() };
}

/** The file with its lock; it is created if it does not exist. Throws UnusableDatabase, also for a file with rows. */
export function openCopyTarget(path: string, now: number): CopyTarget {
  if (!existsSync(path)) createDatabase(path, migrations, now);
  const file = realpathSync(path);
  prepareDatabase(file, migrations, { now, ...check, canBeUnfinished: true });
  const lock = lockDatabase(file);
  let connection: Connection | undefined;
  try {
    connection = openWriteConnection(file, { busyTimeoutMilliseconds: 250 });
    return startTarget(file, connection, lock.release);
  } catch (error) {
    connection?.close();
    lock.discard();
    throw asUnusable(file, error);
  }
}

function startTarget(file: string, connection: Connection, release: () => void): CopyTarget {
  const { client } = connection;
  if (!hasTable(client, unfinishedTable) && copyTables.some((table) => count(client, table) > 0))
    throw new UnusableDatabase(`${file} has data. Name a database without data with --to.`);
  // The file is not used before `finish`. In WAL mode, a crash of the machine loses the last batches only.
  client.run("PRAGMA journal_mode = WAL");
  client.run("PRAGMA synchronous = NORMAL");
  // 256 MiB: the rows of a batch are at any place of the indexes.
  client.run("PRAGMA cache_size = -262144");
  client.run(
    `CREATE TABLE IF NOT EXISTS ${unfinishedTable} (name TEXT PRIMARY KEY, row_count INTEGER NOT NULL, digest TEXT NOT NULL) STRICT`,
  );
  const rows = client.query<{ name: string } & CopyProgress, []>(
    `SELECT name, row_count AS rowCount, digest FROM ${unfinishedTable}`,
  );
  const storeProgress = client.prepare(`INSERT OR REPLACE INTO ${unfinishedTable} VALUES (?, ?, ?)`);
  return {
    ...copyReader(client),
    stored: new Map(rows.all().map(({ name, rowCount, digest }) => [name, { rowCount, digest }])),
    async write(table, batch, { rowCount, digest }) {
      const insert = client.query(insertSql(table));
      try {
        client.transaction(() => {
          for (const row of batch) insert.run(...row);
          storeProgress.run(table.name, rowCount, digest);
        })();
      } catch (error) {
        throw explainStorageError(file, error);
      }
    },
    async finish(lastIds) {
      client.transaction(() => {
        for (const [{ name }, lastId] of lastIds) {
          client.run("DELETE FROM sqlite_sequence WHERE name = ?", [name]);
          if (lastId > 0) client.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [name, lastId]);
        }
        storeProgress.finalize();
        client.run(`DROP TABLE ${unfinishedTable}`);
      })();
      client.run("PRAGMA synchronous = FULL");
      client.run("PRAGMA wal_checkpoint(TRUNCATE)");
    },
    async close() {
      connection.close();
      release();
    },
  };
}

function insertSql(table: CopyTable): string {
  return `INSERT INTO ${table.name} (${columnList(table)}) VALUES (${table.columns.map(() => "?").join(", ")})`;
}

function copyReader(client: Database): Omit<CopyReader, "close"> {
  const lastId = client.prepare<{ seq: number }, [string]>("SELECT seq FROM sqlite_sequence WHERE name = ?");
  return {
    read: async (table, after, limit) =>
      // Safe: no column of the schema has a blob.
      client.query(batchQuery(table, after !== undefined, limit)).values(...(after ?? [])) as Value[][],
    count: async (table) => count(client, table),
    lastId: async ({ name }) => lastId.get(name)?.seq ?? 0,
  };
}

function count(client: Database, { name }: CopyTable): number {
  return client.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${name}`).get()?.n ?? 0;
}
