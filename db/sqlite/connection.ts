import { Database } from "bun:sqlite";
import type { Values } from "../engine.ts";
import type { Statement } from "../statements.ts";
import { type ClientSettings, configure } from "./client.ts";
import type { DamageMonitor } from "./errors.ts";
import { PreparedStatement } from "./prepared.ts";

export type ConnectionOptions = ClientSettings & {
  canCreate?: boolean;
  /** Opens the file read-only. Otherwise, closing the last connection moves the WAL into the file. */
  isReadOnlyFile?: boolean;
  monitor?: DamageMonitor;
};

/** More than the statements with names: lists have one for each shape of a request. */
const maxPreparedStatements = 2_000;

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
  readonly #prepared = new Map<Statement<unknown>, PreparedStatement<unknown>>();
  readonly #commands = new Map<string, { run(): unknown }>();

  constructor(file: string, options: ConnectionOptions) {
    const mode = options.isReadOnlyFile
      ? { readonly: true }
      : { readwrite: true, create: options.canCreate ?? false };
    this.#monitor = options.monitor;
    this.#tracked = new TrackedDatabase(file, { ...mode, strict: true });
    this.client = this.#tracked;
    configure(this.client, options);
  }

  first<R>(statement: Statement<R>, values: Values): R | undefined {
    return this.#translating(() => this.#prepare(statement).first(values));
  }

  all<R>(statement: Statement<R>, values: Values): R[] {
    return this.#translating(() => this.#prepare(statement).all(values));
  }

  /** Returns the number of rows that were inserted, changed or deleted. */
  run(statement: Statement<unknown>, values: Values): number {
    return this.#translating(() => this.#prepare(statement).run(values).changes);
  }

  /** Runs an insert; returns the id of the row. */
  insert(statement: Statement<unknown>, values: Values): number {
    return this.#translating(() => Number(this.#prepare(statement).run(values).lastInsertRowid));
  }

  /** Runs SQL that has no inputs and returns no rows. */
  execute(sql: string): void {
    this.#translating(() => {
      const command = this.#commands.get(sql) ?? this.client.prepare(sql);
      this.#commands.set(sql, command);
      command.run();
    });
  }

  close(): void {
    this.#prepared.clear();
    this.#commands.clear();
    this.client.close();
  }

  #prepare<R>(statement: Statement<R>): PreparedStatement<R> {
    const cached = this.#prepared.get(statement);
    // Safe: it was made from this statement.
    if (cached) return cached as PreparedStatement<R>;
    const [oldest] = this.#prepared;
    if (oldest && this.#prepared.size >= maxPreparedStatements) {
      this.#tracked.finalize(oldest[1].native);
      this.#prepared.delete(oldest[0]);
    }
    const prepared = new PreparedStatement<R>(this.client, statement);
    this.#prepared.set(statement, prepared);
    return prepared;
  }

  #translating<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw this.#monitor ? this.#monitor.translate(error) : error;
    }
  }
}
