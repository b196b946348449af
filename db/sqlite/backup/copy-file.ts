import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { UnusableDatabase } from "../../errors.ts";
import type { Connection } from "../connection.ts";
import { openReadConnection, openWriteConnection, withWritableDatabase } from "../file.ts";
import { chunkBytes, fileSize } from "../wal.ts";

/** While the file is copied, no process can shorten the WAL. */
const maxWalBytes = 2 ** 30;

export type CopyFileOptions = {
  /** Called with the bytes of the file that were copied, and with all bytes. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** Default: 1 GiB. */
  maxWalBytes?: number;
};

/** Removes the files of a copy, and of its lock. */
export function removeCopy(copy: string): void {
  removeUnfinished(copy);
  for (const suffix of [".zst", ".lock", ".lock-journal"]) rmSync(copy + suffix, { force: true });
}

/** The files that a copy has until it is complete. */
export function removeUnfinished(target: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(target + suffix, { force: true });
}

/**
 * Copies a database that other processes use to a new file with mode 0600, in rollback-journal mode, durably. Writers do
 * not wait: a read transaction keeps the copied pages as they are, and changes are added to the WAL meanwhile. Blocks the
 * event loop. Throws UnusableDatabase and errors of the disk; then the target is removed.
 */
export function copyDatabaseFile(file: string, target: string, options: CopyFileOptions = {}): void {
  removeUnfinished(target);
  try {
    copySnapshot(file, target, options);
    // Applies the copied WAL, and ends the mode in which a reader needs the permission to write.
    withWritableDatabase(target, (connection) => connection.execute("PRAGMA journal_mode = DELETE"));
  } catch (error) {
    removeUnfinished(target);
    throw error;
  }
}

function copySnapshot(file: string, target: string, options: CopyFileOptions): void {
  // Closed after the connection: closing a file releases the locks that this process has on it.
  const source = openSync(file, "r");
  const snapshot = openReadConnection(file);
  try {
    snapshot.execute("BEGIN");
    // A deferred transaction has no snapshot before its first statement.
    snapshot.client.query("SELECT 1 FROM sqlite_schema LIMIT 1").get();
    const wal = `${file}-wal`;
    const header = walHeader(wal);
    const limit = options.maxWalBytes ?? maxWalBytes;
    copyBytes(source, target, (done, total) => {
      if (fileSize(wal) > limit)
        throw new UnusableDatabase(
          `${wal} has grown to ${limit} bytes during the backup. Back up while less is written, or to a faster disk.`,
        );
      options.onProgress?.(done, total);
    });
    if (header) copyWal(wal, `${target}-wal`, header);
  } finally {
    endSnapshot(file, snapshot);
    closeSync(source);
  }
}

/**
 * The snapshot is the file with the WAL applied. If the WAL was begun anew since the snapshot, then the whole WAL before was
 * in the file, to which nothing was written since: the file alone is the snapshot.
 */
function copyWal(wal: string, target: string, header: Buffer): void {
  const source = openSync(wal, "r");
  try {
    copyBytes(source, target, () => {});
  } finally {
    closeSync(source);
  }
  if (!walHeader(wal)?.equals(header)) rmSync(target);
}

/** Section 4.1 of https://www.sqlite.org/fileformat2.html: written before the first frame when a WAL is begun anew. */
function walHeader(wal: string): Buffer | undefined {
  if (fileSize(wal) === 0) return undefined;
  const descriptor = openSync(wal, "r");
  const header = Buffer.alloc(32);
  const length = readSync(descriptor, header, 0, header.length, 0);
  closeSync(descriptor);
  return length === header.length ? header : undefined;
}

function copyBytes(source: number, target: string, onChunk: (done: number, total: number) => void): void {
  const { size } = fstatSync(source);
  const descriptor = openSync(target, "wx", 0o600);
  const buffer = Buffer.alloc(chunkBytes);
  try {
    for (let done = 0; done < size; ) {
      const length = readSync(source, buffer, 0, Math.min(chunkBytes, size - done), done);
      if (length === 0) break;
      for (let written = 0; written < length; )
        written += writeSync(descriptor, buffer, written, length - written);
      done += length;
      fdatasyncSync(descriptor);
      onChunk(done, size);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Moves the WAL into the file in this process, before the server would do that in between two requests. */
function endSnapshot(file: string, snapshot: Connection): void {
  let writer: Connection | undefined;
  try {
    writer = openWriteConnection(file, { busyTimeoutMilliseconds: 0 });
    // Opens the WAL.
    writer.client.query("SELECT 1 FROM sqlite_schema LIMIT 1").get();
  } catch {
    // Without permission to write, the next commit of the server moves it.
  }
  try {
    if (snapshot.client.inTransaction) snapshot.execute("COMMIT");
    writer?.execute("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // The next commit of the server tries it again.
  } finally {
    // The last one to close removes the WAL, if it can write.
    snapshot.close();
    writer?.close();
  }
}
