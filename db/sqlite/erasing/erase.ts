import { closeSync, openSync, statSync } from "node:fs";
import { EraseBlocked, isBusy } from "../../errors.ts";
import { retryMilliseconds } from "../../timer.ts";
import type { Connection } from "../connection.ts";
import { ErasePass } from "./erase-pass.ts";

/** `blocked`: another program reads or writes, so that nothing was erased. */
export type EraseResult = "done" | "more" | "blocked";

type RunErase = (erase: (connection: Connection) => EraseResult) => Promise<EraseResult>;
/** A pass, and its part that runs now. */
type SharedPass = {
  pages: ErasePass;
  state: "running" | "done" | "failed";
  part: Promise<EraseResult> | undefined;
  /** The time since which each part was blocked. */
  blockedSince: number | undefined;
};

/**
 * Erases what deleted rows left in the database file. With `secure_delete`, SQLite zeroes a row that is deleted, but
 * not the copy that stays in the unused part of a page when it moves rows to another page.
 */
export class Eraser {
  readonly #file: string;
  readonly #run: RunErase;
  #pass: SharedPass | undefined;
  #descriptor: number | undefined;

  /** `run` calls its argument with the connection for writing, outside a transaction. */
  constructor(file: string, run: RunErase) {
    this.#file = file;
    this.#run = run;
  }

  /**
   * Returns a function that erases one part of the file at each call, and resolves with whether there is more. Overlapping
   * calls share one pass, which also erases what commits during it leave. After an error, the next call begins at the first
   * part. Throws EraseBlocked when parts were blocked for the time; a later call goes on.
   */
  start(maxBlockedMilliseconds = Number.POSITIVE_INFINITY): () => Promise<boolean> {
    let joined: SharedPass | undefined;
    let blockedMilliseconds = 0;
    return async () => {
      if (!joined || joined.state === "failed") {
        this.#pass ??= {
          pages: new ErasePass(this.#file),
          state: "running",
          part: undefined,
          blockedSince: undefined,
        };
        joined = this.#pass;
      }
      const pass = joined;
      if (pass.state === "running") {
        const start = performance.now();
        pass.part ??= this.#runPart(pass).finally(() => {
          pass.part = undefined;
        });
        if ((await pass.part) === "blocked") {
          const now = performance.now();
          pass.blockedSince ??= start;
          blockedMilliseconds += now - start;
          if (Math.max(blockedMilliseconds, now - pass.blockedSince) >= maxBlockedMilliseconds)
            throw new EraseBlocked("Another program reads or writes the file.");
        } else pass.blockedSince = undefined;
      }
      if (pass.state === "done") joined = undefined;
      return pass.state !== "done";
    };
  }

  /** Call it after each commit of this process. */
  onCommit(): void {
    this.#pass?.pages.changes.collect();
  }

  /** Call it after the connections are closed: closing a file releases the locks that they have on it. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  async #runPart(pass: SharedPass): Promise<EraseResult> {
    const result = await this.#run((connection) => {
      let result: EraseResult | undefined;
      try {
        result = this.erasePart(connection, pass.pages);
        return result;
      } finally {
        // Now, before the next commit: this pass does not erase its pages.
        if (result === "done" || !result) {
          pass.state = result ?? "failed";
          this.#pass = undefined;
        }
      }
    });
    if (result === "blocked") await Bun.sleep(retryMilliseconds);
    return result;
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
