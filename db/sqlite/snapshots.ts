import type { Statement } from "../statements.ts";
import type { Connection, Reader } from "./connection.ts";
import type { Values } from "./prepared.ts";

/**
 * Reads of what is committed. All reads in one turn of the event loop, of whichever requests, share one
 * read transaction: they see one moment of the database, and the file is locked once instead of for each
 * statement, which costs more than most of the statements themselves.
 */
export class SnapshotReader implements Reader {
  readonly #connection: Connection;
  #closed = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    this.#begin();
    return this.#connection.prepared(statement).get(values);
  }

  async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    this.#begin();
    return this.#connection.prepared(statement).all(values);
  }

  /** Throws when the file cannot be read. */
  async ping(): Promise<void> {
    this.#connection.execute("SELECT count(*) FROM sqlite_schema");
  }

  /**
   * Lets the moment go, so that the next read sees the present. Called before every commit of this process:
   * who is told of a change must be able to read it, and an old moment would keep the WAL from being reset.
   */
  end(): void {
    if (this.#closed) return;
    // Asked of SQLite, which ends a transaction itself when the disk fails under it.
    if (this.#connection.client.inTransaction) this.#connection.execute("COMMIT");
  }

  close(): void {
    this.end();
    this.#closed = true;
    this.#connection.close();
  }

  #begin(): void {
    if (this.#connection.client.inTransaction) return;
    this.#connection.execute("BEGIN");
    setImmediate(() => this.end());
  }
}
