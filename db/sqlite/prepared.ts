import type { Database, Statement as NativeStatement } from "bun:sqlite";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Values } from "../engine.ts";
import { RenderedQuery, toRow } from "../rendering.ts";
import type { Statement } from "../statements.ts";

const dialect = new SQLiteSyncDialect();
const rendered = new WeakMap<Statement<unknown>, RenderedQuery>();

/** The statement in the SQL of SQLite, rendered once for all connections. */
export function render(statement: Statement<unknown>): RenderedQuery {
  const query = rendered.get(statement) ?? new RenderedQuery(dialect, "sqlite", statement.build);
  rendered.set(statement, query);
  return query;
}

/**
 * A statement prepared on one connection. It binds inputs and converts rows without Drizzle, whose execution looks up
 * conversions at every run. The look-up costs more than the run, and no column of the schema converts its values.
 */
export class PreparedStatement<R> {
  readonly native: NativeStatement;
  readonly #query: RenderedQuery;
  readonly #statement: Statement<R>;

  constructor(client: Database, statement: Statement<R>) {
    this.#statement = statement;
    this.#query = render(statement);
    this.native = client.prepare(this.#query.sql);
  }

  all(values: Values): R[] {
    return this.native.values(...this.#query.bind(values)).map((row) => toRow(this.#statement, row));
  }

  first(values: Values): R | undefined {
    const [row] = this.native.values(...this.#query.bind(values));
    return row && toRow(this.#statement, row);
  }

  /** Returns the number of changed rows, and the id of an inserted row. */
  run(values: Values): { changes: number; lastInsertRowid: number | bigint } {
    return this.native.run(...this.#query.bind(values));
  }
}
