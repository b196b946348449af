import { PgDialect } from "drizzle-orm/pg-core";
import type { Values } from "../engine.ts";
import { RenderedQuery, toRow } from "../rendering.ts";
import type { Statement } from "../statements.ts";
import { rareTableOf } from "./writes/rare-tables.ts";

const dialect = new PgDialect();

/** The text of a statement for PostgreSQL, its parameters, and the conversion of its rows. */
export class PostgresStatement<R> {
  readonly sql: string;
  readonly isRead: boolean;
  readonly isUpdate: boolean;
  /** See `rareTableOf`. */
  readonly rareTable: string | undefined;
  readonly #statement: Statement<R>;
  readonly #query: RenderedQuery;
  readonly #rowInserts = new Map<string, RenderedQuery>();

  constructor(statement: Statement<R>) {
    this.#statement = statement;
    this.#query = new RenderedQuery(dialect, "postgres", statement.build);
    this.sql = this.#query.sql;
    this.isRead = this.sql.startsWith("select ");
    this.isUpdate = this.sql.startsWith("update ");
    this.rareTable = rareTableOf(this.sql);
  }

  /** The parameters. Throws when an input has no value. */
  bind(values: Values): (string | null)[] {
    return bindTexts(this.#query, values);
  }

  /** Of an insert: its text for a number of rows. Its parameters: `bindRow` of each row. */
  sqlOfRows(rowCount: number, hasIds: boolean): string {
    return this.#rowInsert(rowCount, hasIds).sql;
  }

  /** The parameters of a row of `sqlOfRows`. Throws when an input has no value. */
  bindRow(values: Values, id?: number): (string | null)[] {
    if (id === undefined) return this.bind(values);
    return bindTexts(this.#rowInsert(1, true), { ...values, id });
  }

  #rowInsert(rowCount: number, hasIds: boolean): RenderedQuery {
    const { insertPlan } = this.#statement;
    if (!insertPlan) throw new Error(`not an insert of values: ${this.sql}`);
    const key = `${rowCount} ${hasIds}`;
    const build = () => insertPlan.build(rowCount, hasIds);
    const query = this.#rowInserts.get(key) ?? new RenderedQuery(dialect, "postgres", build);
    this.#rowInserts.set(key, query);
    return query;
  }

  toRow(values: unknown[]): R {
    return toRow(this.#statement, values.map(numberOf));
  }
}

/**
 * Parameters as texts: the driver would derive the type of a number from its value, and PostgreSQL would round a
 * fraction to an integer.
 */
function bindTexts(query: RenderedQuery, values: Values): (string | null)[] {
  return query.bind(values).map((value) => (value === null ? null : String(value)));
}

/** The driver returns 64-bit integers as BigInt. */
function numberOf(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

const statementCache = new WeakMap<Statement<unknown>, PostgresStatement<unknown>>();

/** Renders a statement once for all connections. */
export function statementOf<R>(statement: Statement<R>): PostgresStatement<R> {
  const existing = statementCache.get(statement);
  // Safe: it was made from this statement.
  if (existing) return existing as PostgresStatement<R>;
  const made = new PostgresStatement(statement);
  statementCache.set(statement, made);
  return made;
}
