import type { Statement } from "bun:sqlite";
import type { Value } from "../engine.ts";
import { errorCode } from "../errors.ts";
import { Connection } from "./connection.ts";

/** A statement of a read; the first one begins a transaction, and `end` ends it. */
export type WorkerRequest =
  | { kind: "open"; file: string }
  | { kind: "statement"; id: number; sql: string; params: Value[] }
  | { kind: "end" }
  | { kind: "close" };
/** The reply to the statement with this id. */
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
  else if (data.kind === "statement") self.postMessage(run(data.id, data.sql, data.params));
  else if (data.kind === "end") endTransaction();
  else {
    connection?.close();
    self.postMessage({ id: 0, rows: [] } satisfies WorkerReply);
  }
};

function run(id: number, sql: string, params: Value[]): WorkerReply {
  try {
    connection ??= new Connection(file, { busyTimeoutMilliseconds: 250, readOnly: true });
    if (!connection.client.inTransaction) connection.execute("BEGIN");
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
    // The transaction only read; the next BEGIN fails if the connection is unusable, and its reader gets the error.
  }
}
