import { chownSync, existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UnusableDatabase } from "../../errors.ts";
import { syncFolder } from "../create.ts";
import { withWritableDatabase } from "../file.ts";
import { fileSize } from "../wal.ts";

const separator = ".replaced-";

/**
 * Replaces the database by another file, durably. At each moment the path leads to the one or to the other, also after a
 * crash. The database before, if any, gets the name that is returned. The caller has the lock. Throws UnusableDatabase
 * when another program has the database open.
 */
export function replaceDatabase(
  file: string,
  next: string,
  { now, isReadable }: { now: number; isReadable: boolean },
): string | undefined {
  const replaced = freeName(
    `${file}${separator}${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "")}`,
  );
  // SQLite could empty the WAL of a damaged file without moving it into the file.
  if (isReadable) emptyWal(file);
  // SQLite would apply them to the next file.
  for (const suffix of ["-wal", "-shm", "-journal"])
    if (existsSync(file + suffix)) renameSync(file + suffix, replaced + suffix);
  const exists = existsSync(file);
  giveToOwner(exists ? file : dirname(file), [next, `${file}.lock`]);
  if (exists) linkSync(file, replaced);
  renameSync(next, file);
  syncFolder(dirname(file));
  return exists ? replaced : undefined;
}

/** As root, so that the server can open the files. SQLite does the same with a WAL. */
function giveToOwner(ofPath: string, files: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(ofPath);
  for (const file of files) chownSync(file, uid, gid);
}

/** The path, or with a number behind it where there is such a file. */
function freeName(path: string): string {
  let free = path;
  for (let i = 2; existsSync(free) || existsSync(`${free}-wal`); i += 1) free = `${path}-${i}`;
  return free;
}

/** Moves the WAL into the file. Throws UnusableDatabase when another program prevents it. */
function emptyWal(file: string): void {
  withWritableDatabase(file, (connection) => connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (fileSize(`${file}-wal`) > 0)
    throw new UnusableDatabase(`${file} is open in another program. Stop that program.`);
}

/** Removes the second name that an interrupted `replaceDatabase` gave the database. */
export function removeSecondName(file: string): void {
  const status = statSync(file, { throwIfNoEntry: false });
  if (!status || status.nlink < 2) return;
  for (const name of readdirSync(dirname(file))) {
    const path = join(dirname(file), name);
    if (name.startsWith(`${basename(file)}${separator}`) && statSync(path).ino === status.ino) rmSync(path);
  }
}
