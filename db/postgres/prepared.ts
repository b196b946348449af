import { PgDialect } from "drizzle-orm/pg-core";
import type { Values } from "../engine.ts";
import { bind, compileToRow, type Rendered, renderWith, type ToRow } from "../rendering.ts";
import type { Statement } from "../statements.ts";

const dialect = new PgDialect();

/** The text of a statement for PostgreSQL, its parameters, and the conversion of its rows. */
export class PostgresStatement<R> {
  readonly sql: string;
  /** Of an insert: the same, returning the id of the row. */
  readonly sqlReturningId: string;
  readonly isRead: boolean;
  readonly #rendered: Rendered;
  readonly #toRow: ToRow<R>;

  constructor(statement: Statement<R>) {
    this.#rendered = renderWith(dialect, "postgres", statement);
    this.sql = this.#rendered.sql;
    this.sqlReturningId = `${this.sql} returning "id"`;
    this.isRead = this.sql.startsWith("select ");
    this.#toRow = compileToRow(statement);
  }

  /**
   * The parameters as texts: the driver would derive the type of a number from its value, and PostgreSQL would round a
   * fraction to an integer. Throws when an input has no value.
   */
  bind(values: Values): (string | null)[] {
    return bind(this.#rendered, values).map((value) => (value === null ? null : String(value)));
  }

  toRow(values: unknown[]): R {
    return this.#toRow(values.map(numberOf));
  }
}

/** The driver returns 64-bit integers as BigInt. */
function numberOf(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

const rendered = new WeakMap<Statement<unknown>, PostgresStatement<unknown>>();

/** Renders a statement once for all connections. */
export function statementOf<R>(statement: Statement<R>): PostgresStatement<R> {
  const existing = rendered.get(statement);
  // Safe: it was made from this statement.
  if (existing) return existing as PostgresStatement<R>;
  const made = new PostgresStatement(statement);
  rendered.set(statement, made);
  return made;
}
