import type { Statement } from "bun:sqlite";
import type { Value } from "../engine.ts";
import { EngineBusy, errorCode } from "../errors.ts";
import { Connection } from "./connection.ts";

/** A read is one transaction: the first statement begins it, and `end` ends it. */
export type WorkerRequest =
  | { kind: "open"; file: string }
  | { kind: "statement"; id: number; isFirst: boolean; sql: string; params: Value[] }
  | { kind: "end"; id: number }
  | { kind: "close" };
/** The reply to the request with this id. */
export type WorkerReply = { id: number } & (
  | { rows: unknown[][] }
  | { error: { message: string; code: string } }
);

declare const self: Worker;
let file = "";
let connection: Connection | undefined;
const prepared = new Map<string, Statement>();

/** The entry point of a worker thread that runs slow reads on its own connection. */
self.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
  if (data.kind === "open") file = data.file;
  else if (data.kind === "statement") self.postMessage(run(data));
  else if (data.kind === "end") {
    endTransaction();
    self.postMessage({ id: data.id, rows: [] } satisfies WorkerReply);
  } else {
    connection?.close();
    self.postMessage({ id: 0, rows: [] } satisfies WorkerReply);
  }
};

function run({ id, isFirst, sql, params }: WorkerRequest & { kind: "statement" }): WorkerReply {
  try {
    connection ??= new Connection(file, { busyTimeoutMilliseconds: 250, isQueryOnly: true });
    if (isFirst) connection.execute("BEGIN");
    // After SQLITE_IOERR each further statement would run on a snapshot of its own.
    if (!connection.client.inTransaction)
      throw new EngineBusy("The snapshot was lost because the disk failed.");
    const statement = prepared.get(sql) ?? connection.client.prepare(sql);
    prepared.set(sql, statement);
    return { id, rows: statement.values(...params) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, error: { message, code: errorCode(error) } };
  }
}

function endTransaction(): void {
  // SQLite itself ends the transaction when the disk failed.
  if (!connection?.client.inTransaction) return;
  try {
    connection.execute("COMMIT");
  } catch {
    // It only read. Without this, the next BEGIN fails; if this fails, its reader gets the error.
    try {
      connection.execute("ROLLBACK");
    } catch {}
  }
}
