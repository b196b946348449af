import type { Database, Statement as NativeStatement } from "bun:sqlite";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Value, Values } from "../engine.ts";
import { compileBind, compileToRow, type Rendered, renderWith, type ToRow } from "../rendering.ts";
import type { Statement } from "../statements.ts";

const dialect = new SQLiteSyncDialect();

/** Renders a statement to the SQL of SQLite. */
export function render(statement: Statement<unknown>): Rendered {
  return renderWith(dialect, "sqlite", statement);
}

/**
 * Binds inputs and converts rows without Drizzle, whose execution looks up conversions at every run. The look-up costs
 * more than the run, and no column of the schema converts its values.
 */
export class RenderedStatement<R> {
  readonly sql: string;
  /** The parameters, in order. Throws when an input has no value. */
  readonly bind: (values: Values) => Value[];
  readonly toRow: ToRow<R>;

  constructor(statement: Statement<R>) {
    const rendered = render(statement);
    this.sql = rendered.sql;
    this.bind = compileBind(rendered);
    this.toRow = compileToRow(statement);
  }
}

const renderedStatements = new WeakMap<Statement<unknown>, RenderedStatement<unknown>>();

/** Renders a statement once for all connections. */
export function renderOnce<R>(statement: Statement<R>): RenderedStatement<R> {
  const existing = renderedStatements.get(statement);
  // Safe: it was made from this statement.
  if (existing) return existing as RenderedStatement<R>;
  const rendered = new RenderedStatement(statement);
  renderedStatements.set(statement, rendered);
  return rendered;
}

/** A statement prepared on one connection. */
export class PreparedStatement<R> {
  readonly #native: NativeStatement;
  readonly #rendered: RenderedStatement<R>;

  constructor(client: Database, statement: Statement<R>) {
    this.#rendered = renderOnce(statement);
    this.#native = client.prepare(this.#rendered.sql);
  }

  all(values: Values): R[] {
    return this.#native.values(...this.#rendered.bind(values)).map(this.#rendered.toRow);
  }

  first(values: Values): R | undefined {
    const [row] = this.#native.values(...this.#rendered.bind(values));
    return row && this.#rendered.toRow(row);
  }

  /** Returns the number of rows that were inserted, changed or deleted. */
  run(values: Values): number {
    return this.#native.run(...this.#rendered.bind(values)).changes;
  }

  /** Runs an insert; returns the id of the row. */
  insert(values: Values): number {
    return Number(this.#native.run(...this.#rendered.bind(values)).lastInsertRowid);
  }
}
