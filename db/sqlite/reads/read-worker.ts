import type { Statement } from "bun:sqlite";
import type { Value, Values } from "../../engine.ts";
import { EngineBusy, errorCode } from "../../errors.ts";
import { bind } from "../../rendering.ts";
import { Connection } from "../connection.ts";
import { type RenderedSlices, runSlices } from "./slices.ts";

/** A read is one transaction: the first statement begins it, and `end` ends it. */
export type WorkerRequest =
  | { kind: "open"; file: string }
  | (WorkerTask & { id: number; isFirst: boolean })
  | { kind: "end"; id: number }
  | { kind: "close" };
/** A statement as a whole, or in parts within a time limit. */
export type WorkerTask =
  | { kind: "statement"; sql: string; params: Value[] }
  | { kind: "slices"; slices: RenderedSlices; values: Values; maxMilliseconds: number };
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
  else if (data.kind === "end") {
    endTransaction();
    self.postMessage({ id: data.id, rows: [] } satisfies WorkerReply);
  } else if (data.kind === "close") {
    connection?.close();
    self.postMessage({ id: 0, rows: [] } satisfies WorkerReply);
  } else self.postMessage(run(data));
};

function run({ id, isFirst, ...task }: WorkerTask & { id: number; isFirst: boolean }): WorkerReply {
  try {
    connection ??= new Connection(file, { busyTimeoutMilliseconds: 250, isQueryOnly: true, isMapped: true });
    if (isFirst) connection.execute("BEGIN");
    // After SQLITE_IOERR each further statement would run on a snapshot of its own.
    if (!connection.client.inTransaction)
      throw new EngineBusy("The snapshot was lost because the disk failed.");
    return { id, rows: rowsOf(connection, task) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, error: { message, code: errorCode(error) } };
  }
}

function rowsOf({ client }: Connection, task: WorkerTask): Value[][] {
  const runSql = (sql: string, params: Value[]): Value[][] => {
    const statement = prepared.get(sql) ?? client.prepare(sql);
    prepared.set(sql, statement);
    // Safe: no column has blobs, and integers are numbers.
    return statement.values(...params) as Value[][];
  };
  if (task.kind === "statement") return runSql(task.sql, task.params);
  const { slices, values, maxMilliseconds } = task;
  const deadline = performance.now() + maxMilliseconds;
  return runSlices(slices, values, (part, input) => runSql(part.sql, bind(part, input)), { deadline });
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
