import type { AccountMatches, AccountSearch, Snapshot, Values } from "../engine.ts";
import type { Statement } from "../statements.ts";
import type { Connection } from "./connection.ts";

type Search = (snapshot: Snapshot, search: AccountSearch) => Promise<AccountMatches | undefined>;

/** One read transaction, shared by every `read` of one turn of the event loop. */
class ReadTransaction {
  readers = 0;
  isOver = false;
  readonly ended = Promise.withResolvers<void>();
}

/**
 * Consistent reads. Every `read` that starts in one turn of the event loop shares one read transaction: locking the
 * file for each statement would cost more than most statements. `fn` must finish in that turn; it does when it
 * awaits nothing but its statements, which are resolved promises.
 */
export class SnapshotReader {
  readonly #connection: Connection;
  readonly #now: () => number;
  readonly #search: Search;
  /** The open transaction, and one that new readers must not join because a commit followed it. */
  #current: ReadTransaction | undefined;
  #isRetired = false;
  #isClosed = false;

  constructor(connection: Connection, now: () => number, search: Search) {
    this.#connection = connection;
    this.#now = now;
    this.#search = search;
  }

  /** Throws when `fn` awaited anything beyond its statements and the transaction is over. */
  async read<T>(fn: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    while (this.#current && this.#isRetired) await this.#current.ended.promise;
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
   * Called right before every commit of this process: later reads get a new transaction, so that whoever was told of
   * a change can read it. Readers of the present one finish first.
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
    if (transaction.isOver) return;
    transaction.isOver = true;
    this.#current = undefined;
    this.#isRetired = false;
    transaction.ended.resolve();
    // SQLite itself ends the transaction when the disk fails.
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
      // The next BEGIN fails then, and its reader gets the error.
    }
  }

  #snapshot(transaction: ReadTransaction): Snapshot {
    const connection = this.#connection;
    const snapshot: Snapshot = {
      now: this.#now(),
      async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
        assertOpen(transaction);
        return connection.first(statement, values);
      },
      async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
        assertOpen(transaction);
        return connection.all(statement, values);
      },
      searchAccounts: async (search) => {
        assertOpen(transaction);
        // A deferred transaction has no snapshot before its first statement; a search of the index may run none.
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1");
        return this.#search(snapshot, search);
      },
    };
    return snapshot;
  }
}

function assertOpen(transaction: ReadTransaction): void {
  if (transaction.isOver)
    throw new Error("the snapshot is over: a read awaits nothing but its own statements");
}
