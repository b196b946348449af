import { Database } from "bun:sqlite";
import { constants, getPriority, setPriority } from "node:os";
import type { Value } from "../../engine.ts";
import { errorCode } from "../../errors.ts";
import { configure } from "../connection.ts";

/** A read is one transaction: its first statement names the file and begins it, and `end` ends it. */
export type ReaderRequest = { sql: string; params: readonly Value[]; file?: string | undefined } | "end";
/** The rows as JSON text, which is faster than structured clones. No column has infinities. */
export type ReaderReply = string | { message: string; code: string };

/** Added to the niceness of the serving process, which gets the processor first. To lower it needs a privilege. */
const addedNiceness = 5;
/** Pages come from the memory map, which all processes share, so that the cache can be small. */
const settings = { busyTimeoutMilliseconds: 250, isQueryOnly: true, isMapped: true, cacheKibibytes: 2_048 };
/** The length of a reply whose rows and texts are collected at once: the process may be idle afterwards. */
const largeReplyLength = 262_144;

/** The main function of a reader process, which runs statements for the process that started it until that one ends. */
export function runReader(): void {
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + addedNiceness));
  // A signal to the whole group of processes is for the server, which answers the running reads before it ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  process.on("disconnect", () => process.exit());
  const runner = new StatementRunner();
  process.on("message", (request: ReaderRequest) => {
    const reply = runner.answer(request);
    process.send?.(reply);
    if (typeof reply === "string" && reply.length > largeReplyLength) setImmediate(() => Bun.gc(true));
  });
}

class StatementRunner {
  #client: Database | undefined;

  answer(request: ReaderRequest): ReaderReply {
    try {
      return JSON.stringify(request === "end" ? this.#end() : this.#run(request));
    } catch (error) {
      return { message: error instanceof Error ? error.message : String(error), code: errorCode(error) };
    }
  }

  #run({ sql, params, file }: Exclude<ReaderRequest, "end">): unknown[][] {
    if (file !== undefined) this.#begin(file);
    const client = this.#client;
    // After SQLITE_IOERR each further statement would run on a snapshot of its own.
    if (!client?.inTransaction)
      throw Object.assign(new Error("The snapshot was lost because the disk failed."), {
        code: "ENGINE_BUSY",
      });
    using statement = client.prepare(sql);
    return statement.values(...params);
  }

  #end(): [] {
    // SQLite itself ends the transaction when the disk failed.
    if (this.#client?.inTransaction) this.#client.run("ROLLBACK");
    return [];
  }

  #begin(file: string): void {
    if (!this.#client) {
      // Read-only: the file and its WAL stay as they are, also when no other process has them open any more.
      this.#client = new Database(file, { readonly: true, strict: true });
      configure(this.#client, settings);
    }
    this.#client.run("BEGIN");
  }
}

// From source, this file is the program; in the binary, `src/main.ts` calls `runReader`.
if (import.meta.main && import.meta.url.endsWith("reader.ts")) runReader();
