import { Database } from "bun:sqlite";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { EngineBusy } from "../errors.ts";
import { yieldToEventLoop } from "../event-loop.ts";
import type { Statement } from "../statements.ts";
import type { PreparedStatement, Values } from "./prepared.ts";

/** Reads rows. Asynchronous, although SQLite answers at once, because the next engine will not. */
export type Reader = {
  first<R>(statement: Statement<R>, values: Values): Promise<R | undefined>;
  all<R>(statement: Statement<R>, values: Values): Promise<R[]>;
};

/** Reads rows, and changes them in its transaction. */
export type Writer = Reader & {
  /** Runs a statement for its effect; resolves with the number of rows that it inserted, changed or removed. */
  run(statement: Statement<unknown>, values: Values): Promise<number>;
  /** Inserts a row; resolves with its id. For a third of the time that the row itself would take to come back. */
  insert(statement: Statement<unknown>, values: Values): Promise<number>;
  /** Lets requests that read go on, in the midst of a long change. */
  pause(): Promise<void>;
};

/** Keeps count of its statements: one that is not finalized keeps the file open after `close`. */
class TrackedDatabase extends Database {
  readonly #statements: { finalize(): void }[] = [];

  override prepare(...given: Parameters<Database["prepare"]>): never {
    const statement = super.prepare(...given);
    this.#statements.push(statement);
    // Safe: it is what the overridden method answered, whose type depends on the caller's.
    return statement as never;
  }

  override close(): void {
    for (const statement of this.#statements.splice(0)) statement.finalize();
    super.close();
  }
}

/** One open connection to the file, and the statements prepared on it. */
export class Connection implements Writer {
  readonly client: Database;
  readonly #drizzle: BunSQLiteDatabase;
  readonly #prepared = new Map<Statement<unknown>, PreparedStatement<unknown>>();
  #isAborting = false;

  /**
   * `busyTimeout` in milliseconds: how long a statement stops everything to wait for another's lock. `sealed`: for
   * a look at a file that is to stay as it is; any other connection, the last to close, moves the WAL into it.
   */
  constructor(
    file: string,
    options: { busyTimeout: number; readOnly?: boolean; create?: boolean; sealed?: boolean },
  ) {
    const mode = options.sealed ? { readonly: true } : { readwrite: true, create: options.create ?? false };
    this.client = new TrackedDatabase(file, { ...mode, strict: true });
    this.client.run(`PRAGMA busy_timeout = ${options.busyTimeout}`);
    this.client.run("PRAGMA foreign_keys = ON");
    this.client.run("PRAGMA trusted_schema = OFF");
    // 16 MiB of pages.
    this.client.run("PRAGMA cache_size = -16384");
    this.client.run("PRAGMA temp_store = MEMORY");
    if (options.readOnly) {
      this.client.run("PRAGMA query_only = ON");
      // Reads of a large file without a system call for each page.
      this.client.run("PRAGMA mmap_size = 2147418112");
    }
    this.#drizzle = drizzle({ client: this.client });
  }

  async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    return this.prepared(statement).get(values);
  }

  async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    return this.prepared(statement).all(values);
  }

  async run(statement: Statement<unknown>, values: Values): Promise<number> {
    return this.prepared(statement).run(values);
  }

  async insert(statement: Statement<unknown>, values: Values): Promise<number> {
    return this.prepared(statement).insert(values);
  }

  async pause(): Promise<void> {
    await yieldToEventLoop();
    if (this.#isAborting) throw new EngineBusy("The service is stopping.");
  }

  /** From now on a long change throws at its next pause. */
  abort(): void {
    this.#isAborting = true;
  }

  /** Runs a statement that has no inputs and answers with no rows. */
  execute(sql: string): void {
    this.client.query(sql).run();
  }

  /** The statement as this connection holds it, prepared now if it was not yet. */
  prepared<R>(statement: Statement<R>): PreparedStatement<R> {
    const known = this.#prepared.get(statement);
    // Safe: it was made from this statement.
    if (known) return known as PreparedStatement<R>;
    const prepared = statement.prepare(this.#drizzle);
    this.#prepared.set(statement, prepared);
    return prepared;
  }

  close(): void {
    this.#prepared.clear();
    this.client.close();
  }
}
