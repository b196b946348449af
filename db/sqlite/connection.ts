import { constants, Database, type Statement as NativeStatement } from "bun:sqlite";
import { pathToFileURL } from "node:url";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Values } from "../engine.ts";
import { RenderedQuery, toRow } from "../rendering.ts";
import { maxCachedStatements, type Statement } from "../statements.ts";
import type { DamageMonitor } from "./errors.ts";

type ClientSettings = {
  /** The time for which a statement blocks the event loop while another process has the lock. */
  busyTimeoutMilliseconds: number;
  isQueryOnly?: boolean;
  /** Reads pages through a memory map of the file instead of system calls. The first read after a commit renews it. */
  isMapped?: boolean;
  /** KiB of pages. Default: 16 MiB. */
  cacheKibibytes?: number;
};

/** Sets what a connection needs before its first statement. */
export function configure(client: Database, settings: ClientSettings): void {
  const { busyTimeoutMilliseconds, cacheKibibytes = 16_384 } = settings;
  client.run(`PRAGMA busy_timeout = ${busyTimeoutMilliseconds}`);
  client.run("PRAGMA foreign_keys = ON");
  client.run("PRAGMA trusted_schema = OFF");
  client.run(`PRAGMA cache_size = -${cacheKibibytes}`);
  client.run("PRAGMA temp_store = MEMORY");
  if (settings.isQueryOnly) client.run("PRAGMA query_only = ON");
  if (settings.isMapped) client.run("PRAGMA mmap_size = 2147418112");
}

export type ConnectionOptions = ClientSettings & {
  canCreate?: boolean;
  /** Opens the file read-only. Otherwise, closing the last connection moves the WAL into the file. */
  isReadOnlyFile?: boolean;
  /** Reads the file alone, without a WAL, its index and locks. Called on `close`; it throws if the file was changed. */
  assertUnchanged?: (() => void) | undefined;
  monitor?: DamageMonitor;
};

const dialect = new SQLiteSyncDialect();
const rendered = new WeakMap<Statement<unknown>, RenderedQuery>();

/** The statement in the SQL of SQLite, rendered once for all connections. */
export function render(statement: Statement<unknown>): RenderedQuery {
  return rendered.getOrInsertComputed(statement, () => new RenderedQuery(dialect, "sqlite", statement.build));
}

/**
 * A statement prepared on one connection. It runs without Drizzle, whose execution looks up conversions at every run. The
 * look-up costs more than the run, and no column of the schema converts its values.
 */
type PreparedStatement = { readonly native: NativeStatement; readonly query: RenderedQuery };

/** The parameter `immutable` needs a URI. */
const immutableFlags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;

/** Finalizes its statements on `close`: one that is not finalized keeps the file open. */
class TrackedDatabase extends Database {
  readonly #statements = new Set<{ finalize(): void }>();

  override prepare(...parameters: Parameters<Database["prepare"]>): never {
    const statement = super.prepare(...parameters);
    this.#statements.add(statement);
    // Safe: the result of the overridden method, whose type depends on the caller's type parameters.
    return statement as never;
  }

  override close(): void {
    for (const statement of this.#statements) statement.finalize();
    this.#statements.clear();
    super.close();
  }

  finalize(statement: { finalize(): void }): void {
    this.#statements.delete(statement);
    statement.finalize();
  }
}

/** One open connection to the file, and the statements prepared on it. */
export class Connection {
  readonly client: Database;
  readonly #tracked: TrackedDatabase;
  readonly #monitor: DamageMonitor | undefined;
  readonly #assertUnchanged: (() => void) | undefined;
  readonly #prepared = new Map<Statement<unknown>, PreparedStatement>();
  readonly #commands = new Map<string, { run(): unknown }>();
  /** The number of statements that `run` has run. */
  runCount = 0;

  constructor(file: string, options: ConnectionOptions) {
    const mode = options.isReadOnlyFile
      ? { readonly: true }
      : { readwrite: true, create: options.canCreate ?? false };
    this.#monitor = options.monitor;
    this.#assertUnchanged = options.assertUnchanged;
    this.#tracked = options.assertUnchanged
      ? new TrackedDatabase(`${pathToFileURL(file).href}?immutable=1`, immutableFlags)
      : new TrackedDatabase(file, { ...mode, strict: true });
    this.client = this.#tracked;
    configure(this.client, options);
  }

  first<R>(statement: Statement<R>, values: Values): R | undefined {
    return this.all(statement, values)[0];
  }

  all<R>(statement: Statement<R>, values: Values): R[] {
    try {
      const { native, query } = this.#prepare(statement);
      return native.values(...query.bind(values)).map((row) => toRow(statement, row));
    } catch (error) {
      throw this.#translate(error);
    }
  }

  /** Returns the number of rows that were inserted, changed or deleted, and the id of an inserted row. */
  run(statement: Statement<unknown>, values: Values): { changes: number; lastInsertRowid: number | bigint } {
    try {
      const { native, query } = this.#prepare(statement);
      const result = native.run(...query.bind(values));
      this.runCount += 1;
      return result;
    } catch (error) {
      throw this.#translate(error);
    }
  }

  /** Runs SQL that has no inputs and returns no rows. */
  execute(sql: string): void {
    try {
      this.#commands.getOrInsertComputed(sql, () => this.client.prepare(sql)).run();
    } catch (error) {
      throw this.#translate(error);
    }
  }

  close(): void {
    this.#prepared.clear();
    this.#commands.clear();
    this.client.close();
    this.#assertUnchanged?.();
  }

  #prepare(statement: Statement<unknown>): PreparedStatement {
    const cached = this.#prepared.get(statement);
    if (cached) return cached;
    const [oldest] = this.#prepared;
    if (oldest && this.#prepared.size >= maxCachedStatements) {
      this.#tracked.finalize(oldest[1].native);
      this.#prepared.delete(oldest[0]);
    }
    const query = render(statement);
    const prepared = { native: this.client.prepare(query.sql), query };
    this.#prepared.set(statement, prepared);
    return prepared;
  }

  #translate(error: unknown): unknown {
    return this.#monitor ? this.#monitor.translate(error) : error;
  }
}
