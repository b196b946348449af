import type { WriteOptions } from "../../engine.ts";
import { EngineBusy, EngineStopping, isBusy, isStorageFailure } from "../../errors.ts";
import { gatherRequests, Pauses } from "../../event-loop.ts";
import { FairQueue } from "../../fair-queue.ts";
import {
  closeMilliseconds,
  requestTimeoutMilliseconds,
  retryMilliseconds,
  systemTimer,
  type Timer,
} from "../../timer.ts";
import type { Connection } from "../connection.ts";
import { commit, commitEmpty } from "../file.ts";
import { BatchTime } from "./batch-time.ts";
import {
  isBulkWrite,
  type QueuedWrite,
  settle,
  type WriteQueueHooks,
  type WriteResult,
} from "./queued-write.ts";
import { type OpenBatch, SqliteTransaction } from "./transaction.ts";

type WriteQueueOptions = { timer?: Timer | undefined };

const maxBatchSize = 512;

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
  readonly #isStopping = () => this.#isAborting;

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
  push<T>(
    organizationId: number,
    work: (tx: SqliteTransaction) => Promise<T>,
    { isBulk = false }: WriteOptions = {},
  ): Promise<T> {
    if (this.#isClosed) return Promise.reject(new EngineStopping());
    return new Promise<T>((resolve, reject) => {
      // Safe: the promise is resolved with the value that `work` returns.
      const settlers = { resolve: resolve as QueuedWrite["resolve"], reject };
      const write = { organizationId, work, isBulk, hasSavepoints: false, ...settlers };
      this.#waiting.push(write)?.reject(new EngineBusy("Too many writes are waiting."));
      this.#running ??= this.#run();
    });
  }

  /** Rejects new writes, waits a second for running ones, moves the WAL into the file and closes it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const timeout = setTimeout(() => this.#abort(), closeMilliseconds);
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
      if (this.#waiting.length > 0) await this.#runBatch();
      if (this.#waiting.length > 0) await gatherRequests();
    }
    this.#running = undefined;
  }

  /** Runs waiting writes, at least one, that the time of a batch allows, commits, and settles their promises. */
  async #runBatch(): Promise<void> {
    const writes = this.#waiting.take(maxBatchSize);
    let unsettled = writes;
    const [results, notStarted]: [WriteResult[], QueuedWrite[]] = [[], []];
    try {
      const connection = await this.#begin();
      const batch = { connection, lastSequences: new Map<number, number>(), isStopping: this.#isStopping };
      const time = new BatchTime(this.#timer, this.#longOrganizations);
      const pauses = new Pauses();
      for (const write of writes) {
        await pauses.next();
        if (!time.begin(write)) {
          notStarted.push(write);
          continue;
        }
        // The first write has no savepoint, for which SQLite would copy every page that it changes.
        const isFirst = results.length === 0;
        if (!isFirst) connection.execute("SAVEPOINT write");
        const tx = new SqliteTransaction(batch, this.#hooks.now(), write);
        try {
          const value = await write.work(tx).finally(() => tx.end());
          results.push({ write, value, statementCount: tx.statementCount });
        } catch (error) {
          await this.#undo(batch, isFirst, error);
          if (tx.needsSavepoints) writes.push({ ...write, hasSavepoints: true });
          else results.push({ write, error, statementCount: 0 });
        }
        if (!isFirst) connection.execute("RELEASE write");
        time.end(write);
      }
      // Writes that were not started come first, organizations with a long write last: others waited for it.
      this.#waiting.putBack(notStarted);
      this.#longOrganizations = time.longOrganizations;
      for (const organizationId of this.#longOrganizations) this.#waiting.postpone(organizationId);
      unsettled = results.map(({ write }) => write);
      this.#commit(connection, results);
    } catch (error) {
      this.#recover(error);
      // The lock is likely to stay: without this, each waiting batch would wait for the whole timeout.
      const failed = isBusy(error) ? [...unsettled, ...this.#waiting.take()] : unsettled;
      for (const write of failed) write.reject(error);
    }
  }

  /** Rolls back a write that threw `error`. Without a savepoint, the transaction begins again. */
  async #undo({ connection, lastSequences }: OpenBatch, isFirst: boolean, error: unknown): Promise<void> {
    // A full or failing disk ends the whole transaction, and with it the batch.
    if (!connection.client.inTransaction) throw error;
    connection.execute(isFirst ? "ROLLBACK" : "ROLLBACK TO write");
    lastSequences.clear();
    if (isFirst) await this.#begin();
  }

  #commit(connection: Connection, results: readonly WriteResult[]): void {
    this.#hooks.beforeCommit();
    commit(connection, results.some(isBulkWrite));
    this.#hooks.afterCommit(results);
    settle(results);
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
        const timeout = this.#isClosed ? closeMilliseconds : requestTimeoutMilliseconds;
        if (!isBusy(error) || this.#timer.elapsed() - start >= timeout) throw error;
        await this.#timer.sleep(retryMilliseconds);
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
