import { getTableName } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Values } from "../../engine.ts";
import * as schema from "../../schema.ts";
import type { Statement } from "../../statements.ts";
import type { Session } from "../connections/session.ts";
import { statementOf } from "../prepared.ts";
import { maxRows, sendRows } from "./insert-all.ts";

type BufferedRows = { table: string; hasIds: boolean; rows: (string | null)[][] };

/**
 * The rows that the writes of a batch insert. The rows of one statement are sent together, which costs the server less
 * than single inserts. They are sent before a statement that could depend on them. The write that caused an error is
 * unknown then.
 */
export class InsertBuffer {
  readonly #session: Session;
  readonly #onFailure: (error: unknown) => void;
  readonly #buffered = new Map<Statement<unknown>, BufferedRows>();
  /** None rejects. */
  readonly #sent: Promise<void>[] = [];

  constructor(session: Session, onFailure: (error: unknown) => void) {
    this.#session = session;
    this.#onFailure = onFailure;
  }

  /** Whether as many rows wait as one statement has at most. */
  get isFull(): boolean {
    return this.#buffered.values().some(({ rows }) => rows.length >= maxRows);
  }

  /** Adds a row of an insert without a conflict clause. `id` is the id of the row if its table has ids. */
  add(statement: Statement<unknown>, values: Values, id?: number): void {
    const row = statementOf(statement).bindRow(values, id);
    const buffered = this.#buffered.get(statement);
    if (buffered) return void buffered.rows.push(row);
    const { table = "" } = statement.insertPlan ?? {};
    this.#buffered.set(statement, { table, hasIds: id !== undefined, rows: [row] });
  }

  /** Sends the rows of all statements, rows of referenced tables first. */
  flush(): void {
    if (this.#buffered.size === 0) return;
    const depthOf = (table: string) => depths.get(table) ?? 0;
    const all = [...this.#buffered].sort(([, a], [, b]) => depthOf(a.table) - depthOf(b.table));
    this.#buffered.clear();
    for (const [statement, { rows, hasIds }] of all) {
      const sent = sendRows(this.#session, statement, rows, { hasIds });
      this.#sent.push(sent.then(() => {}, this.#onFailure));
    }
  }

  /** `flush` before a statement that reads or changes a table with buffered rows. */
  flushFor(statement: Statement<unknown>): void {
    const { sql } = statementOf(statement);
    if (this.#buffered.values().some(({ table }) => sql.includes(`"${table}"`))) this.flush();
  }

  /** `flush` before an update, which may also refer to buffered rows. */
  flushForUpdate(statement: Statement<unknown>): void {
    if (this.#buffered.values().some(({ table }) => referencedTables.has(table))) this.flush();
    else this.flushFor(statement);
  }

  /** Waits for all rows that were sent. */
  async settle(): Promise<void> {
    await Promise.all(this.#sent.splice(0));
  }
}

const tables: SQLiteTable[] = Object.values(schema).filter((value) => value instanceof SQLiteTable);
const referencesOf = (table: SQLiteTable) =>
  getTableConfig(table).foreignKeys.map((key) => key.reference().foreignTable);
const referencedTables = new Set<string>(tables.flatMap((table) => referencesOf(table).map(getTableName)));
/** How many tables each table references one after another: a row is inserted after those that it references. */
const depths = new Map(tables.map((table) => [getTableName(table), depthOf(table)]));

function depthOf(table: SQLiteTable): number {
  return Math.max(0, ...referencesOf(table).map((referenced) => 1 + depthOf(referenced)));
}
