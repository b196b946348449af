import type { Database } from "bun:sqlite";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { DatabaseReplaced, errorCode, isBusy, isDamage, UnusableDatabase } from "../errors.ts";
import {
  type Migration,
  type MigrationState,
  statesOf,
  unfinishedMessage,
  unfinishedTable,
} from "../migration.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { DamageMonitor, explainStorageError } from "./errors.ts";
import { checkMigrations, hasTable, migrate, type UpgradeOptions } from "./migrate.ts";
import { migrations as released } from "./migrations/list.ts";
import { assertUsableFile } from "./usable-file.ts";
import { closedFileOptions, fileSize, staleWalAdvice } from "./wal.ts";

/** 16 MiB of pages in the WAL start a checkpoint. With fewer, each change has a larger share of its fsyncs. */
const checkpointPages = 4_000;
/** A checkpoint of so many pages takes some milliseconds; one of `checkpointPages` takes some tens. */
const bulkCheckpointPages = 250;

/** A connection for writing. A commit is durable, and deleted content is overwritten with zeros. */
export function openWriteConnection(file: string, options: ConnectionOptions): Connection {
  const connection = new Connection(file, options);
  connection.client.run("PRAGMA synchronous = FULL");
  connection.client.run("PRAGMA secure_delete = ON");
  connection.client.run("PRAGMA journal_size_limit = 67108864");
  connection.client.run(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  return connection;
}

/** Commits. Then SQLite moves the WAL into the file when the WAL has enough pages: fewer if `isBulk`. */
export function commit(connection: Connection, isBulk: boolean): void {
  if (isBulk) connection.execute(`PRAGMA wal_autocheckpoint = ${bulkCheckpointPages}`);
  try {
    connection.execute("COMMIT");
  } finally {
    if (isBulk) connection.execute(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  }
}

/** Commits a transaction that changes no value. */
export function commitEmpty(connection: Connection): void {
  connection.execute("BEGIN IMMEDIATE");
  rewritePage(connection);
  connection.execute("COMMIT");
}

/** Writes a page with the values that it has. */
export function rewritePage(connection: Connection): void {
  const version = connection.client.query<{ version: number }, []>(
    "SELECT user_version AS version FROM pragma_user_version",
  );
  // SQLite writes the page although the value is the same.
  connection.execute(`PRAGMA user_version = ${version.get()?.version}`);
}

/**
 * A connection for reading, also next to a running server. It leaves the WAL as it is, and works without permission to
 * write if the WAL and its index exist, or if no process has the file open.
 */
export function openReadConnection(file: string): Connection {
  const monitor = new DamageMonitor(file);
  const options = { busyTimeoutMilliseconds: 250, isQueryOnly: true, isMapped: true, monitor };
  // Without a WAL, a connection that cannot write would create an empty one and not remove it.
  return new Connection(file, {
    ...options,
    ...(closedFileOptions(file) ?? { isReadOnlyFile: existsSync(`${file}-wal`) }),
  });
}

type OpeningOptions = UpgradeOptions & {
  now: number;
  isExclusive: boolean;
  canMigrate: boolean;
  /** Whether it may be an unfinished copy. */
  canBeUnfinished?: boolean;
  checkOrganizations?: ((foldedNames: string[]) => void) | undefined;
};

/**
 * Checks that the file is a database of these migrations and of no later ones. With `isExclusive`, which requires the
 * file's lock, also migrates it if `canMigrate`, and checks the whole file for damage after an unclean shutdown.
 */
export function prepareDatabase(
  file: string,
  migrations: readonly Migration[],
  { now, isExclusive, canMigrate, canBeUnfinished = false, checkOrganizations, ...upgrade }: OpeningOptions,
): void {
  const isAfterUncleanShutdown = fileSize(`${file}-wal`) > 0;
  const applied = withReadableDatabase(file, ({ client }) => {
    const applied = countApplied(file, client, migrations);
    if (!canBeUnfinished) assertFinished(client);
    if (!(isExclusive && canMigrate) && applied < migrations.length)
      throw new UnusableDatabase(`${file} has an older schema. Stop the server and run accountd migrate.`);
    if (isExclusive && isAfterUncleanShutdown) assertUndamaged(file, client);
    // SQLite would read the missing part of the last page as zeros.
    if (isExclusive && !isAfterUncleanShutdown && fileSize(file) % pageSize(client) !== 0)
      throw new UnusableDatabase(`${file} is truncated. Restore a backup.`);
    checkOrganizations?.(organizationNames(client));
    return applied;
  });
  if (!isExclusive) return;
  withWritableDatabase(file, ({ client }) => {
    // SQLite opens a file without write permission, and fails at the first write.
    accessSync(file, constants.W_OK);
    if (isAfterUncleanShutdown) assertWalFits(client);
    migrate(client, migrations, { now, ...upgrade, copyTo: `${file}.before-${applied + 1}` });
    // A copy made by VACUUM INTO, such as a backup, is in rollback-journal mode.
    client.run("PRAGMA journal_mode = WAL");
  });
}

/** Moves the WAL into the file. Throws SQLITE_CORRUPT for the WAL of a much larger file. */
function assertWalFits(client: Database): void {
  try {
    client.query("PRAGMA wal_checkpoint(PASSIVE)").get();
  } catch (error) {
    // With a full disk, reads work.
    if (isDamage(error)) throw error;
  }
}

/** The folded names in a database of any version. One of digits alone marks an organization that is being deleted. */
function organizationNames(client: Database): string[] {
  const rows = client.query<{ name: string }, []>(
    "SELECT folded_name AS name FROM organizations WHERE folded_name GLOB '*[^0-9]*'",
  );
  return rows.all().map(({ name }) => name);
}

/** Throws UnusableDatabase for a file that is not a database of these migrations, or that has a hard link. */
export function assertAccountdDatabase(file: string, migrations: readonly Migration[]): void {
  withReadableDatabase(file, ({ client }) => countApplied(file, client, migrations));
}

function countApplied(file: string, client: Database, migrations: readonly Migration[]): number {
  const { length } = checkMigrations(client, migrations);
  if (length === 0) throw notAccountd(file);
  return length;
}

/** Throws UnusableDatabase for the target of a copy that did not finish. */
export function assertFinished(client: Database): void {
  if (hasTable(client, unfinishedTable)) throw new UnusableDatabase(unfinishedMessage);
}

/** Returns a check that throws DatabaseReplaced when one of the paths no longer leads to the same file. */
export function watchFiles(...paths: string[]): () => void {
  const watched = paths.map((path) => ({ path, status: statSync(path) }));
  return () => {
    for (const { path, status } of watched) {
      const current = statSync(path, { throwIfNoEntry: false });
      if (current?.ino !== status.ino || current.dev !== status.dev)
        throw new DatabaseReplaced(`${path} was removed or replaced.`);
    }
  };
}

/** Each migration of this binary, and when it was applied to the database. */
export function databaseStatus(file: string, migrations: readonly Migration[] = released): MigrationState[] {
  return withReadableDatabase(file, ({ client }) => {
    const applied = checkMigrations(client, migrations);
    assertFinished(client);
    return statesOf(applied, migrations);
  });
}

/** Runs `work` on a new connection for reading. Throws UnusableDatabase for errors that the operator can fix. */
export function withReadableDatabase<T>(file: string, work: (connection: Connection) => T): T {
  return withConnection(file, () => openReadConnection(file), work);
}

/** Runs `work` on a new connection for writing. Throws as `withReadableDatabase`. */
export function withWritableDatabase<T>(file: string, work: (connection: Connection) => T): T {
  return withConnection(file, () => openWriteConnection(file, { busyTimeoutMilliseconds: 250 }), work);
}

function withConnection<T>(file: string, connect: () => Connection, work: (connection: Connection) => T): T {
  assertUsableFile(file);
  let connection: Connection | undefined;
  try {
    connection = connect();
    return work(connection);
  } catch (error) {
    throw asUnusable(file, error);
  } finally {
    connection?.close();
  }
}

/** Error codes of a file or folder that is missing, is of another kind, or has no write permission. */
export const fileErrorCode =
  /^(?:EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EEXIST|EISDIR|SQLITE_CANTOPEN|SQLITE_READONLY)/;

/** UnusableDatabase for an error that the operator can fix; any other error unchanged. */
export function asUnusable(file: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === "SQLITE_NOTADB") return notAccountd(file);
  if (code.startsWith("SQLITE_CORRUPT")) return damagedFile(file);
  if (fileErrorCode.test(code))
    return new UnusableDatabase(
      `${file} cannot be opened for writing. Check the permissions of the file and its folder.`,
    );
  if (isBusy(error)) return new UnusableDatabase(`${file} is locked by another program.`);
  return explainStorageError(file, error);
}

function pageSize(client: Database): number {
  return client.query<{ page_size: number }, []>("PRAGMA page_size").get()?.page_size ?? 1;
}

/** Throws UnusableDatabase for a file with damaged pages. */
export function assertUndamaged(file: string, client: Database): void {
  const first = client.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
  if (first?.quick_check !== "ok") throw damagedFile(file);
}

function notAccountd(file: string): UnusableDatabase {
  return new UnusableDatabase(`${file} is not an accountd database.`);
}

function damagedFile(file: string): UnusableDatabase {
  return new UnusableDatabase(`${file} is damaged. ${staleWalAdvice(file) ?? "Restore a backup."}`);
}
