import { isBusy, isDiskFailure, StoreBusy } from "../errors.ts";
import { nextTurn } from "../event-loop.ts";
import type { Connection, Writer } from "./connection.ts";

/** A change: it runs statements on the connection it is given and awaits nothing else but its pauses. */
export type Work<T> = (writer: Writer) => Promise<T>;

type Job = {
  work: Work<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
type Outcome = { job: Job } & ({ value: unknown } | { error: unknown });

type Hooks = {
  /** Called before each batch; the batch is refused with what it throws. */
  beforeBatch: () => void;
  /** Called right before every commit, and before the last checkpoint. */
  beforeCommit: () => void;
};

const batchSize = 512;
/** Milliseconds after which a batch takes in no further change, so that those who read get their turn. */
const batchTime = 20;
const longestQueue = 10_000;
/** Milliseconds to wait for another process's lock, for it or for changes once the queue closes, and between tries. */
const longestWait = 5_000;
const lastWait = 1_000;
const retryAfter = 10;

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
    if (this.#closed) return Promise.reject(new StoreBusy("The service is stopping."));
    if (this.#waiting.length >= longestQueue)
      return Promise.reject(new StoreBusy("Too many changes are waiting."));
    return new Promise<T>((resolve, reject) => {
      // Safe: `work` makes the value that its own promise is resolved with.
      this.#waiting.push({ work, resolve: resolve as Job["resolve"], reject });
      this.#running ??= this.#run();
    });
  }

  /** Refuses further changes, waits a second for those under way, moves the WAL into the file and closes. */
  async close(): Promise<void> {
    this.#closed = true;
    const late = setTimeout(() => this.#giveUp(), lastWait);
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
  #giveUp(): void {
    this.#connection?.hurry();
    for (const job of this.#waiting.splice(0)) job.reject(new StoreBusy("The service is stopping."));
  }

  async #run(): Promise<void> {
    // The changes of all requests that arrived in this turn of the event loop join the first batch.
    await nextTurn();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchSize);
      try {
        const connection = await this.#begin();
        const outcomes = await run(connection, batch);
        // What there was no time for comes first in the next.
        this.#waiting.unshift(...batch.splice(outcomes.length));
        this.#hooks.beforeCommit();
        connection.execute("COMMIT");
        answer(outcomes);
      } catch (error) {
        this.#recover(error);
        // Who holds the lock for so long will hold it on: those that wait need not wait as long again each.
        const refused = isBusy(error) ? [...batch, ...this.#waiting.splice(0)] : batch;
        for (const job of refused) job.reject(error);
      }
      if (this.#waiting.length > 0) await nextTurn();
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
        const patience = this.#closed ? lastWait : longestWait;
        if (!isBusy(error) || performance.now() - start >= patience) throw error;
        await Bun.sleep(retryAfter);
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
    this.#overwrite();
  }

  /**
   * Lets an empty commit take the place of the one that failed: that may stand whole in the WAL, lacking nothing
   * but the fsync, and a crash would bring to life what was refused. A disk that fails again is left as it is.
   */
  #overwrite(): void {
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
async function run(connection: Connection, batch: Job[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const start = performance.now();
  for (const job of batch) {
    if (outcomes.length > 0 && performance.now() - start > batchTime) break;
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

function answer(outcomes: Outcome[]): void {
  for (const outcome of outcomes) {
    if ("error" in outcome) outcome.job.reject(outcome.error);
    else outcome.job.resolve(outcome.value);
  }
}
