import type { Snapshot } from "../engine.ts";
import { EngineBusy, EngineStopping } from "../errors.ts";
import type { Connection } from "./connection.ts";

/** One read transaction, shared by all reads of one turn of the event loop. */
type ReadTransaction = {
  readers: number;
  hasEnded: boolean;
  /** Set while readers wait for the end. */
  ended?: PromiseWithResolvers<void>;
};

/**
 * Consistent reads. All `read` calls of one turn of the event loop share one read transaction, because locking the
 * file for each statement costs more than most statements. `fn` has to finish in that turn: it does if it awaits
 * nothing but its statements, which return resolved promises.
 */
export class SnapshotReader {
  readonly #connection: Connection;
  readonly #now: () => number;
  #current: ReadTransaction | undefined;
  /** Whether a commit followed the start of the current transaction: new readers wait until it has ended. */
  #isRetired = false;
  #isClosed = false;

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
  }

  /**
   * Throws EngineStopping after `close`, and an error when `fn` awaited anything else than its statements, so that the
   * transaction has ended.
   */
  async read<T>(fn: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    while (this.#current && this.#isRetired) {
      this.#current.ended ??= Promise.withResolvers<void>();
      await this.#current.ended.promise;
    }
    if (this.#isClosed) throw new EngineStopping();
    const transaction = this.#current ?? this.#begin();
    transaction.readers += 1;
    try {
      return await fn({
        now: this.#now(),
        first: async (statement, values) => this.#open(transaction).first(statement, values),
        all: async (statement, values) => this.#open(transaction).all(statement, values),
      });
    } finally {
      transaction.readers -= 1;
      if (transaction.readers === 0 && this.#isRetired) this.#end(transaction);
    }
  }

  /**
   * Called right before every commit of this process: later reads begin a new transaction, so that a caller can read
   * a change that was acknowledged. Readers of the current transaction finish first.
   */
  retire(): void {
    if (!this.#current) return;
    if (this.#current.readers === 0) this.#end(this.#current);
    else this.#isRetired = true;
  }

  /** Throws when the file cannot be read. */
  ping(): void {
    this.#connection.execute("SELECT count(*) FROM sqlite_schema");
  }

  close(): void {
    if (this.#current) this.#end(this.#current);
    this.#isClosed = true;
    this.#connection.close();
  }

  #begin(): ReadTransaction {
    this.#connection.execute("BEGIN");
    const transaction: ReadTransaction = { readers: 0, hasEnded: false };
    this.#current = transaction;
    this.#isRetired = false;
    setImmediate(() => this.#end(transaction));
    return transaction;
  }

  #open({ hasEnded }: ReadTransaction): Connection {
    if (hasEnded) throw new Error("the snapshot has ended: a read awaits nothing but its own statements");
    // After SQLITE_IOERR each further statement would run on a snapshot of its own.
    if (!this.#connection.client.inTransaction)
      throw new EngineBusy("The snapshot was lost because the disk failed.");
    return this.#connection;
  }

  #end(transaction: ReadTransaction): void {
    if (transaction.hasEnded) return;
    transaction.hasEnded = true;
    this.#current = undefined;
    this.#isRetired = false;
    transaction.ended?.resolve();
    // SQLite itself ends the transaction when the disk failed.
    if (this.#isClosed || !this.#connection.client.inTransaction) return;
    try {
      this.#connection.execute("COMMIT");
    } catch {
      // The connection reported a damaged page; no caller awaits this statement.
      this.#rollback();
    }
  }

  #rollback(): void {
    try {
      if (this.#connection.client.inTransaction) this.#connection.execute("ROLLBACK");
    } catch {
      // The next BEGIN fails, and its reader gets the error.
    }
  }
}
