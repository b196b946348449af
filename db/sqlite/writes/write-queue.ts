import type { WriteOptions } from "../../engine.ts";
import { EngineBusy, EngineStopping, isBusy, isStorageFailure } from "../../errors.ts";
import { gatherRequests, Pauses } from "../../event-loop.ts";
import { FairQueue } from "../../fair-queue.ts";
import { retryMilliseconds, systemTimer, type Timer } from "../../timer.ts";
import type { Connection } from "../connection.ts";
import { commit, commitEmpty } from "../file.ts";
import {
  isBulkWrite,
  type QueuedWork,
  type QueuedWrite,
  settle,
  type WriteQueueHooks,
  type WriteResult,
} from "./queued-write.ts";
import { SqliteTransaction } from "./transaction.ts";

type PushOptions = WriteOptions & { organizationId?: number };
type WriteQueueOptions = { timer?: Timer | undefined };

const maxBatchSize = 512;
/** After this time of a batch, only writes of other organizations than the slow ones are started, for a shorter time. */
const maxBatchMilliseconds = 20;
const maxOvertimeMilliseconds = 10;
/** A write that takes longer makes its organization a slow one of the batch. */
const maxShortMilliseconds = 1;
/** The time after which the waiting writes fail if another process has the write lock. */
const lockTimeoutMilliseconds = 5_000;
/** `lockTimeoutMilliseconds` while the queue is closing, and the time after which running writes are rolled back. */
export const closeTimeoutMilliseconds = 1_000;

/**
 * Group commit. The waiting writes run in one transaction, each after the first in its own savepoint, and their promises
 * resolve after its one fsync. A batch has writes of the waiting organizations in turn. A write that throws is rolled back
 * alone. If the commit fails, every write of the batch fails and none is stored.
 */
export class WriteQueue {
  readonly #connect: () => Connection;
  readonly #hooks: WriteQueueHooks;
  readonly #timer: Timer;
  #connection: Connection | undefined;
  readonly #waiting = new FairQueue<QueuedWrite>();
  #betweenBatches: ((connection: () => Connection) => void)[] = [];
  /** The organizations with a write in the last batch that took longer than `maxBatchMilliseconds`. */
  #longOrganizations = new Set<number>();
  #running: Promise<void> | undefined;
  #isClosed = false;
  #isAborting = false;

  constructor(connect: () => Connection, hooks: WriteQueueHooks, options: WriteQueueOptions = {}) {
    this.#connect = connect;
    this.#connection = connect();
    this.#hooks = hooks;
    this.#timer = options.timer ?? systemTimer;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /**
   * Resolves after the commit is durable. Throws what `work` throws, EngineBusy, or SQLite's own error. When the queue
   * is full, the last write of the organization with the most waiting writes is rejected.
   */
  push<T>(work: QueuedWork<T>, { organizationId = 0, isBulk = false }: PushOptions = {}): Promise<T> {
    if (this.#isClosed) return Promise.reject(new EngineStopping());
    return new Promise<T>((resolve, reject) => {
      // Safe: the promise is resolved with the value that `work` returns.
      const resolveAny = resolve as QueuedWrite["resolve"];
      const write: QueuedWrite = { organizationId, work, isBulk, resolve: resolveAny, reject };
      this.#waiting.push(write)?.reject(new EngineBusy("Too many writes are waiting."));
      this.#running ??= this.#run();
    });
  }

  /** Rejects new writes, waits a second for running ones, moves the WAL into the file and closes it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const timeout = setTimeout(() => this.#abort(), closeTimeoutMilliseconds);
    await this.#running;
    clearTimeout(timeout);
    try {
      this.#hooks.beforeCommit();
      this.#connection?.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      // Acknowledged writes are durable in the WAL; the next process to open the file moves them.
      if (!isStorageFailure(error) && !isBusy(error)) throw error;
    } finally {
      this.#connection?.close();
    }
  }

  /** Runs `work` between two batches, outside a transaction. Throws EngineBusy, and what `work` throws. */
  runBetweenBatches<T>(work: (connection: Connection) => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(new EngineStopping());
    return new Promise<T>((resolve, reject) => {
      this.#betweenBatches.push((connection) => {
        try {
          resolve(work(connection()));
        } catch (error) {
          reject(error);
        }
      });
      this.#running ??= this.#run();
    });
  }

  /** Rejects waiting writes, and the running one at its next pause. The rest of its batch is stored. */
  #abort(): void {
    this.#isAborting = true;
    for (const write of this.#waiting.take()) write.reject(new EngineStopping());
  }

  async #run(): Promise<void> {
    await gatherRequests();
    while (this.#waiting.length > 0 || this.#betweenBatches.length > 0) {
      for (const run of this.#betweenBatches.splice(0)) run(() => this.#idleConnection());
      let batch = this.#waiting.take(maxBatchSize);
      if (batch.length === 0) continue;
      try {
        const connection = await this.#begin();
        const { results, notStarted } = await this.#runBatch(connection, batch);
        // Writes that were not started come first, organizations with a long write last: others waited for it.
        this.#waiting.putBack(notStarted);
        for (const organizationId of this.#longOrganizations) this.#waiting.postpone(organizationId);
        batch = results.map(({ write }) => write);
        this.#hooks.beforeCommit();
        commit(connection, results.some(isBulkWrite));
        this.#hooks.afterCommit(batch.length);
        settle(results);
      } catch (error) {
        this.#recover(error);
        // The lock is likely to stay: without this, each waiting batch would wait for the whole timeout.
        const failed = isBusy(error) ? [...batch, ...this.#waiting.take()] : batch;
        for (const write of failed) write.reject(error);
      }
      if (this.#waiting.length > 0) await gatherRequests();
    }
    this.#running = undefined;
  }

  /** The connection outside a transaction, without readers of this process that are not running. */
  #idleConnection(): Connection {
    this.#hooks.beforeBatch();
    this.#connection ??= this.#connect();
    this.#hooks.beforeCommit();
    return this.#connection;
  }

  /** Begins a transaction. While another process has the write lock, waits without blocking the event loop. */
  async #begin(): Promise<Connection> {
    this.#hooks.beforeBatch();
    this.#connection ??= this.#connect();
    const start = this.#timer.elapsed();
    for (;;) {
      try {
        this.#connection.execute("BEGIN IMMEDIATE");
        return this.#connection;
      } catch (error) {
        const timeout = this.#isClosed ? closeTimeoutMilliseconds : lockTimeoutMilliseconds;
        if (!isBusy(error) || this.#timer.elapsed() - start >= timeout) throw error;
        await this.#timer.sleep(retryMilliseconds);
      }
    }
  }

  /** Runs the writes, at least one, that the time of a batch allows. */
  async #runBatch(connection: Connection, batch: readonly QueuedWrite[]) {
    const [results, notStarted]: [WriteResult[], QueuedWrite[]] = [[], []];
    const slowOrganizations = new Set<number>();
    const lastLong = this.#longOrganizations;
    this.#longOrganizations = new Set();
    const startedAt = this.#timer.elapsed();
    const pauses = new Pauses();
    let overAt = Number.POSITIVE_INFINITY;
    for (const write of batch) {
      await pauses.next();
      const now = this.#timer.elapsed();
      if (now - startedAt > maxBatchMilliseconds) overAt = Math.min(overAt, now);
      const { organizationId } = write;
      const isSlow = slowOrganizations.has(organizationId);
      const isOver = now >= overAt && (isSlow || now - overAt > maxOvertimeMilliseconds);
      // A long write runs after the writes that waited for the one before it, and after their commit.
      const isOther = (result: WriteResult) => result.write.organizationId !== organizationId;
      const isNextLong = lastLong.has(organizationId) && results.some(isOther);
      if (isOver || isNextLong) {
        notStarted.push(write);
        continue;
      }
      const isFirst = results.length === 0;
      if (!isFirst) connection.execute("SAVEPOINT write");
      results.push(await this.#runWrite(connection, write, isFirst));
      if (!isFirst) connection.execute("RELEASE write");
      const milliseconds = this.#timer.elapsed() - now;
      if (milliseconds > maxShortMilliseconds) slowOrganizations.add(organizationId);
      if (milliseconds > maxBatchMilliseconds) this.#longOrganizations.add(organizationId);
    }
    return { results, notStarted };
  }

  /**
   * Runs a write in the savepoint `write`. The first one of a batch has none, for which SQLite would copy every page that
   * it changes: the transaction begins again when it fails.
   */
  async #runWrite(connection: Connection, write: QueuedWrite, isFirst: boolean): Promise<WriteResult> {
    for (let hasSavepoints = false; ; hasSavepoints = true) {
      const isStopping = () => this.#isAborting;
      const tx = new SqliteTransaction(connection, this.#hooks.now(), isStopping, { hasSavepoints });
      try {
        return { write, value: await write.work(tx), statementCount: tx.statementCount };
      } catch (error) {
        // A full or failing disk ends the whole transaction, and with it the batch.
        if (!connection.client.inTransaction) throw error;
        connection.execute(isFirst ? "ROLLBACK" : "ROLLBACK TO write");
        if (isFirst) await this.#begin();
        if (!tx.needsSavepoints) return { write, error, statementCount: 0 };
      } finally {
        tx.end();
      }
    }
  }

  /** Rolls back a failed batch. After a failed fsync the connection is replaced, because its state is unknown. */
  #recover(error: unknown): void {
    try {
      if (this.#connection?.client.inTransaction) this.#connection.execute("ROLLBACK");
      if (!isStorageFailure(error)) return;
    } catch {}
    this.#connection?.close();
    this.#connection = undefined;
    this.#overwriteFailedCommit();
  }

  /**
   * Commits an empty transaction over the failed one. The failed one may be complete in the WAL except for the fsync,
   * so that a crash would restore writes that were rejected. If the disk fails again, nothing more can be done.
   */
  #overwriteFailedCommit(): void {
    try {
      this.#hooks.beforeBatch();
      this.#connection = this.#connect();
      commitEmpty(this.#connection);
    } catch {
      this.#connection?.close();
      this.#connection = undefined;
    }
  }
}
