import { existsSync, realpathSync } from "node:fs";
import { Connection, type Reader } from "./connection.ts";
import {
  assertAccountdDatabase,
  createDatabase,
  openWriteConnection,
  prepareDatabase,
  watchFile,
} from "./file.ts";
import { lockDatabase } from "./lock.ts";
import type { UpgradeOptions } from "./migrate.ts";
import { type Migration, migrations as released } from "./migrations/list.ts";
import { SnapshotReader } from "./snapshots.ts";
import { type Work, WriteQueue } from "./write-queue.ts";

/** What a store asks of a database: reads that see what is committed, and changes that are durable. */
export type Engine = Reader & {
  /** Runs the change in a transaction; resolves when it is on the disk. See WriteQueue.push. */
  write<T>(work: Work<T>): Promise<T>;
  /** Throws when the file cannot be read. */
  ping(): Promise<void>;
  /** Answers what is under way, moves the WAL into the file, and lets the file go. */
  close(): Promise<void>;
};

/** An upgrade that has names to fold, and nothing to fold them by, throws. */
export type OpenOptions = UpgradeOptions & {
  /** The present time in milliseconds; noted beside the migrations that run. */
  now: number;
  /** Make the database if it is not there. */
  create?: boolean;
  /** For the one that serves: hold the file's lock, migrate, and check the file after an unclean end. */
  exclusive?: boolean;
  migrations?: readonly Migration[];
};

/**
 * Opens the database at `path`, made by the released migrations.
 * Throws DatabaseRefused, with one line for a person, when it is missing, in use, damaged, of another
 * program, or of another version.
 */
export function openDatabase(
  path: string,
  { now, create = false, exclusive = false, migrations = released, ...upgrade }: OpenOptions,
): Engine {
  if (create && !existsSync(path)) createDatabase(path, migrations, now);
  // By whichever link it is reached, one file has one lock.
  const file = existsSync(path) ? realpathSync(path) : path;
  // Before the lock, which creates a file next to the database.
  if (exclusive && existsSync(file)) assertAccountdDatabase(file, migrations);
  const lock = exclusive && existsSync(file) ? lockDatabase(file) : undefined;
  try {
    prepareDatabase(file, migrations, { now, exclusive, ...upgrade });
  } catch (error) {
    lock?.discard();
    throw error;
  }
  const reads = new SnapshotReader(new Connection(file, { busyTimeout: 250, readOnly: true }));
  const assertFileUnchanged = watchFile(file);
  const writes = new WriteQueue(() => openWriteConnection(file, 0), {
    beforeBatch: assertFileUnchanged,
    beforeCommit: () => reads.end(),
  });
  return {
    first: (statement, values) => reads.first(statement, values),
    all: (statement, values) => reads.all(statement, values),
    write: (work) => writes.push(work),
    ping: async () => {
      assertFileUnchanged();
      await reads.ping();
    },
    close: async () => {
      try {
        await writes.close();
      } finally {
        reads.close();
        lock?.release();
      }
    },
  };
}
