import type { Database, Statement as NativeStatement } from "bun:sqlite";
import { is, Param, Placeholder } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Value, Values } from "../engine.ts";
import type { Statement } from "../statements.ts";

type Input = { name: string } | { constant: Value };
/** The SQL of a statement, and its parameters in order. */
export type Rendered = { sql: string; inputs: Input[] };

const dialect = new SQLiteSyncDialect();

export function render(statement: Statement<unknown>): Rendered {
  const { sql, params } = dialect.sqlToQuery(statement.build());
  return { sql, inputs: params.map(inputOf) };
}

/** The parameters, in order. Throws when an input has no value. */
export function bind({ sql, inputs }: Rendered, values: Values): Value[] {
  const bound: Value[] = [];
  for (const input of inputs) {
    const value = "name" in input ? values[input.name] : input.constant;
    if (value === undefined) throw new Error(`an input has no value: ${sql}`);
    bound.push(value);
  }
  return bound;
}

/**
 * The SQL of a statement. No column of the schema converts its values, so values are bound and returned unchanged.
 * Drizzle's own execution looks up conversions at every run, which costs more than the run.
 */
export class RenderedStatement<R> {
  readonly sql: string;
  readonly #rendered: Rendered;
  readonly #columns: readonly string[];

  constructor(statement: Statement<R>) {
    this.#rendered = render(statement);
    this.sql = this.#rendered.sql;
    this.#columns = statement.columns;
  }

  /** The parameters, in order. Throws when an input has no value. */
  bind(values: Values): Value[] {
    return bind(this.#rendered, values);
  }

  /** Converts the values of a row, in the order of the columns. */
  toRow(values: readonly unknown[]): R {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < this.#columns.length; i += 1) row[this.#columns[i] ?? ""] = values[i];
    // Safe: the names are those of the statement's fields, from which R is derived.
    return row as R;
  }
}

/** A statement prepared on one connection. */
export class PreparedStatement<R> {
  readonly #native: NativeStatement;
  readonly #rendered: RenderedStatement<R>;

  constructor(client: Database, statement: Statement<R>) {
    this.#rendered = new RenderedStatement(statement);
    this.#native = client.prepare(this.#rendered.sql);
  }

  all(values: Values): R[] {
    return this.#native.values(...this.#rendered.bind(values)).map((row) => this.#rendered.toRow(row));
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

function inputOf(param: unknown): Input {
  const value = is(param, Param) ? param.value : param;
  // Safe: every parameter that is no placeholder is a constant of the statement.
  return is(value, Placeholder) ? { name: value.name } : { constant: value as Value };
}
