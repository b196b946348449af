import type { Transaction } from "../engine.ts";
import { EngineBusy, isBusy, isStorageFailure } from "../errors.ts";
import { yieldToEventLoop } from "../event-loop.ts";
import type { Connection } from "./connection.ts";
import { SqliteTransaction } from "./transaction.ts";

type Work<T> = (tx: Transaction) => Promise<T>;
type Job = {
  work: Work<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
type JobResult = { job: Job; tx: SqliteTransaction } & ({ value: unknown } | { error: unknown });

export type WriteQueueHooks = {
  /** Called before each batch, which fails with what it throws. */
  beforeBatch: () => void;
  /** Called right before every commit, and before the last checkpoint. */
  beforeCommit: () => void;
  /** Called right after a commit, with its transactions that succeeded, before their callers are answered. */
  afterCommit: (transactions: readonly SqliteTransaction[]) => void;
  /** The timestamp of a transaction that begins. */
  now: () => number;
};

/** Where the queue's waiting comes from; tests replace it. Milliseconds. */
export type Timer = { elapsed: () => number; sleep: (milliseconds: number) => Promise<void> };
const systemTimer: Timer = { elapsed: () => performance.now(), sleep: (time) => Bun.sleep(time) };

const maxBatchSize = 512;
/** After this time a batch takes no further change, so that reads can run. */
const maxBatchMilliseconds = 20;
const maxQueueLength = 10_000;
/** How long another process may hold the write lock before the waiting changes fail. */
const lockTimeoutMilliseconds = 5_000;
/** The same, and the time for running changes, once the queue is closing. */
const closeTimeoutMilliseconds = 1_000;
const lockRetryMilliseconds = 10;

/**
 * Group commit. Changes that wait at the same time run in one transaction, each in a savepoint of its own, and
 * all are answered after its one fsync. A change that throws is rolled back alone. If the commit fails, every
 * change of the batch fails and none is stored.
 */
export class WriteQueue {
  readonly #connect: () => Connection;
  readonly #hooks: WriteQueueHooks;
  readonly #timer: Timer;
  #connection: Connection | undefined;
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;
  #isAborting = false;

  constructor(connect: () => Connection, hooks: WriteQueueHooks, timer = systemTimer) {
    this.#connect = connect;
    this.#connection = connect();
    this.#hooks = hooks;
    this.#timer = timer;
  }

  /** Resolves after the commit is durable. Throws what `work` throws, EngineBusy, or SQLite's own error. */
  push<T>(work: Work<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new EngineBusy("The service is stopping."));
    if (this.#waiting.length >= maxQueueLength)
      return Promise.reject(new EngineBusy("Too many changes are waiting."));
    return new Promise<T>((resolve, reject) => {
      // Safe: `work` returns the value that its own promise is resolved with.
      this.#waiting.push({ work, resolve: resolve as Job["resolve"], reject });
      this.#running ??= this.#run();
    });
  }

  /** Rejects further changes, waits a second for running ones, moves the WAL into the file and closes it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const timeout = setTimeout(() => this.#abort(), closeTimeoutMilliseconds);
    await this.#running;
    clearTimeout(timeout);
    try {
      this.#hooks.beforeCommit();
      this.#connection?.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      // Acknowledged changes are durable in the WAL; the next process to open the file moves them.
      if (!isStorageFailure(error) && !isBusy(error)) throw error;
    } finally {
      this.#connection?.close();
    }
  }

  /** Moves the WAL into the file and truncates it, as far as readers allow. */
  checkpoint(): void {
    this.#hooks.beforeCommit();
    this.#connection?.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** Rejects what waits, and what runs at its next pause; the rest of its batch is stored. */
  #abort(): void {
    this.#isAborting = true;
    for (const job of this.#waiting.splice(0)) job.reject(new EngineBusy("The service is stopping."));
  }

  async #run(): Promise<void> {
    // The changes of all requests that arrived in this turn of the event loop join the first batch.
    await yieldToEventLoop();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatchSize);
      try {
        const connection = await this.#begin();
        const results = await this.#runBatch(connection, batch);
        // The changes that the batch had no time for are the first of the next batch.
        this.#waiting.unshift(...batch.splice(results.length));
        this.#hooks.beforeCommit();
        connection.execute("COMMIT");
        this.#hooks.afterCommit(results.flatMap((result) => ("error" in result ? [] : result.tx)));
        settle(results);
      } catch (error) {
        this.#recover(error);
        // A lock that was held for so long will stay held: waiting changes need not wait as long again each.
        const failed = isBusy(error) ? [...batch, ...this.#waiting.splice(0)] : batch;
        for (const job of failed) job.reject(error);
      }
      if (this.#waiting.length > 0) await yieldToEventLoop();
    }
    this.#running = undefined;
  }

  /** Takes the write lock. While another process holds it, waits without blocking the event loop. */
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
        await this.#timer.sleep(lockRetryMilliseconds);
      }
    }
  }

  /** Runs as many changes as there is time for, at least one. */
  async #runBatch(connection: Connection, batch: Job[]): Promise<JobResult[]> {
    const results: JobResult[] = [];
    const start = this.#timer.elapsed();
    for (const job of batch) {
      if (results.length > 0 && this.#timer.elapsed() - start > maxBatchMilliseconds) break;
      const tx = new SqliteTransaction(connection, this.#hooks.now(), () => this.#isAborting);
      connection.execute("SAVEPOINT change");
      try {
        results.push({ job, tx, value: await job.work(tx) });
      } catch (error) {
        // A full or failing disk ends the whole transaction, and with it the batch.
        if (!connection.client.inTransaction) throw error;
        connection.execute("ROLLBACK TO change");
        results.push({ job, tx, error });
      }
      connection.execute("RELEASE change");
    }
    return results;
  }

  /** Rolls a failed batch back. After a failed fsync the state of that connection is unknown: it is replaced. */
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
   * Commits an empty transaction over the failed one. That may be complete in the WAL except for the fsync, so that
   * a crash would restore changes that were rejected. If the disk fails again, nothing more can be done.
   */
  #overwriteFailedCommit(): void {
    try {
      this.#hooks.beforeBatch();
      this.#connection = this.#connect();
      this.#connection.execute("BEGIN IMMEDIATE");
      const version = this.#connection.client.query<{ version: number }, []>(
        "SELECT user_version AS version FROM pragma_user_version",
      );
      // SQLite writes the page although the value is the same.
      this.#connection.execute(`PRAGMA user_version = ${version.get()?.version}`);
      this.#connection.execute("COMMIT");
    } catch {
      this.#connection?.close();
      this.#connection = undefined;
    }
  }
}

function settle(results: JobResult[]): void {
  for (const result of results) {
    if ("error" in result) result.job.reject(result.error);
    else result.job.resolve(result.value);
  }
}
