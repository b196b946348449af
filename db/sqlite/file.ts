import type { Database } from "bun:sqlite";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseReplaced, errorCode, isBusy, UnusableDatabase } from "../errors.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { lockDatabase } from "./lock.ts";
import {
  checkMigrations,
  type MigrationState,
  migrate,
  migrationStates,
  type UpgradeOptions,
} from "./migrate.ts";
import { type Migration, migrations as released } from "./migrations/list.ts";

/** A connection that may change the database. A commit is durable; deleted content is overwritten with zeros. */
export function openWriteConnection(file: string, options: ConnectionOptions): Connection {
  const connection = new Connection(file, options);
  connection.client.run("PRAGMA synchronous = FULL");
  connection.client.run("PRAGMA secure_delete = ON");
  connection.client.run("PRAGMA journal_size_limit = 67108864");
  connection.client.run("PRAGMA wal_autocheckpoint = 4000");
  return connection;
}

/** Makes the whole database beside the file's place and moves it there, so that no half-made one is seen. */
export function createDatabase(file: string, migrations: readonly Migration[], now: number): void {
  const folder = dirname(file);
  try {
    createFolder(folder);
    const lock = lockDatabase(file);
    try {
      if (existsSync(file)) return;
      if (lstatSync(file, { throwIfNoEntry: false }))
        throw new UnusableDatabase(
          `${file} is a link that leads nowhere. See that what it leads to is there.`,
        );
      const temporary = `${file}.new`;
      for (const suffix of ["", "-wal", "-shm"]) rmSync(temporary + suffix, { force: true });
      const connection = openWriteConnection(temporary, { busyTimeoutMilliseconds: 0, create: true });
      // Customers' data is for the service's user alone; SQLite gives the WAL the mode of the file.
      chmodSync(temporary, 0o600);
      connection.client.run("PRAGMA journal_mode = WAL");
      migrate(connection.client, migrations, { now, copyTo: `${file}.copy` });
      connection.client.run("PRAGMA wal_checkpoint(TRUNCATE)");
      connection.close();
      renameSync(temporary, file);
      syncFolder(folder);
    } catch (error) {
      lock.discard();
      throw error;
    } finally {
      lock.release();
    }
  } catch (error) {
    throw fileErrorCode.test(errorCode(error))
      ? new UnusableDatabase(`${file} cannot be made. Check that its folder can be written.`)
      : asUnusable(file, error);
  }
}

/**
 * Checks that the file is a database of these migrations, and no later one. With `exclusive`, which asks
 * for the file's lock, it is migrated, and after an unclean end read through for damage.
 */
export function prepareDatabase(
  file: string,
  migrations: readonly Migration[],
  { now, exclusive, ...upgrade }: UpgradeOptions & { now: number; exclusive: boolean },
): void {
  const isAfterUncleanShutdown = fileSize(`${file}-wal`) > 0;
  const applied = withReadableDatabase(file, ({ client }) => {
    const applied = countApplied(file, client, migrations);
    if (!exclusive && applied < migrations.length)
      throw new UnusableDatabase(
        `${file} is of an older version. Stop the service and run accountd migrate.`,
      );
    if (exclusive && isAfterUncleanShutdown) quickCheck(file, client);
    // SQLite would take what is missing of the last page for zeros.
    if (exclusive && !isAfterUncleanShutdown && fileSize(file) % pageSize(client) !== 0)
      throw new UnusableDatabase(`${file} is cut off. Bring back a backup.`);
    return applied;
  });
  if (!exclusive) return;
  withWritableDatabase(file, ({ client }) => {
    // SQLite would open a file that it may only read, and fail at the first change.
    accessSync(file, constants.W_OK);
    migrate(client, migrations, { now, ...upgrade, copyTo: `${file}.before-${applied + 1}` });
    // A copy made by VACUUM INTO, as backups are, has a rollback journal until it is told otherwise.
    client.run("PRAGMA journal_mode = WAL");
  });
}

/** Throws UnusableDatabase for a file that is no database of these migrations. */
export function assertAccountdDatabase(file: string, migrations: readonly Migration[]): void {
  withReadableDatabase(file, ({ client }) => countApplied(file, client, migrations));
}

function countApplied(file: string, client: Database, migrations: readonly Migration[]): number {
  const applied = checkMigrations(client, migrations);
  if (applied === 0) throw new UnusableDatabase(`${file} is no accountd database.`);
  return applied;
}

/** A check that the file at this path is still the one that was there: it throws DatabaseGone when it is not. */
export function watchFile(file: string): () => void {
  const { dev, ino } = statSync(file);
  return () => {
    const current = statSync(file, { throwIfNoEntry: false });
    if (current?.ino !== ino || current.dev !== dev)
      throw new DatabaseReplaced(`${file} was removed or replaced.`);
  };
}

/** Each migration of this binary, and when the database had it. */
export function databaseStatus(file: string, migrations: readonly Migration[] = released): MigrationState[] {
  return withReadableDatabase(file, ({ client }) => {
    checkMigrations(client, migrations);
    return migrationStates(client, migrations);
  });
}

/** Reads the whole file for damage (about 0.6 ms a MB). Throws DatabaseRefused when there is any. */
export function checkDatabase(file: string): void {
  withReadableDatabase(file, ({ client }) => {
    checkMigrations(client, released);
    quickCheck(file, client);
  });
}

/**
 * Looks at the database on a connection of its own, and leaves the file as it is. Throws DatabaseRefused where a
 * person can mend what is wrong.
 */
function withReadableDatabase<T>(file: string, work: (connection: Connection) => T): T {
  const connect = () =>
    fileSize(`${file}-wal`) > 0
      ? new Connection(file, { busyTimeoutMilliseconds: 250, immutable: true })
      : openWriteConnection(file, { busyTimeoutMilliseconds: 250 });
  return withConnection(file, connect, work);
}

/** As `onDatabase`, where the work changes it. */
function withWritableDatabase<T>(file: string, work: (connection: Connection) => T): T {
  return withConnection(file, () => openWriteConnection(file, { busyTimeoutMilliseconds: 250 }), work);
}

function withConnection<T>(file: string, connect: () => Connection, work: (connection: Connection) => T): T {
  if (!existsSync(file))
    throw new UnusableDatabase(
      `There is no database at ${file}. Name another with --database or DATABASE_URL.`,
    );
  if (fileSize(file) === 0) throw new UnusableDatabase(`${file} is empty, so it is no accountd database.`);
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

/** What the system, or SQLite for it, calls a folder that is none, is missing, or may not be written. */
const fileErrorCode = /^(?:EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EEXIST|EISDIR|SQLITE_CANTOPEN|SQLITE_READONLY)/;

function asUnusable(file: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === "SQLITE_NOTADB") return new UnusableDatabase(`${file} is no accountd database.`);
  if (code.startsWith("SQLITE_CORRUPT")) return damagedFile(file);
  if (fileErrorCode.test(code))
    return new UnusableDatabase(
      `${file} cannot be opened for writing. Check it and its folder's permissions.`,
    );
  if (isBusy(error)) return new UnusableDatabase(`${file} is locked by another program.`);
  return error;
}

function pageSize(client: Database): number {
  return client.query<{ page_size: number }, []>("PRAGMA page_size").get()?.page_size ?? 1;
}

function quickCheck(file: string, client: Database): void {
  const first = client.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
  if (first?.quick_check !== "ok") throw damagedFile(file);
}

function damagedFile(file: string): UnusableDatabase {
  return new UnusableDatabase(`${file} is damaged. Bring back a backup.`);
}

/** Bytes; 0 for a file that is not there, or may not be looked at. */
function fileSize(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** Makes the folder, and each that it stands in, where there is none; all of them are on the disk then. */
function createFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  let created = resolve(folder);
  // A new folder is safe once the one that holds it is synced; a file in it is lost with it.
  for (; created !== resolve(first); created = dirname(created)) syncFolder(dirname(created));
  syncFolder(dirname(created));
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
