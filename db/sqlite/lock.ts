import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { isBusy, UnusableDatabase } from "../errors.ts";

/** Milliseconds to wait for a lock that another process may hold for a moment, as it makes the database. */
const lockTimeoutMilliseconds = 2_000;

/**
 * Holds `<file>.lock` until `release`, so that one process serves a database. The lock is the kernel's, on
 * a SQLite file of its own: a process that is killed leaves none behind.
 * Throws DatabaseRefused when another process holds it, it cannot be had, or the file has a hard link.
 */
export function lockDatabase(file: string): { release: () => void } {
  // By its other name it has another lock, and another WAL.
  if ((statSync(file, { throwIfNoEntry: false })?.nlink ?? 0) > 1)
    throw new UnusableDatabase(`${file} has a hard link, and could be served twice. Remove one of the two.`);
  let lock: Database | undefined;
  try {
    lock = new Database(`${file}.lock`);
    lock.run(`PRAGMA busy_timeout = ${lockTimeoutMilliseconds}`);
    lock.run("BEGIN EXCLUSIVE");
  } catch (error) {
    lock?.close();
    if (isBusy(error)) throw new UnusableDatabase(`${file} is in use by another accountd. Stop it first.`);
    throw new UnusableDatabase(`${file}.lock cannot be locked. Check its and its folder's permissions.`);
  }
  const acquired = lock;
  return { release: () => acquired.close() };
}
