import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { errorCode, UnusableDatabase } from "../errors.ts";
import type { Migration } from "../migration.ts";
import { asUnusable, fileErrorCode, openWriteConnection } from "./file.ts";
import { lockDatabase } from "./lock.ts";
import { migrate } from "./migrate.ts";

/**
 * Creates the database under a temporary name, then renames it, so that an incomplete one never has the name. Returns
 * false when another process created it.
 */
export function createDatabase(file: string, migrations: readonly Migration[], now: number): boolean {
  try {
    createFolder(file);
    const lock = lockDatabase(file);
    try {
      if (existsSync(file)) return false;
      if (lstatSync(file, { throwIfNoEntry: false }))
        throw new UnusableDatabase(
          `${file} is a symbolic link to a file that does not exist. Check its target.`,
        );
      const temporary = `${file}.new`;
      for (const suffix of ["", "-wal", "-shm"]) rmSync(temporary + suffix, { force: true });
      const connection = openWriteConnection(temporary, { busyTimeoutMilliseconds: 0, canCreate: true });
      // Readable by the service's user only. SQLite gives the WAL the mode of the file.
      chmodSync(temporary, 0o600);
      connection.client.run("PRAGMA journal_mode = WAL");
      migrate(connection.client, migrations, { now, copyTo: `${file}.copy` });
      connection.client.run("PRAGMA wal_checkpoint(TRUNCATE)");
      connection.close();
      renameSync(temporary, file);
      syncFolder(dirname(file));
      return true;
    } catch (error) {
      lock.discard();
      throw error;
    } finally {
      lock.release();
    }
  } catch (error) {
    throw fileErrorCode.test(errorCode(error))
      ? new UnusableDatabase(`${file} cannot be created. Check the permissions of its folder.`)
      : asUnusable(file, error);
  }
}

/** Creates the folder of a file and its missing parents, durably. */
export function createFolder(file: string): void {
  const folder = dirname(file);
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  let created = resolve(folder);
  // A new folder is durable when its parent is synced; until then, a crash can lose it with its files.
  for (; created !== resolve(first); created = dirname(created)) syncFolder(dirname(created));
  syncFolder(dirname(created));
}

/** Makes the names in the folder durable. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
