import { EventEmitter } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { ServiceClock, TransactionClock } from "../clock.ts";
import { type ClockGap, gapAt, insertGapSql, lastGapSql, newestTimeSql } from "../clock-gaps.ts";
import type { Engine, Snapshot, WriteListener } from "../engine.ts";
import { EngineStopping, isBusy } from "../errors.ts";
import type { Migration } from "../migration.ts";
import type { StorageOptions } from "../storage.ts";
import { Connection } from "./connection.ts";
import { createDatabase } from "./create.ts";
import { Eraser } from "./erasing/erase.ts";
import { assertSpace, DamageMonitor } from "./errors.ts";
import {
  assertAccountdDatabase,
  asUnusable,
  openReadConnection,
  openWriteConnection,
  prepareDatabase,
  watchFiles,
  withWritableDatabase,
} from "./file.ts";
import { lockDatabase } from "./lock.ts";
import { migrations as released } from "./migrations/list.ts";
import { ReaderPool } from "./readers/reader-pool.ts";
import { repairLease } from "./repair-lease.ts";
import { SnapshotReader } from "./snapshots.ts";
import { fileSize } from "./wal.ts";
import { createCheckpoints } from "./writes/checkpoints.ts";
import type { WriteQueueHooks } from "./writes/queued-write.ts";
import { WriteQueue } from "./writes/write-queue.ts";

/** With a longer WAL, no slow read is started until it is moved into the file. */
const maxWalBytes = 33_554_432;

type OpenOptions = StorageOptions & {
  /** The monotonic clock, in milliseconds; default performance.now. */
  elapsed?: () => number;
  migrations?: readonly Migration[];
};

/**
 * Opens the database at `path`. Throws UnusableDatabase, with a one-line message for the operator, when it is missing,
 * in use, damaged, of another program, or of another version.
 */
export function openDatabase(path: string, options: OpenOptions): Engine {
  const { clock, canCreate = false, isExclusive = false, canMigrate = true, migrations = released } = options;
  if (canCreate && !existsSync(path) && createDatabase(path, migrations, clock()))
    options.created?.(realpathSync(path));
  // The lock belongs to the real path, so that symbolic links to one file share it.
  const file = existsSync(path) ? realpathSync(path) : path;
  // Checked before the lock is taken: the lock creates a file next to the database.
  if (isExclusive && existsSync(file)) assertAccountdDatabase(file, migrations);
  const lock = isExclusive && existsSync(file) ? lockDatabase(file) : undefined;
  let engine: Engine;
  try {
    prepareDatabase(file, migrations, { ...options, now: clock(), isExclusive, canMigrate });
    engine = startEngine(file, { ...options, gap: findClockGap(file, options) });
  } catch (error) {
    lock?.discard();
    throw asUnusable(file, error);
  }
  let closed: Promise<void> | undefined;
  return {
    ...engine,
    close: () => {
      closed ??= engine.close().finally(() => lock?.release());
      return closed;
    },
  };
}

/**
 * Opens the database for reading only: it can be open in a server, whose WAL stays as it is. Throws UnusableDatabase
 * as `openDatabase` does.
 */
export function openReader(
  path: string,
  { clock, migrations = released }: Pick<OpenOptions, "clock" | "migrations">,
): Pick<Engine, "read" | "now" | "close"> {
  const file = existsSync(path) ? realpathSync(path) : path;
  prepareDatabase(file, migrations, { now: clock(), isExclusive: false, canMigrate: false });
  const reader = new SnapshotReader(openReadConnection(file), clock);
  return { read: (fn) => reader.read(fn), now: clock, close: async () => reader.close() };
}

/** The gap between the newest stored time and the clock, after it was stored and reported; undefined if the clock is trusted. */
function findClockGap(file: string, { clock, onClockAhead }: OpenOptions): ClockGap | undefined {
  if (!onClockAhead) return undefined;
  return withWritableDatabase(file, ({ client }) => {
    const now = clock();
    const last = client.query<{ started_at: number; newest_at: number }, [number]>(lastGapSql).get(now);
    const newestAt = client.query<{ time: number | null }, []>(newestTimeSql).get()?.time ?? null;
    const gap = gapAt(
      now,
      newestAt,
      last ? { startedAt: last.started_at, newestAt: last.newest_at } : undefined,
    );
    if (gap?.startedAt === now) storeGap(client, gap);
    if (gap) onClockAhead(now, gap.newestAt);
    return gap;
  });
}

/** While another program has the write lock, the gap is of this process alone. */
function storeGap(client: Connection["client"], { startedAt, newestAt }: ClockGap): void {
  try {
    client.query(insertGapSql).run(startedAt, newestAt);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

function startEngine(file: string, options: OpenOptions & { gap: ClockGap | undefined }): Engine {
  const { clock, elapsed, onClockJump, isExclusive = false, onDamage = () => {} } = options;
  const { gap, readWorkers } = options;
  const monitor = new DamageMonitor(file, onDamage);
  let assertFilesUnchanged = watchFiles(file);
  const serviceClock = new ServiceClock({ clock, elapsed, onJump: onClockJump, gap });
  const transactionClock = new TransactionClock(serviceClock);
  const now = () => transactionClock.now();
  const connectReader = (isMapped: boolean) =>
    new Connection(file, { busyTimeoutMilliseconds: 250, isQueryOnly: true, isMapped, monitor });
  const reader = new SnapshotReader(connectReader(true), now);
  // A memory map is renewed after a commit, and most writes read nothing else than the caller's key.
  const keyConnection = connectReader(false);
  const keys: Snapshot = {
    get now() {
      return now();
    },
    first: async (statement, values) => keyConnection.first(statement, values),
    all: async (statement, values) => keyConnection.all(statement, values),
  };
  let isClosed = false;
  const watchers = new EventEmitter<{ write: Parameters<WriteListener> }>().setMaxListeners(0);
  const readers = new ReaderPool(file, {
    count: readWorkers,
    assertFileUnchanged: () => assertFilesUnchanged(),
    now,
    translate: (error) => monitor.translate(error),
    onFailed: options.onReaderFailed,
    isCheckpointDue: () => fileSize(`${file}-wal`) > maxWalBytes,
    checkpoint: () =>
      queue.runBetweenBatches((connection) => connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")),
  });
  const connect = () => openWriteConnection(file, { busyTimeoutMilliseconds: 0, monitor });
  let commitStartedAt = 0;
  const hooks: WriteQueueHooks = {
    now: () => {
      const time = now();
      transactionClock.keep(time);
      return time;
    },
    beforeBatch: () => {
      assertFilesUnchanged();
      monitor.assertSound();
    },
    beforeCommit: () => {
      // A page that was read in this batch may be damaged.
      monitor.assertSound();
      reader.retire();
      commitStartedAt = performance.now();
    },
    afterCommit: (results) => {
      const milliseconds = performance.now() - commitStartedAt;
      options.onCommit?.({ writeCount: results.length, milliseconds });
      eraser.onCommit();
      checkpoints.onCommit();
      const stored = results.filter((result) => "value" in result);
      const organizationIds = new Set(stored.map(({ write }) => write.organizationId));
      if (organizationIds.size > 0) watchers.emit("write", [...organizationIds]);
    },
  };
  const queue = new WriteQueue(connect, hooks);
  const runBetweenBatches = <T>(work: (connection: Connection) => T) =>
    queue.runBetweenBatches(work).catch((error: unknown) => {
      throw monitor.translate(error);
    });
  const eraser = new Eraser(file, (erase) => readers.whenIdle(() => runBetweenBatches(erase)));
  const checkpoints = createCheckpoints(runBetweenBatches);
  if (isExclusive) {
    // Opens the WAL. As long as this connection is open, SQLite neither removes nor replaces it.
    reader.ping();
    // Without its lock file, another server could start.
    assertFilesUnchanged = watchFiles(file, `${file}-wal`, `${file}.lock`);
  }
  return {
    clock: serviceClock,
    now,
    read: (fn, { place, organizationId = 0, signal } = {}) =>
      place === "reader" ? readers.read(organizationId, fn, signal?.()) : reader.read(fn),
    lookUp: async (fn, { isBeforeRead = false } = {}) => {
      if (isBeforeRead) return reader.read(fn);
      if (isClosed) throw new EngineStopping();
      return fn(keys);
    },
    write: queue.push.bind(queue),
    state: () => ({ waitingWriteCount: queue.waitingCount, readers: readers.state() }),
    readSize: async () => ({ databaseBytes: fileSize(file), walBytes: fileSize(`${file}-wal`) }),
    probeWrite: async () => {
      await queue.push(0, async (tx) => tx.rewritePage());
      // A page may fit into the WAL although the disk is full.
      assertSpace(file);
    },
    ping: async () => {
      assertFilesUnchanged();
      monitor.assertSound();
      reader.ping();
    },
    // No other process writes to the file.
    leaseJobs: async () => true,
    repairs: repairLease(),
    watchWrites: (listener) => {
      watchers.on("write", listener);
      return () => void watchers.off("write", listener);
    },
    eraseDeleted: (maxBlockedMilliseconds) => eraser.start(maxBlockedMilliseconds),
    close: async () => {
      checkpoints.close();
      try {
        await readers.close();
        await queue.close();
      } finally {
        reader.close();
        isClosed = true;
        keyConnection.close();
        eraser.close();
      }
    },
  };
}
