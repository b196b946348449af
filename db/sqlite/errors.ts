import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import {
  DatabaseDamaged,
  DiskFull,
  errorCode,
  isDamage,
  isStorageFailure,
  StorageFailed,
  UniqueViolation,
} from "../errors.ts";

/** A WAL index takes 32 KiB; with less space than this, an I/O error means a full disk. */
const minFreeBytes = 1_048_576;
const fullAdvice = "is full. Free some space and try again.";

/**
 * The error of a failing or full disk, of shared memory or of a missing permission, with the path, the cause and what
 * to do in its message, and with SQLite's code. Any other error unchanged.
 */
export function explainStorageError(file: string, error: unknown): unknown {
  const code = errorCode(error);
  const message =
    isStorageFailure(error) || /^(?:ENOSPC|EDQUOT|EFBIG)$/.test(code) ? explain(file, code) : undefined;
  if (message === undefined) return error;
  const failure = new (message.endsWith(fullAdvice) ? DiskFull : StorageFailed)(message, { cause: error });
  return code.startsWith("SQLITE_") ? Object.assign(failure, { code }) : failure;
}

function explain(file: string, code: string): string | undefined {
  if (/^(?:SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code) || (code.startsWith("SQLITE_IOERR") && isFull(file)))
    return `The disk of ${file} ${fullAdvice}`;
  if (code === "EFBIG") return `The file system of ${file} does not allow a file of this size.`;
  if (code.startsWith("SQLITE_IOERR_SHM"))
    return `${file}-shm cannot be mapped into memory: the file system has no shared memory. Put the database on a local disk.`;
  if (code.startsWith("SQLITE_READONLY"))
    return `${file} is read-only. Check the permissions of the file and its folder, and the mount.`;
  if (code.startsWith("SQLITE_IOERR"))
    return `The disk of ${file} failed (${code}). Check the log of the kernel, then run accountd check.`;
  return undefined;
}

/** Throws DiskFull when the disk of the file has no space for a write. */
export function assertSpace(file: string): void {
  if (isFull(file)) throw new DiskFull(`The disk of ${file} ${fullAdvice}`);
}

function isFull(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize < minFreeBytes;
  } catch {
    return false;
  }
}

/** Records whether a damaged page was read. */
export class DamageMonitor {
  #isDamaged = false;
  readonly #file: string;
  readonly #onDamage: () => void;

  /** `onDamage` is called once, at the first damaged page. */
  constructor(file: string, onDamage: () => void = () => {}) {
    this.#file = file;
    this.#onDamage = onDamage;
  }

  /** Records damage, and returns the error that callers get for an error of SQLite. */
  translate(error: unknown): unknown {
    if (isDamage(error) && !this.#isDamaged) {
      this.#isDamaged = true;
      this.#onDamage();
    }
    if (errorCode(error) !== "SQLITE_CONSTRAINT_UNIQUE" || !(error instanceof Error))
      return explainStorageError(this.#file, error);
    return new UniqueViolation(error.message.replace("UNIQUE constraint failed: ", ""));
  }

  /** Throws DatabaseDamaged when a damaged page was read. */
  assertSound(): void {
    if (this.#isDamaged) throw new DatabaseDamaged("The database is damaged. Restore a backup.");
  }
}
