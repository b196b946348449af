import { closeSync, openSync, statSync } from "node:fs";
import { isBusy } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { ErasePass } from "./erase-pass.ts";

/** `blocked`: another program reads or writes, so that nothing was erased. */
export type EraseResult = "done" | "more" | "blocked";

/**
 * Erases what deleted rows left in the database file. With `secure_delete`, SQLite zeroes a row that is deleted, but
 * not the copy that stays in the unused part of a page when it moves rows to another page.
 */
export class Eraser {
  readonly #file: string;
  readonly #passes = new Set<ErasePass>();
  #descriptor: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Returns a function that erases one part of the file at each call, on the connection for writing, outside a
   * transaction. When it throws, the next call begins at the first part.
   */
  start(): (connection: Connection) => EraseResult {
    let pass: ErasePass | undefined;
    return (connection) => {
      const current = pass ?? new ErasePass(this.#file);
      pass = undefined;
      this.#passes.add(current);
      let result: EraseResult = "done";
      try {
        result = this.erasePart(connection, current);
        if (result !== "done") pass = current;
      } finally {
        if (!pass) this.#passes.delete(current);
      }
      return result;
    };
  }

  /** Call it after each commit of this process. */
  onCommit(): void {
    for (const pass of this.#passes) pass.changes.collect();
  }

  /** Call it after the connections are closed: closing a file releases the locks that they have on it. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  protected erasePart(connection: Connection, pass: ErasePass): EraseResult {
    // Of other processes.
    pass.changes.collect();
    if (!emptyWal(connection) || !hasBegun(connection)) return "blocked";
    try {
      // With the lock and an empty WAL, no process can change the file.
      if (statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size) return "blocked";
      this.#descriptor ??= openSync(this.#file, "r+");
      return pass.erasePart(this.#descriptor) ? "more" : "done";
    } finally {
      connection.execute("ROLLBACK");
      // The connection's copies of these pages would bring back what was erased.
      connection.execute("PRAGMA shrink_memory");
    }
  }
}

/** Moves the WAL into the file and truncates it. Returns false when a reader prevents it. */
function emptyWal(connection: Connection): boolean {
  const result = connection.client.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get();
  return result?.busy === 0;
}

/** Takes the write lock. Returns false when another process has it. */
function hasBegun(connection: Connection): boolean {
  try {
    connection.execute("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
