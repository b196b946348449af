import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Value, Values } from "../engine.ts";
import { RenderedQuery, toRow } from "../rendering.ts";
import type { RowForm } from "../row-plans.ts";
import type { Statement } from "../statements.ts";
import { rareTableOf } from "./writes/rare-tables.ts";

/** The dialect of a statement for several rows: its inputs are columns of `source`. */
class RowsDialect extends PgDialect {
  override escapeParam(index: number): string {
    return `source.input_${index}`;
  }
}

const dialect = new PgDialect();
const rowsDialect = new RowsDialect();
const sourceMark = "source_rows";

/**
 * An insert, an update or a delete for several rows, with an array of values for each input. For one row, its inputs are values:
 * PostgreSQL plans a statement with arrays again at each execution, because their lengths differ.
 */
export class RowsQuery {
  readonly sql: string;
  readonly #query: RenderedQuery;
  readonly #ofOneRow: RenderedQuery;

  constructor(build: (source: SQL) => SQL) {
    this.#ofOneRow = new RenderedQuery(dialect, "postgres", () => build(sql.raw("(select) as source")));
    this.#query = new RenderedQuery(rowsDialect, "postgres", () => build(sql.raw(sourceMark)));
    const inputs = this.#query.inputs.map((_, i) => [`cast($${i + 1} as text[])`, `input_${i}`] as const);
    const arrays = inputs.map(([array]) => array).join();
    const source = `unnest(${arrays}) as source (${inputs.map(([, name]) => name).join()})`;
    this.sql = this.#query.sql.replace(sourceMark, () => source);
  }

  /** The statement for these rows, and its parameters. Throws when an input has no value. */
  queryOf(rows: readonly Values[]): [sql: string, parameters: (string | null)[]] {
    const [row] = rows;
    if (row && rows.length === 1) return [this.#ofOneRow.sql, bindTexts(this.#ofOneRow, row)];
    return [this.sql, this.#query.bindColumns(rows).map(arrayOf)];
  }
}

/** An array, as PostgreSQL reads it: the elements as in JSON, if no text has a character with an escape of JSON alone. */
export function arrayOf(values: readonly Value[]): string {
  const json = JSON.stringify(values);
  const hasOtherEscape = /\\[^"\\]/.test(json);
  return `{${hasOtherEscape ? values.map(elementOf).join() : json.slice(1, -1)}}`;
}

function elementOf(value: Value): string {
  return typeof value === "string" ? `"${value.replace(/["\\]/g, "\\$&")}"` : String(value);
}

/** The text of a statement for PostgreSQL, its parameters, and the conversion of its rows. */
export class PostgresStatement<R> {
  readonly sql: string;
  readonly isRead: boolean;
  /** The table in which it inserts or updates rows. Undefined of a delete that is not buffered. */
  readonly changedTable: string | undefined;
  /** See `rareTableOf`. */
  readonly rareTable: string | undefined;
  readonly #statement: Statement<R>;
  readonly #query: RenderedQuery;
  readonly #forRows = new Map<RowForm, RowsQuery>();

  constructor(statement: Statement<R>) {
    this.#statement = statement;
    this.#query = new RenderedQuery(dialect, "postgres", statement.build);
    this.sql = this.#query.sql;
    this.isRead = this.sql.startsWith("select ");
    [, this.changedTable] = /^(?:insert into|update) "(\w+)"/.exec(this.sql) ?? [];
    this.rareTable = rareTableOf(this.sql);
  }

  /** The parameters. Throws when an input has no value. */
  bind(values: Values): (string | null)[] {
    return bindTexts(this.#query, values);
  }

  /** The statement for several rows. */
  forRows(form: RowForm = "values"): RowsQuery {
    return this.#forRows.getOrInsertComputed(form, () => {
      const { insertPlan, changePlan } = this.#statement;
      const plan = insertPlan ?? changePlan;
      if (!plan) throw new Error(`not a statement for several rows: ${this.sql}`);
      return new RowsQuery((source) => plan.build(source, form));
    });
  }

  toRow(values: unknown[]): R {
    // The driver returns 64-bit integers as BigInt.
    const numbers = values.map((value) => (typeof value === "bigint" ? Number(value) : value));
    return toRow(this.#statement, numbers);
  }
}

/**
 * Parameters as texts: the driver would derive the type of a number from its value, and PostgreSQL would round a
 * fraction to an integer.
 */
function bindTexts(query: RenderedQuery, values: Values): (string | null)[] {
  return query.bind(values).map((value) => (value === null ? null : String(value)));
}

const statementCache = new WeakMap<Statement<unknown>, PostgresStatement<unknown>>();

/** Renders a statement once for all connections. */
export function statementOf<R>(statement: Statement<R>): PostgresStatement<R> {
  const prepared = statementCache.getOrInsertComputed(statement, () => new PostgresStatement(statement));
  // Safe: it was made from this statement.
  return prepared as PostgresStatement<R>;
}
