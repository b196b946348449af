import type { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { UnusableDatabase } from "../errors.ts";
import {
  type AddressRow,
  type AppliedMigration,
  checkApplied,
  type FoldedColumn,
  type Folding,
  foldingOf,
  hashOf,
  type Migration,
  refoldAddresses,
  selectApplied,
} from "../migration.ts";
import type { StorageOptions } from "../storage.ts";
import { chunkBytes } from "./wal.ts";

/** The `application_id` of an accountd database (`acct`): other programs' databases have another one. */
export const applicationId = 0x61636374;

export type UpgradeOptions = Folding & Pick<StorageOptions, "upgraded">;

/**
 * Applies the pending migrations in one transaction. A database that has data is copied to `copyTo` before. Throws
 * UnusableDatabase when the database belongs to another program, is newer than this binary, or had migrations that
 * differ from this binary's.
 */
export function migrate(
  client: Database,
  migrations: readonly Migration[],
  options: UpgradeOptions & { now: number; copyTo: string },
): void {
  const applied = checkMigrations(client, migrations).length;
  const pending = migrations.slice(applied);
  if (pending.length === 0) return;
  const copy = applied > 0 ? copyDatabase(client, options.copyTo) : undefined;
  // Before the transaction, in which it has no effect. Rebuilding a table must not delete the rows that reference it.
  client.run("PRAGMA foreign_keys = OFF");
  try {
    client
      .transaction(() => {
        client.run(createMigrationsTable);
        pending.forEach((migration, i) => {
          applyMigration(client, applied + i + 1, migration, options);
        });
        const violations = client.query("PRAGMA foreign_key_check").all();
        if (violations.length > 0) throw new Error(`migrations broke ${violations.length} references`);
        client.run(`PRAGMA application_id = ${applicationId}`);
        client.run(`PRAGMA user_version = ${migrations.length}`);
      })
      .immediate();
  } catch (error) {
    // The rollback left the database as it was; a copy that stayed would make the next attempt fail.
    if (copy !== undefined) rmSync(copy);
    throw error;
  } finally {
    client.run("PRAGMA foreign_keys = ON");
  }
  if (copy !== undefined)
    options.upgraded?.(
      pending.map(({ name }) => name),
      copy,
    );
}

/** The applied migrations. Throws the errors of `migrate`. */
export function checkMigrations(
  client: Database,
  migrations: readonly Migration[],
): readonly AppliedMigration[] {
  const tables = count(client, "SELECT count(*) AS n FROM sqlite_schema");
  const id = count(client, "SELECT application_id AS n FROM pragma_application_id");
  if (tables > 0 && id !== applicationId)
    throw new UnusableDatabase(
      isRestoredDump(client, id)
        ? `${client.filename} has the tables of accountd, but not its application_id: .dump omits it. Set it: sqlite3 ${client.filename} 'PRAGMA application_id = ${applicationId}'`
        : "The file is a database of another program. Name another with --database.",
    );
  const hasMigrations = hasTable(client, "schema_migrations");
  const applied = hasMigrations ? client.query<AppliedMigration, []>(selectApplied).all() : [];
  return checkApplied(applied, migrations);
}

/** Whether a database without an application id has the tables of accountd. */
function isRestoredDump(client: Database, id: number): boolean {
  const columns = "SELECT count(*) AS n FROM pragma_table_info('schema_migrations') WHERE name = 'sha256'";
  return id === 0 && count(client, columns) > 0;
}

const createMigrationsTable = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`;

function applyMigration(
  client: Database,
  version: number,
  migration: Migration,
  { now, ...folding }: UpgradeOptions & { now: number },
): void {
  client.run(migration.sql);
  for (const columns of migration.folded ?? []) refold(client, columns, folding);
  client
    .query("INSERT INTO schema_migrations (version, name, sha256, applied_at) VALUES (?, ?, ?, ?)")
    .run(version, migration.name, hashOf(migration), now);
}

/** Folds every text that has characters beyond ASCII. The SQL of the migration has folded the others. */
function refold(client: Database, column: FoldedColumn, folding: Folding): void {
  const [table, text, folded, form] = column;
  const isNonAscii = `${text} GLOB '*[^' || char(1) || '-' || char(127) || ']*'`;
  const updateText = `UPDATE ${table} SET ${folded} = ? WHERE id = ?`;
  if (form === "address") {
    const selectRows = `SELECT id, organization_id AS organizationId, account_id AS accountId, ${text} AS text,
      ${folded} AS foldedText FROM ${table} WHERE ${isNonAscii} ORDER BY id`;
    const rows = client.query<AddressRow, []>(selectRows).all();
    if (rows.length === 0) return;
    const { unique, first } = refoldAddresses(rows, foldingOf(column, folding));
    const updateRow = client.query(updateText);
    for (const { id, folded } of unique) updateRow.run(folded, id);
    const updateFirst = client.query(`UPDATE OR IGNORE ${table} SET ${folded} = ? WHERE id = ?`);
    for (const { id, folded } of first) updateFirst.run(folded, id);
    return;
  }
  type TextRow = { id: number; text: string };
  const rows = client
    .query<TextRow, []>(`SELECT id, ${text} AS text FROM ${table} WHERE ${isNonAscii}`)
    .all();
  const updateRow = client.query(updateText);
  for (const row of rows) updateRow.run(foldingOf(column, folding)(row.text), row.id);
}

/**
 * Copies the database to `target`, under a temporary name until it is complete. If an upgrade was killed after its
 * copy, that copy is used when it has the same bytes.
 */
function copyDatabase(client: Database, target: string): string {
  const temporary = `${target}.unfinished`;
  rmSync(temporary, { force: true });
  // Created here, so that only the service's user can read it from the first byte on.
  closeSync(openSync(temporary, "wx", 0o600));
  try {
    client.query("VACUUM INTO ?").run(temporary);
    if (!existsSync(target)) renameSync(temporary, target);
    else if (!haveSameBytes(temporary, target))
      throw new UnusableDatabase(
        `${target} exists and differs from this database. Move it away: the copy before the upgrade is made there.`,
      );
  } finally {
    rmSync(temporary, { force: true });
  }
  return target;
}

/** Whether two files have the same bytes. */
function haveSameBytes(a: string, b: string): boolean {
  const [fileA, fileB] = [openSync(a, "r"), openSync(b, "r")];
  const [bufferA, bufferB] = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)];
  try {
    for (;;) {
      const [sizeA, sizeB] = [readSync(fileA, bufferA), readSync(fileB, bufferB)];
      if (sizeA !== sizeB || !bufferA.subarray(0, sizeA).equals(bufferB.subarray(0, sizeA))) return false;
      if (sizeA === 0) return true;
    }
  } finally {
    closeSync(fileA);
    closeSync(fileB);
  }
}

export function hasTable(client: Database, name: string): boolean {
  return count(client, `SELECT count(*) AS n FROM sqlite_schema WHERE name = '${name}'`) > 0;
}

function count(client: Database, sql: string): number {
  return client.query<{ n: number }, []>(sql).get()?.n ?? 0;
}
