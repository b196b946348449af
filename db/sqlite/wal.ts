import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseReplaced, errorCode } from "../errors.ts";
import { Connection } from "./connection.ts";

/** Bytes of a file that are read or written at once. The server's fsyncs wait for what the file system has yet to write. */
export const chunkBytes = 1_048_576;

/** Bytes; 0 for a file that does not exist or whose folder cannot be read. */
export function fileSize(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/**
 * The options to read a closed file in a folder that takes no index of a WAL, such as of a read-only medium; undefined for
 * any other file. Without locks, only the end of the read can find out that a server was started meanwhile.
 */
export function closedFileOptions(file: string): { assertUnchanged: () => void } | undefined {
  if (fileSize(`${file}-wal`) > 0 || existsSync(`${file}-shm`) || canWrite(dirname(file))) return undefined;
  const { mtimeMs, size } = statSync(file);
  return {
    assertUnchanged() {
      const status = statSync(file);
      if (status.mtimeMs !== mtimeMs || status.size !== size || fileSize(`${file}-wal`) > 0)
        throw new DatabaseReplaced(
          `${file} was changed while it was read without a lock, because its folder is read-only. Read it again.`,
        );
    },
  };
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    return !/^(?:EROFS|EACCES|EPERM)$/.test(errorCode(error));
  }
}

/**
 * What to do about a damaged file that is sound without its WAL: frames of a WAL have checksums, so the WAL is likely of
 * another file. Undefined for any other damage.
 */
export function staleWalAdvice(file: string): string | undefined {
  if (fileSize(`${file}-wal`) === 0 || !isSoundAlone(file)) return undefined;
  return `It is sound without ${file}-wal, so this WAL is probably of an older file, and ${file} was replaced by a copy: then stop the server, move ${file}-wal and ${file}-shm away, and run accountd check. Otherwise restore a backup.`;
}

function isSoundAlone(file: string): boolean {
  let connection: Connection | undefined;
  try {
    connection = new Connection(file, { busyTimeoutMilliseconds: 0, assertUnchanged: () => {} });
    const row = connection.client.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
    return row?.quick_check === "ok";
  } catch {
    return false;
  } finally {
    connection?.close();
  }
}
