import type { AccountMatches, AccountSearch, Snapshot, Values } from "../engine.ts";
import { EngineBusy, EngineStopping } from "../errors.ts";
import type { Statement } from "../statements.ts";
import type { Connection } from "./connection.ts";
import type { FoundRows } from "./index-searches.ts";
import { ReadTurns } from "./read-turns.ts";
import { assertNotSlow, MovedRead, maxLocalRows, organizationOf } from "./slow-reads.ts";

type Search = (
  snapshot: Snapshot,
  search: AccountSearch,
  found: FoundRows | undefined,
) => Promise<AccountMatches | undefined>;

type SnapshotOptions = {
  /** Statements that may read more rows throw MovedRead. */
  maxRows?: number | undefined;
  turns?: ReadTurns;
};
type ReadOptions = {
  /** Whether reads of some milliseconds run, although the time of this turn is used. */
  hasTurn?: boolean;
  /** The rows that `IndexSearches` found for this read. */
  found?: FoundRows;
};

/** One read transaction, shared by all `read` calls of one turn of the event loop. */
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
  readonly #search: Search;
  readonly #maxRows: number;
  readonly #turns: ReadTurns;
  #current: ReadTransaction | undefined;
  /** Whether a commit followed the start of the current transaction: new readers wait until it has ended. */
  #isRetired = false;
  #isClosed = false;

  constructor(connection: Connection, now: () => number, search: Search, options: SnapshotOptions = {}) {
    this.#maxRows = options.maxRows ?? maxLocalRows;
    this.#turns = options.turns ?? new ReadTurns();
    this.#connection = connection;
    this.#now = now;
    this.#search = search;
  }

  /**
   * Throws MovedRead when the read has to run elsewhere, EngineStopping after `close`, and an error when `fn` awaited
   * anything else than its statements, so that the transaction has ended.
   */
  async read<T>(fn: (snapshot: Snapshot) => Promise<T>, options: ReadOptions = {}): Promise<T> {
    while (this.#current && this.#isRetired) await this.#current.ended.promise;
    if (this.#isClosed) throw new EngineStopping();
    const transaction = this.#current ?? this.#begin();
    transaction.readers += 1;
    try {
      return await fn(this.#snapshot(transaction, options));
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

  #snapshot(transaction: ReadTransaction, { hasTurn = false, found }: ReadOptions): Snapshot {
    const connection = this.#connection;
    const turns = this.#turns;
    /** Runs `work`, which takes some milliseconds, if there is time in this turn. */
    const inTurn = async <R>(organizationId: number, work: () => R | Promise<R>): Promise<R> => {
      if (!hasTurn && !turns.hasTime) throw new MovedRead(organizationId, "later turn");
      const start = performance.now();
      try {
        return work();
      } finally {
        turns.use(performance.now() - start);
      }
    };
    const run = async <R>(statement: Statement<unknown>, values: Values, work: () => R): Promise<R> => {
      assertOpen(transaction, connection);
      assertNotSlow(connection, statement, values, this.#maxRows);
      return statement.scanned ? inTurn(organizationOf(values), work) : work();
    };
    const snapshot: Snapshot = {
      now: this.#now(),
      first: (statement, values) => run(statement, values, () => connection.first(statement, values)),
      all: (statement, values) => run(statement, values, () => connection.all(statement, values)),
      searchAccounts: async (search) => {
        assertOpen(transaction, connection);
        // A deferred transaction has no snapshot before its first statement; a search of the index may run none.
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1");
        return inTurn(search.organizationId, () => this.#search(snapshot, search, found));
      },
    };
    return snapshot;
  }
}

function assertOpen(transaction: ReadTransaction, { client }: Connection): void {
  if (transaction.hasEnded)
    throw new Error("the snapshot has ended: a read awaits nothing but its own statements");
  // After SQLITE_IOERR each further statement would run on a snapshot of its own.
  if (!client.inTransaction) throw new EngineBusy("The snapshot was lost because the disk failed.");
}
