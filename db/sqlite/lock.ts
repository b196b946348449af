import { constants, Database } from "bun:sqlite";
import { chmodSync, closeSync, existsSync, openSync, rmSync } from "node:fs";
import { DatabaseInUse, errorCode, isBusy, UnusableDatabase } from "../errors.ts";
import { startTimeoutMilliseconds } from "../timer.ts";
import { explainStorageError } from "./errors.ts";

const ownerOnlyMode = 0o600;

/**
 * Locks `<file>.lock` until `release`, so that only one process serves the database. It is a lock of the kernel, on a
 * SQLite file, and ends with the process. Throws UnusableDatabase when another process has the lock, or when it cannot
 * be created.
 */
export function lockDatabase(file: string) {
  const path = `${file}.lock`;
  const isNew = !existsSync(path);
  try {
    if (isNew) createLockFile(path);
    // Other modes are from earlier versions.
    chmodSync(path, ownerOnlyMode);
    let lock = acquire(path);
    while (lock === undefined) lock = acquire(path);
    const acquired = lock;
    return {
      release: () => acquired.close(),
      /** Releases the lock of a database that cannot be used, and removes `<file>.lock` if this process created it. */
      discard: () => {
        // Before the release, so that a process that waits for the lock finds the file removed.
        if (isNew) rmSync(path, { force: true });
        acquired.close();
      },
    };
  } catch (error) {
    if (isBusy(error)) throw new DatabaseInUse(`${file} is in use by another accountd. Stop it first.`);
    const explained = explainStorageError(file, error);
    if (explained !== error) throw explained;
    throw new UnusableDatabase(`${path} cannot be locked. Check the permissions of the file and its folder.`);
  }
}

/** Not before SQLite's open for a file that exists: closing it would end this process's locks on it. */
function createLockFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", ownerOnlyMode));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** Undefined when another process removed the file between its opening here and the lock. */
function acquire(path: string): Database | undefined {
  const lock = new Database(path);
  try {
    lock.run(`PRAGMA busy_timeout = ${startTimeoutMilliseconds}`);
    lock.run("BEGIN EXCLUSIVE");
    if (!isRemoved(lock)) return lock;
  } catch (error) {
    if (!isRemoved(lock)) {
      lock.close();
      throw error;
    }
  }
  lock.close();
  return undefined;
}

/** Whether the open file is no longer the one at its path. */
function isRemoved(lock: Database): boolean {
  // SQLite writes an int; Bun takes arrays of eight bytes and more.
  const hasMoved = new Int32Array(2);
  lock.fileControl(constants.SQLITE_FCNTL_HAS_MOVED, hasMoved);
  return hasMoved[0] !== 0;
}
