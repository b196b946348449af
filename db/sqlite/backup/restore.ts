import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import { errorCode, isDamage, UnusableDatabase } from "../../errors.ts";
import { createFolder } from "../create.ts";
import { asUnusable, databaseStatus } from "../file.ts";
import { lockDatabase } from "../lock.ts";
import { checkDatabase } from "../storage.ts";
import { fileSize } from "../wal.ts";
import { verifyChecksum } from "./checksum.ts";
import { contentsOf } from "./contents.ts";
import { copyDatabaseFile, removeCopy, removeUnfinished } from "./copy-file.ts";
import { compareKeys } from "./keys.ts";
import { insertOrganization, type WantedOrganization } from "./organization.ts";
import { removeSecondName, replaceDatabase } from "./replace.ts";

type RestoreOptions = {
  /** Milliseconds since 1970 UTC. */
  now: number;
  /** Replace a database with data. */
  isForced: boolean;
  /** As in `StorageCheck`. */
  firstCompleteDay: number;
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** Completes the copy of the backup, before it replaces `old`, the database with data if its first page can be read. */
  complete: (copy: string, old?: string) => Promise<void>;
};

/**
 * Replaces the database at `path` by a backup, after checking the backup. Throws UnusableDatabase, and then leaves the database
 * as it is, for a backup that is damaged, and for a database with data or that is in use.
 */
export async function restoreBackup(backup: string, path: string, options: RestoreOptions) {
  assertBackup(backup);
  const file = existsSync(path) ? realpathSync(path) : path;
  if (existsSync(file) && realpathSync(backup) === file)
    throw new UnusableDatabase(`${backup} is the database itself.`);
  try {
    createFolder(file);
    const lock = lockDatabase(file);
    try {
      const restored = await restoreLocked(backup, file, options);
      lock.release();
      return restored;
    } catch (error) {
      lock.discard();
      throw error;
    }
  } catch (error) {
    throw asUnusable(file, error);
  }
}

/** `replaced`: the path of the database with data. `keys`: undefined if no keys of a database before can be read. */
async function restoreLocked(backup: string, file: string, options: RestoreOptions) {
  const copy = `${file}.restoring`;
  removeSecondName(file);
  const { hasData, isReadable } = findData(file);
  if (hasData && !options.isForced)
    throw new UnusableDatabase(`${file} has data. Add --force: it is kept under another name.`);
  try {
    const hasChecksum = await copyVerified(backup, copy, options);
    const keys = isReadable ? compareKeys(copy, file) : undefined;
    await options.complete(copy, isReadable ? file : undefined);
    const contents = contentsOf(copy);
    const replaced = replaceDatabase(file, copy, { now: options.now, isReadable });
    if (replaced !== undefined && !hasData) rmSync(replaced);
    return { hasChecksum, contents, replaced: hasData ? replaced : undefined, keys };
  } finally {
    removeCopy(copy);
  }
}

type OrganizationOptions = Pick<RestoreOptions, "firstCompleteDay" | "onProgress" | "complete"> & {
  organization: WantedOrganization;
};

/**
 * Restores one organization out of a backup into an existing database that no server uses, next to its other organizations. Throws as
 * `restoreBackup` and `insertOrganization`, and then leaves the database as it is.
 */
export async function restoreOrganization(backup: string, path: string, options: OrganizationOptions) {
  assertBackup(backup);
  // Throws when there is no database.
  databaseStatus(path);
  const file = realpathSync(path);
  const copy = `${file}.restoring`;
  const lock = lockDatabase(file);
  try {
    const hasChecksum = await copyVerified(backup, copy, options);
    await options.complete(copy);
    return { hasChecksum, ...insertOrganization(file, copy, options.organization) };
  } catch (error) {
    throw asUnusable(file, error);
  } finally {
    // While this process has the lock, the copy is not of another restore.
    removeCopy(copy);
    lock.release();
  }
}

function assertBackup(backup: string): void {
  if (!existsSync(backup) || !statSync(backup).isFile() || fileSize(backup) === 0)
    throw new UnusableDatabase(`There is no backup at ${backup}.`);
  try {
    accessSync(backup, constants.R_OK);
  } catch {
    throw new UnusableDatabase(`${backup} cannot be read. Check the permissions of the file and its folder.`);
  }
}

/** Copies a sound backup. Returns whether its hash was compared. */
async function copyVerified(
  backup: string,
  copy: string,
  options: Pick<RestoreOptions, "firstCompleteDay" | "onProgress">,
): Promise<boolean> {
  const hasChecksum = await verifyChecksum(backup);
  try {
    await copyBackup(backup, copy, options);
    const [fault] = checkDatabase(copy, options);
    if (fault === undefined) return hasChecksum;
    throw new UnusableDatabase(`${backup} has faults, such as: ${fault}. Use another backup.`);
  } catch (error) {
    if (error instanceof UnusableDatabase) throw new UnusableDatabase(error.message.replaceAll(copy, backup));
    if (/^ZSTD/.test(errorCode(error)))
      throw new UnusableDatabase(`${backup} is damaged: it cannot be decompressed. Use another backup.`);
    throw isDamage(error) || errorCode(error) === "SQLITE_NOTADB" ? asUnusable(backup, error) : error;
  }
}

/** A file that cannot be read may have data. */
function findData(file: string): { hasData: boolean; isReadable: boolean } {
  if (fileSize(file) === 0) return { hasData: false, isReadable: false };
  // SQLite empties the WAL next to a file that is no database.
  if (!startsWith(file, sqliteHeader)) return { hasData: true, isReadable: false };
  try {
    return { hasData: contentsOf(file).organizations > 0, isReadable: true };
  } catch {
    return { hasData: true, isReadable: false };
  }
}

const zstdHeader = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const sqliteHeader = Buffer.from("SQLite format 3\0");

async function copyBackup(
  backup: string,
  copy: string,
  { onProgress }: Pick<RestoreOptions, "onProgress">,
): Promise<void> {
  if (!startsWith(backup, zstdHeader)) return copyDatabaseFile(realpathSync(backup), copy, { onProgress });
  removeUnfinished(copy);
  const target = createWriteStream(copy, { mode: 0o600, flush: true });
  await pipeline(createReadStream(backup), createZstdDecompress(), target);
}

function startsWith(path: string, header: Buffer): boolean {
  const descriptor = openSync(path, "r");
  const start = Buffer.alloc(header.length);
  readSync(descriptor, start);
  closeSync(descriptor);
  return start.equals(header);
}
