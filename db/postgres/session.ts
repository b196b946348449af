import { type ReservedSQL, SQL } from "bun";
import type { Values } from "../engine.ts";
import { EngineBusy } from "../errors.ts";
import type { Statement } from "../statements.ts";
import { isConnectionLost, translate } from "./errors.ts";
import { statementOf } from "./prepared.ts";

export type SessionOptions = {
  url: string;
  /** The time in which the server accepts a connection. */
  connectMilliseconds?: number;
  /** The time limits of a statement, of its wait for a lock, and of a transaction without one; the server keeps them. */
  statementMilliseconds?: number;
  lockMilliseconds?: number;
  idleInTransactionMilliseconds?: number;
  /** The time after which the connection is given up while statements wait and none has a reply. */
  silentMilliseconds?: number;
  /**
   * Whether the connection is one to the server. A pooler in transaction mode gives each transaction another one: then
   * no plans are kept, and the limits are set in each transaction.
   */
  prepare?: boolean;
};

const defaultStatementMilliseconds = 5_000;
/** A silent connection is given up later than the server ends a slow statement. */
const silentAfterMilliseconds = 500;

/**
 * One connection, which is opened when it is needed and again after it was lost. It does not change within a
 * transaction: after a loss every statement fails until the next `connect`.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #silence: Timer;
  #pool: SQL | undefined;
  #reserved: ReservedSQL | undefined;
  #connecting: Promise<void> | undefined;
  #pendingCount = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    // No timeout of the driver ends a statement whose connection was dropped silently.
    this.#silence = setTimeout(() => {
      if (this.#pendingCount > 0) this.discard();
    }, silentMillisecondsOf(options)).unref();
  }

  get isOpen(): boolean {
    return this.#reserved !== undefined;
  }

  /** Opens the connection unless it is open. Throws EngineBusy when the server cannot be reached. */
  async connect(): Promise<void> {
    if (this.#reserved) return;
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    await this.#connecting;
  }

  async #open(): Promise<void> {
    const pool = openPool(this.#options, () => {
      if (pool === this.#pool && this.#pendingCount === 0) this.discard();
    });
    this.#pool = pool;
    try {
      const reserved = await pool.reserve();
      if (pool !== this.#pool) throw new EngineBusy("The connection to the database is closed.");
      this.#reserved = reserved;
    } catch (error) {
      this.discard();
      const translated = translate(error);
      if (translated instanceof EngineBusy) throw translated;
      throw new EngineBusy("The database accepts no connection.", { cause: error });
    }
  }

  /** Closes the connection at once: every running statement fails. */
  discard(): void {
    const pool = this.#pool;
    this.#pool = undefined;
    this.#reserved = undefined;
    pool?.close({ timeout: 0 }).catch(() => {});
  }

  async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    const [row] = await this.all(statement, values);
    return row;
  }

  async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    const prepared = statementOf(statement);
    const rows = await this.query(prepared.sql, prepared.bind(values));
    return rows.map((row) => prepared.toRow(row));
  }

  /** Resolves with the number of rows that were inserted, changed or deleted. */
  async run(statement: Statement<unknown>, values: Values): Promise<number> {
    const prepared = statementOf(statement);
    const { affectedRows } = await this.query(prepared.sql, prepared.bind(values));
    return affectedRows;
  }

  /** Runs an insert; resolves with the id of the row. */
  async insert(statement: Statement<unknown>, values: Values): Promise<number> {
    const prepared = statementOf(statement);
    const [row] = await this.query(prepared.sqlReturningId, prepared.bind(values));
    return Number(row?.[0]);
  }

  /**
   * Runs SQL with parameters as texts; resolves with the values of its rows. Statements that are sent without waiting
   * run in this order, and their results arrive in one round trip.
   */
  async query(
    text: string,
    parameters: readonly (string | null)[],
  ): Promise<unknown[][] & { affectedRows: number }> {
    return this.#send((connection) => connection.unsafe(text, [...parameters]).values());
  }

  /**
   * Runs a command without parameters as a prepared statement: any other form waits for all statements before it.
   * Resolves with the server's name of the command that it ran.
   */
  async command(run: (sql: ReservedSQL) => Promise<{ command: string }>): Promise<string> {
    return (await this.#send(run)).command;
  }

  /** Begins a transaction. Its errors are also those of the next statement, so that no caller has to wait for it. */
  async begin(mode: "read write" | "read only"): Promise<void> {
    const begun = this.command((sql) =>
      (mode === "read write" ? sql`begin` : sql`begin isolation level repeatable read read only`).execute(),
    );
    if (this.#options.prepare !== false) return void (await begun);
    const settings = Object.entries(settingsOf(this.#options));
    const calls = settings.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true)`);
    await Promise.all([begun, this.query(`select ${calls}`, settings.flat())]);
  }

  /** Ends a transaction without its changes. Closes the connection when that fails. */
  async rollBack(): Promise<void> {
    if (this.isOpen) await this.command((sql) => sql`rollback`).catch(() => this.discard());
  }

  async #send<T>(run: (connection: ReservedSQL) => Promise<T>): Promise<T> {
    const connection = this.#reserved;
    if (!connection) throw new EngineBusy("The connection to the database is closed.");
    if (this.#pendingCount === 0) this.#silence.refresh();
    this.#pendingCount += 1;
    try {
      return await run(connection);
    } catch (error) {
      if (connection === this.#reserved && isConnectionLost(error)) this.discard();
      throw translate(error);
    } finally {
      this.#pendingCount -= 1;
      this.#silence.refresh();
    }
  }
}

function openPool(options: SessionOptions, onclose: () => void): SQL {
  const { url, connectMilliseconds = 2_000, prepare = true } = options;
  return new SQL({
    url,
    onclose,
    max: 1,
    bigint: true,
    prepare,
    idleTimeout: 0,
    connectionTimeout: connectMilliseconds / 1000,
    connection: { application_name: "accountd", ...(prepare && settingsOf(options)) },
  });
}

/** The settings of the server for the statements of a connection. */
function settingsOf({
  statementMilliseconds = defaultStatementMilliseconds,
  lockMilliseconds = 4_000,
  idleInTransactionMilliseconds = 4_000,
}: SessionOptions): Record<string, string> {
  return {
    statement_timeout: String(statementMilliseconds),
    idle_in_transaction_session_timeout: String(idleInTransactionMilliseconds),
    lock_timeout: String(lockMilliseconds),
    // Plans of foreign-key checks that were made while a table was empty would scan it until its first ANALYZE.
    enable_seqscan: "off",
  };
}

function silentMillisecondsOf({ silentMilliseconds, statementMilliseconds }: SessionOptions): number {
  return (
    silentMilliseconds ?? (statementMilliseconds ?? defaultStatementMilliseconds) + silentAfterMilliseconds
  );
}
