import { is, Param, Placeholder, type SQL } from "drizzle-orm";
import { type Dialect, inDialect } from "./dialects.ts";
import type { Value, Values } from "./engine.ts";
import type { Statement } from "./statements.ts";

type Input = { name: string } | { constant: Value };
/** Drizzle's dialect. */
type QueryRenderer = { sqlToQuery(query: SQL): { sql: string; params: unknown[] } };

/** The text of a query in the SQL of an engine, and its parameters in order. Rendering takes longer than preparing. */
export class RenderedQuery {
  readonly sql: string;
  readonly inputs: readonly Input[];

  constructor(renderer: QueryRenderer, dialect: Dialect, build: () => SQL) {
    const { sql, params } = inDialect(dialect, () => renderer.sqlToQuery(build()));
    this.sql = sql;
    this.inputs = params.map(inputOf);
  }

  /** The parameters, in order. Throws when an input has no value. */
  bind(values: Values): Value[] {
    return this.inputs.map((input) => this.#valueOf(input, values));
  }

  /** The columns of the parameters of several rows, in order. Throws when an input has no value. */
  bindColumns(rows: readonly Values[]): Value[][] {
    return this.inputs.map((input) => rows.map((values) => this.#valueOf(input, values)));
  }

  #valueOf(input: Input, values: Values): Value {
    const value = "name" in input ? values[input.name] : input.constant;
    if (value === undefined) throw new Error(`an input has no value: ${this.sql}`);
    return value;
  }
}

function inputOf(param: unknown): Input {
  const value = is(param, Param) ? param.value : param;
  // Safe: every parameter that is no placeholder is a constant of the statement.
  return is(value, Placeholder) ? { name: value.name } : { constant: value as Value };
}

export function toRow<R>({ columns }: Statement<R>, values: readonly unknown[]): R {
  const row: Record<string, unknown> = {};
  let i = 0;
  for (const name of columns) {
    row[name] = values[i];
    i += 1;
  }
  // Safe: R is derived from the fields of the statement, which have these names.
  return row as R;
}
