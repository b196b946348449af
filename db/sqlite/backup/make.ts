import {
  createReadStream,
  createWriteStream,
  existsSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { setPriority } from "node:os";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { StorageFailed, UnusableDatabase } from "../../errors.ts";
import { syncFolder } from "../create.ts";
import { asUnusable, databaseStatus } from "../file.ts";
import { lockDatabase } from "../lock.ts";
import { checkDatabase } from "../storage.ts";
import { fileSize } from "../wal.ts";
import { hashFile, writeChecksum } from "./checksum.ts";
import { contentsOf } from "./contents.ts";
import { type CopyFileOptions, copyDatabaseFile, removeCopy } from "./copy-file.ts";

type MakeBackupOptions = Pick<CopyFileOptions, "onProgress"> & {
  isCompressed: boolean;
  /** As in `StorageCheck`. */
  firstCompleteDay: number;
  /** Called before the copy is read back. */
  onCheck?: () => void;
};

/** The server gets the processor first. While the file is copied, the WAL grows: that comes before the check. */
const [copyPriority, checkPriority] = [5, 10];

/**
 * Copies a database that may be in use to `target`, checks the copy, and writes `target.sha256`. The file has the name
 * `target` when it is complete, checked and durable. Throws UnusableDatabase, also when there is a `target`; a copy with faults
 * is kept as `target.faulty`.
 */
export async function makeBackup(file: string, target: string, options: MakeBackupOptions) {
  const copy = `${target}.unfinished`;
  try {
    // Throws for a file that is missing or of another program.
    databaseStatus(file);
    assertSpaceFor(file, target);
    // Two backups of one name would write to one copy.
    const lock = lockDatabase(copy);
    try {
      return await makeLocked(file, { target, copy }, options);
    } finally {
      removeCopy(copy);
      lock.release();
    }
  } catch (error) {
    throw asUnusable(target, error);
  }
}

async function makeLocked(
  file: string,
  { target, copy }: { target: string; copy: string },
  options: MakeBackupOptions,
) {
  if (existsSync(target)) throw new UnusableDatabase(`${target} exists. Name another file.`);
  setPriority(copyPriority);
  copyDatabaseFile(realpathSync(file), copy, options);
  setPriority(checkPriority);
  options.onCheck?.();
  const faults = checkDatabase(copy, options);
  if (faults.length > 0) {
    renameSync(copy, `${target}.faulty`);
    throw new UnusableDatabase(
      `The copy has faults (${faults.length}), such as: ${faults[0]}. It is kept as ${target}.faulty. Run accountd check.`,
    );
  }
  const contents = contentsOf(copy);
  const written = options.isCompressed ? `${copy}.zst` : copy;
  if (options.isCompressed) await compress(copy, written);
  const sha256 = await hashFile(written);
  writeChecksum(target, sha256);
  renameSync(written, target);
  syncFolder(dirname(target));
  return { bytes: fileSize(target), sha256, contents };
}

/** Throws StorageFailed: a copy that fills the disk of the database would let the writes of its server fail. */
function assertSpaceFor(file: string, target: string): void {
  const needed = Math.ceil(1.1 * (fileSize(file) + fileSize(`${file}-wal`)));
  const { bavail, bsize } = statfsSync(dirname(target));
  if (bavail * bsize < needed)
    throw new StorageFailed(
      `The disk of ${target} is full. Free some space: the backup needs ${needed} bytes.`,
    );
}

async function compress(file: string, target: string): Promise<void> {
  rmSync(target, { force: true });
  const written = createWriteStream(target, { mode: 0o600, flush: true });
  await pipeline(createReadStream(file), createZstdCompress(), written);
}
