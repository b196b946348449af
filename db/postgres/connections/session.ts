import type { ReservedSQL, SQL } from "bun";
import type { Values } from "../../engine.ts";
import { EngineBusy } from "../../errors.ts";
import type { Statement } from "../../statements.ts";
import { requestTimeoutMilliseconds } from "../../timer.ts";
import { isConnectionLost, isReadOnly, translate } from "../errors.ts";
import { statementOf } from "../prepared.ts";
import { closePool, maxSilentMilliseconds } from "./hosts.ts";
import { openPool, type SessionOptions, settingsOf } from "./session-options.ts";
import type { TlsOptions } from "./tls.ts";

/** The time in which a host accepts a connection. */
const maxConnectMilliseconds = 2_000;

/**
 * One connection, which is opened when it is needed and again after it was lost. It does not change within a
 * transaction: after a loss every statement fails until the next `connect`.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #silence: Timer;
  #pool: SQL | undefined;
  #reserved: ReservedSQL | undefined;
  #generation = 0;
  #connecting: Promise<void> | undefined;
  #attempt: AbortController | undefined;
  #pendingCount = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { statementMilliseconds = requestTimeoutMilliseconds } = options;
    // No timeout of the driver ends a statement whose connection was dropped silently. The server ends a slow one before.
    this.#silence = setTimeout(() => {
      if (this.#pendingCount > 0) this.discard();
    }, statementMilliseconds + maxSilentMilliseconds).unref();
  }

  /** Whether the settings are set once for the connection, not in each transaction. */
  get hasSessionSettings(): boolean {
    return this.#options.prepare !== false;
  }

  get isOpen(): boolean {
    return this.#reserved !== undefined;
  }

  /**
   * Opens the connection unless it is open, and again after one of several hosts has become a standby. Throws
   * EngineBusy when no host accepts the connection.
   */
  async connect(): Promise<void> {
    if (this.#reserved && this.#generation === this.#options.hosts.generation) return;
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    await this.#connecting;
  }

  async #open(): Promise<void> {
    this.discard();
    const { hosts } = this.#options;
    const attempt = new AbortController();
    this.#attempt = attempt;
    const open = (host: TlsOptions): SQL => {
      const pool = openPool(this.#options, host, () => {
        if (pool === this.#pool && this.#pendingCount === 0) this.discard();
      });
      return pool;
    };
    try {
      this.#generation = hosts.generation;
      const { pool, connection } = await hosts.connect({
        openPool: open,
        milliseconds: maxConnectMilliseconds,
        signal: attempt.signal,
      });
      if (attempt !== this.#attempt) {
        closePool(pool);
        throw new EngineBusy("The connection to the database is closed.");
      }
      this.#pool = pool;
      this.#reserved = connection;
    } catch (error) {
      const translated = translate(error);
      if (translated instanceof EngineBusy) throw translated;
      const reason = error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
      throw new EngineBusy(`The database accepts no connection: ${reason}.`, { cause: error });
    }
  }

  /** Closes the connection at once: every running statement fails. */
  discard(): void {
    const pool = this.#pool;
    this.#pool = undefined;
    this.#reserved = undefined;
    this.#attempt?.abort();
    this.#attempt = undefined;
    if (pool) closePool(pool);
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

  /** Runs a statement; resolves with the number of rows that were inserted, changed or deleted. */
  async count(statement: Statement<unknown>, values: Values): Promise<number> {
    const prepared = statementOf(statement);
    const { affectedRows } = await this.query(prepared.sql, prepared.bind(values));
    return affectedRows;
  }

  async insert(statement: Statement<unknown>, values: Values, id: number): Promise<void> {
    const query = statementOf(statement).forRows("withId");
    await this.query(...query.queryOf([{ ...values, id }]));
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

  /** Begins a transaction. Callers need not await it: after a failed BEGIN, close the session. */
  async begin(mode: "read write" | "read only"): Promise<void> {
    const isWrite = mode === "read write";
    if (this.hasSessionSettings)
      return void (await this.command((sql) =>
        (isWrite ? sql`begin` : sql`begin isolation level repeatable read read only`).execute(),
      ));
    // In one message: the connection can be lost between two. After an error, the limits of the transaction stay
    // because of the savepoint.
    const settings = Object.entries(settingsOf(this.#options)).map(
      ([name, value]) => `; set local ${name} = ${value}`,
    );
    const begin = isWrite ? "begin" : "begin isolation level repeatable read read only";
    await this.#send((connection) =>
      connection.unsafe(`${begin}${settings.join("")}; savepoint limits`).simple(),
    );
  }

  /** Runs statements of the open transaction with another time limit for each. */
  async withStatementLimit<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    const limit = (value: string) => this.query("select set_config('statement_timeout', $1, true)", [value]);
    const { statement_timeout = "0" } = settingsOf(this.#options);
    const sent = await Promise.allSettled([limit(String(milliseconds)), work(), limit(statement_timeout)]);
    // Those after a failed statement fail, too.
    const [begun, result] = sent;
    if (begun.status === "rejected") throw begun.reason;
    if (result.status === "rejected") throw result.reason;
    return result.value;
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
      if (isReadOnly(error)) this.#options.hosts.markReadOnly(this.#generation);
      if (connection === this.#reserved && isConnectionLost(error)) this.discard();
      throw translate(error);
    } finally {
      this.#pendingCount -= 1;
      this.#silence.refresh();
    }
  }
}
