import type { Database, Statement as NativeStatement } from "bun:sqlite";
import { is, Param, Placeholder } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import type { Value, Values } from "../engine.ts";
import type { Statement } from "../statements.ts";

type Input = { name: string } | { constant: Value };
/** The text of a statement, and its parameters in order. Another thread can run it. */
export type Rendered = { sql: string; inputs: Input[] };

const dialect = new SQLiteSyncDialect();

/** Renders a statement to SQL. This takes longer than to prepare it. */
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
 * Binds inputs and converts rows without Drizzle, whose execution looks up conversions at every run. The look-up costs
 * more than the run, and no column of the schema converts its values.
 */
export class RenderedStatement<R> {
  readonly sql: string;
  readonly #rendered: Rendered;
  /** Converts the values of a row, in the order of the columns. */
  readonly toRow: (values: readonly unknown[]) => R;

  constructor(statement: Statement<R>) {
    this.#rendered = render(statement);
    this.sql = this.#rendered.sql;
    this.toRow = compileToRow(statement.columns);
  }

  bind(values: Values): Value[] {
    return bind(this.#rendered, values);
  }
}

/** An object literal, because setting members one by one by their names takes four times as long. */
function compileToRow<R>(columns: readonly string[]): (values: readonly unknown[]) => R {
  const members = columns.map((name, i) => `${JSON.stringify(name)}: values[${i}]`);
  // Safe: the names are those of the statement's fields, from which R is derived.
  return new Function("values", `return { ${members} };`) as (values: readonly unknown[]) => R;
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

function inputOf(param: unknown): Input {
  const value = is(param, Param) ? param.value : param;
  // Safe: every parameter that is no placeholder is a constant of the statement.
  return is(value, Placeholder) ? { name: value.name } : { constant: value as Value };
}
