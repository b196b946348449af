import type { AccountMatches, AccountSearch, Snapshot, Values } from "../../engine.ts";
import { EngineBusy } from "../../errors.ts";
import type { Statement } from "../../statements.ts";
import { type Connection, snapshotSql } from "../connection.ts";
import type { FoundRows } from "./index-searches.ts";
import type { ReadTurns } from "./read-turns.ts";
import { readShortPage } from "./short-pages.ts";
import { isDeepPage, MovedRead, mayBeSlow, organizationOf } from "./slow-reads.ts";
import type { TotalCache } from "./total-cache.ts";

export type Search = (
  snapshot: Snapshot,
  search: AccountSearch,
  found: FoundRows | undefined,
) => Promise<AccountMatches | undefined>;

/** What all snapshots of a connection share. */
export type SnapshotContext = {
  connection: Connection;
  search: Search;
  /** Statements that may read more rows throw MovedRead. */
  maxRows: number;
  turns: ReadTurns;
  totals: TotalCache | undefined;
};

export type ReadOptions = {
  /** Whether reads of some milliseconds run, although the time of this turn is used. */
  hasTurn?: boolean;
  /** The rows that `IndexSearches` found for this read. */
  found?: FoundRows;
};

/** One read transaction, shared by all reads of one turn of the event loop. */
export class ReadTransaction {
  readers = 0;
  hasEnded = false;
  readonly ended = Promise.withResolvers<void>();
  /** The number of commits before the transaction. */
  readonly commitCount: number;

  constructor(commitCount = 0) {
    this.commitCount = commitCount;
  }
}

/** The view of one read. Its statements throw when their read transaction has ended. */
export class TransactionSnapshot implements Snapshot {
  readonly now: number;
  readonly #transaction: ReadTransaction;
  readonly #context: SnapshotContext;
  readonly #options: ReadOptions;

  constructor(transaction: ReadTransaction, context: SnapshotContext, now: number, options: ReadOptions) {
    this.now = now;
    this.#transaction = transaction;
    this.#context = context;
    this.#options = options;
  }

  async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    const connection = this.#openConnection();
    const { totals } = this.#context;
    const { commitCount } = this.#transaction;
    const total = totals?.get(statement, values, commitCount);
    if (total) {
      connection.execute(snapshotSql);
      return total;
    }
    if (this.#mayBeSlow(statement, values)) throw new MovedRead(organizationOf(values), "worker");
    const row = this.#run(statement, values, () => connection.first(statement, values));
    totals?.set(statement, values, commitCount, row);
    return row;
  }

  async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    const connection = this.#openConnection();
    const { maxRows } = this.#context;
    // A short page is tried first: `#mayBeSlow` skips 1,000 entries of an index, which takes 15 µs.
    const canBeShort = statement.scanned !== undefined && !isDeepPage(values, maxRows);
    const shortPage = () => readShortPage(connection, statement, values, Math.floor(maxRows / 2));
    const rows = canBeShort ? this.#run(statement, values, shortPage) : undefined;
    if (rows) return rows;
    if (this.#mayBeSlow(statement, values)) throw new MovedRead(organizationOf(values), "worker");
    return this.#run(statement, values, () => connection.all(statement, values));
  }

  async searchAccounts(search: AccountSearch): Promise<AccountMatches | undefined> {
    this.#openConnection().execute(snapshotSql);
    return this.#inTurn(search.organizationId, () => this.#context.search(this, search, this.#options.found));
  }

  /** A statement that reads many rows, or skips many entries of an index, waits for its turn. */
  #run<R>(statement: Statement<unknown>, values: Values, read: () => R): R {
    const isShort = !statement.scanned && !isDeepPage(values, this.#context.maxRows);
    return isShort ? read() : this.#inTurn(organizationOf(values), read);
  }

  #mayBeSlow(statement: Statement<unknown>, values: Values): boolean {
    const { connection, maxRows } = this.#context;
    return mayBeSlow(connection, statement, values, maxRows);
  }

  #openConnection(): Connection {
    const { connection } = this.#context;
    if (this.#transaction.hasEnded)
      throw new Error("the snapshot has ended: a read awaits nothing but its own statements");
    // After SQLITE_IOERR each further statement would run on a snapshot of its own.
    if (!connection.client.inTransaction)
      throw new EngineBusy("The snapshot was lost because the disk failed.");
    return connection;
  }

  /** Runs `work`, which takes some milliseconds, if there is time in this turn. */
  #inTurn<R>(organizationId: number, work: () => R): R {
    const { turns } = this.#context;
    if (!this.#options.hasTurn && !turns.hasTime) throw new MovedRead(organizationId, "later turn");
    const start = performance.now();
    try {
      return work();
    } finally {
      turns.use(performance.now() - start);
    }
  }
}
