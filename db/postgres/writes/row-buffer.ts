import { getTableName } from "drizzle-orm";
import type { Values } from "../../engine.ts";
import type { RowKeyPlan } from "../../row-plans.ts";
import type { Statement } from "../../statements.ts";
import { tables } from "../../tables.ts";
import type { Session } from "../connections/session.ts";
import { type RowsQuery, statementOf } from "../prepared.ts";
import { maxRows, sendRows } from "./row-sets.ts";
import type { SentStatements } from "./sent-statements.ts";

type BufferedRows = {
  table: string;
  order: number;
  query: RowsQuery;
  rows: Values[];
  inserts: RowWithId[];
};
/** A new row with an id. `onConflict` is called if another row has its unique key. */
type RowWithId = { id: number; onConflict: () => void };

/**
 * The rows that the writes of a batch insert, update and delete. The rows of one statement are sent together, which costs the
 * server less than single statements, and before a statement that could depend on them. Which write caused an error is
 * unknown, except for a conflict of a new row with an id.
 */
export class RowBuffer {
  readonly #session: Session;
  readonly #sent: SentStatements;
  readonly #onFailure: (error: unknown) => void;
  readonly #isOfOneWrite: boolean;
  readonly #buffered = new Map<Statement<unknown>, BufferedRows>();
  /** The order of the last statement of each buffered row that has an id or a key. */
  readonly #orders = new Map<string, number>();
  /** The names of the tables of buffered deletes. */
  readonly #deletedFrom = new Set<string>();

  /** With `isOfOneWrite`, a conflict of a new row with an id is an error as any other. */
  constructor(
    session: Session,
    sent: SentStatements,
    onFailure: (error: unknown) => void,
    { isOfOneWrite = false } = {},
  ) {
    this.#session = session;
    this.#sent = sent;
    this.#onFailure = onFailure;
    this.#isOfOneWrite = isOfOneWrite;
  }

  /** Whether as many rows wait as one statement has at most. */
  get isFull(): boolean {
    return this.#buffered.values().some(({ rows }) => rows.length >= maxRows);
  }

  /** Adds a row of an insert without a conflict clause; with `insert` if its table has ids. */
  addInsert(statement: Statement<unknown>, values: Values, insert?: RowWithId): void {
    const { table = "" } = statement.insertPlan ?? {};
    // A deleted row may have the same unique key.
    if (this.#deletedFrom.has(table)) this.flush();
    const withId = this.#isOfOneWrite ? "withId" : "unlessConflict";
    const query = statementOf(statement).forRows(insert ? withId : "values");
    // Rows of referenced tables first.
    const { rows, inserts, order } = this.#rowsOf(statement, {
      table,
      query,
      order: insertOrders.get(table) ?? 0,
    });
    rows.push(insert ? { ...values, id: insert.id } : values);
    if (!insert) return;
    if (!this.#isOfOneWrite) inserts.push(insert);
    this.#orders.set(`${table} ${insert.id}`, order);
  }

  /** Adds an update or a delete. The rows are sent first if the row was changed by the same or a later statement. */
  addChange(statement: Statement<unknown>, values: Values): void {
    const { changePlan } = statement;
    const { table = "", isDelete = false } = changePlan ?? {};
    const rowKey = keyOf(changePlan, values);
    const query = statementOf(statement).forRows();
    const newOrder = () =>
      isDelete ? firstDelete - (insertOrders.get(table) ?? 0) : firstUpdate + this.#buffered.size;
    const existing = this.#buffered.get(statement);
    const last = this.#orders.get(rowKey) ?? 0;
    if (existing ? last >= existing.order : last > newOrder()) this.flush();
    const buffered = this.#rowsOf(statement, { table, query, order: newOrder() });
    buffered.rows.push(values);
    this.#orders.set(rowKey, buffered.order);
    if (isDelete) this.#deletedFrom.add(table);
  }

  #rowsOf(statement: Statement<unknown>, added: Omit<BufferedRows, "rows" | "inserts">): BufferedRows {
    const buffered = this.#buffered.get(statement) ?? { ...added, rows: [], inserts: [] };
    this.#buffered.set(statement, buffered);
    return buffered;
  }

  /** Sends the rows of all statements: inserts into referenced tables first, then updates, deletes from these tables last. */
  flush(): void {
    if (this.#buffered.size === 0) return;
    const all = [...this.#buffered.values()].sort((a, b) => a.order - b.order);
    this.#buffered.clear();
    this.#orders.clear();
    this.#deletedFrom.clear();
    for (const { query, rows, inserts } of all)
      this.#sent.add(
        sendRows(this.#session, query, rows).then(
          (returned) => reportConflicts(inserts, returned),
          this.#onFailure,
        ),
      );
  }

  /** `flush` before a statement that reads or changes a table with buffered rows, unless it reads one other row by its key. */
  flushFor(statement: Statement<unknown>, values?: Values): void {
    const { sql } = statementOf(statement);
    const { rowKey } = statement;
    const isOtherRow = rowKey && values && !this.#orders.has(keyOf(rowKey, values));
    const isConcerned = ({ table }: BufferedRows) =>
      sql.includes(`"${table}"`) && !(isOtherRow && table === rowKey.table);
    if (this.#buffered.values().some(isConcerned)) this.flush();
  }

  /**
   * `flush` before a statement that changes rows and is not buffered. An insert or an update may also refer to buffered
   * rows, and buffered rows may refer to the rows of a delete.
   */
  flushForChange(statement: Statement<unknown>): void {
    const { changedTable } = statementOf(statement);
    const referenced = referencedBy.get(changedTable ?? "");
    const isReferenced = this.#buffered.values().some(({ table }) => referenced?.has(table));
    if (!changedTable || isReferenced) this.flush();
    else this.flushFor(statement);
  }
}

/** Names a row by its key. */
export function keyOf(plan: RowKeyPlan | undefined, values: Values): string {
  return [plan?.table, ...(plan?.key ?? []).map((name) => values[name])].join(" ");
}

/** `returned` has the ids of the rows that were inserted. */
function reportConflicts(inserts: readonly RowWithId[], returned: readonly unknown[][]): void {
  if (inserts.length === returned.length) return;
  const inserted = new Set(returned.map(([id]) => Number(id)));
  for (const { id, onConflict } of inserts) if (!inserted.has(id)) onConflict();
}

/** The names of the tables that each table references. */
const referencedBy = new Map(
  tables.map(({ table, config }) => [
    getTableName(table),
    new Set<string>(config.foreignKeys.map((key) => getTableName(key.reference().foreignTable))),
  ]),
);
/** The order of inserts: a row is inserted after those that it references. */
const insertOrders = new Map(tables.map(({ table }, i) => [getTableName(table), i]));
/** The order of updates, after all inserts. */
const firstUpdate = tables.length;
/** The order of deletes, in which rows of referencing tables come first. */
const firstDelete = Number.MAX_SAFE_INTEGER;
