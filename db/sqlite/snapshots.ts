import type { Snapshot, Values } from "../engine.ts";
import { EngineBusy, EngineStopping } from "../errors.ts";
import type { Statement } from "../statements.ts";
import type { Connection } from "./connection.ts";

/** The rows that a statement of the serving thread reads at most: about a millisecond. */
const defaultMaxRows = 1_000;

/** Thrown by a statement that may read many rows: the engine runs the whole read again in a reader process. */
export class MovedRead extends Error {}

/** One read transaction, shared by all reads of one turn of the event loop. */
class ReadTransaction {
  readers = 0;
  hasEnded = false;
  readonly ended = Promise.withResolvers<void>();
}

/**
 * Consistent reads. All `read` calls of one turn of the event loop share one read transaction, because locking the
 * file for each statement costs more than most statements. `fn` has to finish in that turn: it does if it awaits
 * nothing but its statements, which return resolved promises.
 */
export class SnapshotReader {
  readonly #connection: Connection;
  readonly #now: () => number;
  readonly #maxRows: number;
  #current: ReadTransaction | undefined;
  /** Whether a commit followed the start of the current transaction: new readers wait until it has ended. */
  #isRetired = false;
  #isClosed = false;

  /** Statements that may read more than `maxRows` throw MovedRead. */
  constructor(connection: Connection, now: () => number, maxRows = defaultMaxRows) {
    this.#connection = connection;
    this.#now = now;
    this.#maxRows = maxRows;
  }

  /**
   * Throws MovedRead, EngineStopping after `close`, and an error when `fn` awaited anything else than its statements, so
   * that the transaction has ended.
   */
  async read<T>(fn: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    while (this.#current && this.#isRetired) await this.#current.ended.promise;
    if (this.#isClosed) throw new EngineStopping();
    const transaction = this.#current ?? this.#begin();
    transaction.readers += 1;
    try {
      return await fn(this.#snapshot(transaction));
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

  #snapshot(transaction: ReadTransaction): Snapshot {
    /** The connection for a statement, which throws when its read transaction has ended. */
    const connectionFor = (statement: Statement<unknown>, values: Values): Connection => {
      const connection = this.#connection;
      if (transaction.hasEnded)
        throw new Error("the snapshot has ended: a read awaits nothing but its own statements");
      // After SQLITE_IOERR each further statement would run on a snapshot of its own.
      if (!connection.client.inTransaction)
        throw new EngineBusy("The snapshot was lost because the disk failed.");
      if (mayBeSlow(connection, statement, values, this.#maxRows)) throw new MovedRead();
      return connection;
    };
    return {
      now: this.#now(),
      first: async (statement, values) => connectionFor(statement, values).first(statement, values),
      all: async (statement, values) => connectionFor(statement, values).all(statement, values),
    };
  }

  #begin(): ReadTransaction {
    this.#connection.execute("BEGIN");
    const transaction = new ReadTransaction();
    this.#current = transaction;
    this.#isRetired = false;
    setImmediate(() => this.#end(transaction));
    return transaction;
  }

  #end(transaction: ReadTransaction): void {
    if (transaction.hasEnded) return;
    transaction.hasEnded = true;
    this.#current = undefined;
    this.#isRetired = false;
    transaction.ended.resolve();
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

/**
 * Whether a statement may read many rows: a deep page, or one whose `scanned` rows are many. The statement `scanned`
 * itself stops after `maxRows`.
 */
function mayBeSlow(
  connection: Connection,
  { scanned, isIndexOnly }: Statement<unknown>,
  values: Values,
  maxRows: number,
): boolean {
  // Entries of an index that are skipped or counted take a thirtieth and a tenth of the time of a row.
  const isDeep = Number(values.offset ?? 0) > (scanned ? maxRows : maxRows * 30);
  if (isDeep || !scanned) return isDeep;
  const offset = isIndexOnly ? maxRows * 10 : maxRows;
  return connection.first(scanned, { ...values, limit: 1, offset }) !== undefined;
}
