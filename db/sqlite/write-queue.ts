import { EngineBusy, isBusy, isDiskFailure } from "../errors.ts";
import { yieldToEventLoop } from "../event-loop.ts";
import type { Connection, Writer } from "./connection.ts";

/** A change: it runs statements on the connection it is given and awaits nothing else but its pauses. */
export type Work<T> = (writer: Writer) => Promise<T>;

type Job = {
  work: Work<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
type JobResult = { job: Job } & ({ value: unknown } | { error: unknown });

type Hooks = {
  /** Called before each batch; the batch is refused with what it throws. */
  beforeBatch: () => void;
  /** Called right before every commit, and before the last checkpoint. */
  beforeCommit: () => void;
};

const maxBatchSize = 512;
/** Milliseconds after which a batch takes in no further change, so that those who read get their turn. */
const maxBatchMilliseconds = 20;
const maxQueueLength = 10_000;
/** Milliseconds to wait for another process's lock, for it or for changes once the queue closes, and between tries. */
const lockTimeoutMilliseconds = 5_000;
const closeTimeoutMilliseconds = 1_000;
const lockRetryMilliseconds = 10;

/**
 * Group commit. Changes that wait at the same moment run in one transaction, each in a savepoint of its
 * own, and all are answered after its one fsync. A change that throws takes back itself alone; if the
 * commit fails, every change of the batch is refused and none was stored.
 */
export class WriteQueue {
  readonly #connect: () => Connection;
  readonly #hooks: Hooks;
  #connection: Connection | undefined;
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(connect: () => Connection, hooks: Hooks) {
    this.#connect = connect;
    this.#connection = connect();
    this.#hooks = hooks;
  }

  /** Resolves when the change is on the disk. Throws what `work` throws, StoreBusy, or SQLite's own error. */
  push<T>(work: Work<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new EngineBusy("The service is stopping."));
    if (this.#waiting.length >= maxQueueLength)
      return Promise.reject(new EngineBusy("Too many changes are waiting."));
    return new Promise<T>((resolve, reject) => {
      // Safe: `work` makes the value that its own promise is resolved with.
      this.#waiting.push({ work, resolve: resolve as Job["resolve"], reject });
      this.#running ??= this.#run();
    });
  }

  /** Refuses further changes, waits a second for those under way, moves the WAL into the file and closes. */
  async close(): Promise<void> {
    this.#closed = true;
    const late = setTimeout(() => this.#rejectWaiting(), closeTimeoutMilliseconds);
    await this.#running;
    clearTimeout(late);
    try {
      this.#hooks.beforeCommit();
      this.#connection?.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      // What was answered is on the disk, in the WAL: the next to open the file moves it.
      if (!isDiskFailure(error) && !isBusy(error)) throw error;
    } finally {
      this.#connection?.close();
    }
  }

  /** Refuses what waits, and what runs and pauses; the rest of its batch is kept. */
  #rejectWaiting(): void {
    this.#connection?.abort();
    for (const job of this.#waiting.splice(0)) job.reject(new EngineBusy("The service is stopping."));
  }

  async #run(): Promise<void> {
    // The changes of all requests that arrived in this turn of the event loop join the first batch.
    await yieldToEventLoop();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatchSize);
      try {
        const connection = await this.#begin();
        const outcomes = await runBatch(connection, batch);
        // What there was no time for comes first in the next.
        this.#waiting.unshift(...batch.splice(outcomes.length));
        this.#hooks.beforeCommit();
        connection.execute("COMMIT");
        settle(outcomes);
      } catch (error) {
        this.#recover(error);
        // Who holds the lock for so long will hold it on: those that wait need not wait as long again each.
        const refused = isBusy(error) ? [...batch, ...this.#waiting.splice(0)] : batch;
        for (const job of refused) job.reject(error);
      }
      if (this.#waiting.length > 0) await yieldToEventLoop();
    }
    this.#running = undefined;
  }

  /** Takes the write lock. While another process holds it, waits without stopping the event loop. */
  async #begin(): Promise<Connection> {
    this.#hooks.beforeBatch();
    this.#connection ??= this.#connect();
    const start = performance.now();
    for (;;) {
      try {
        this.#connection.execute("BEGIN IMMEDIATE");
        return this.#connection;
      } catch (error) {
        const patience = this.#closed ? closeTimeoutMilliseconds : lockTimeoutMilliseconds;
        if (!isBusy(error) || performance.now() - start >= patience) throw error;
        await Bun.sleep(lockRetryMilliseconds);
      }
    }
  }

  /** Takes back what is left of a failed batch. After a failed fsync nothing on that connection is certain. */
  #recover(error: unknown): void {
    try {
      if (this.#connection?.client.inTransaction) this.#connection.execute("ROLLBACK");
      if (!isDiskFailure(error)) return;
    } catch {}
    this.#connection?.close();
    this.#connection = undefined;
    this.#overwriteFailedCommit();
  }

  /**
   * Lets an empty commit take the place of the one that failed: that may stand whole in the WAL, lacking nothing
   * but the fsync, and a crash would bring to life what was refused. A disk that fails again is left as it is.
   */
  #overwriteFailedCommit(): void {
    try {
      this.#hooks.beforeBatch();
      this.#connection = this.#connect();
      this.#connection.execute("BEGIN IMMEDIATE");
      const version = this.#connection.client.query<{ version: number }, []>(
        "SELECT user_version AS version FROM pragma_user_version",
      );
      // SQLite writes it, although it stays as it was.
      this.#connection.execute(`PRAGMA user_version = ${version.get()?.version}`);
      this.#connection.execute("COMMIT");
    } catch {
      this.#connection?.close();
      this.#connection = undefined;
    }
  }
}

/** Runs the changes, as many as there is time for, and the first in any case. */
async function runBatch(connection: Connection, batch: Job[]): Promise<JobResult[]> {
  const outcomes: JobResult[] = [];
  const start = performance.now();
  for (const job of batch) {
    if (outcomes.length > 0 && performance.now() - start > maxBatchMilliseconds) break;
    connection.execute("SAVEPOINT change");
    try {
      outcomes.push({ job, value: await job.work(connection) });
    } catch (error) {
      // A full or broken disk ends the whole transaction, and with it the batch.
      if (!connection.client.inTransaction) throw error;
      connection.execute("ROLLBACK TO change");
      outcomes.push({ job, error });
    }
    connection.execute("RELEASE change");
  }
  return outcomes;
}

function settle(outcomes: JobResult[]): void {
  for (const outcome of outcomes) {
    if ("error" in outcome) outcome.job.reject(outcome.error);
    else outcome.job.resolve(outcome.value);
  }
}
