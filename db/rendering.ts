import { is, Param, Placeholder, type SQL } from "drizzle-orm";
import { type Dialect, inDialect } from "./dialects.ts";
import type { Value, Values } from "./engine.ts";
import type { Statement } from "./statements.ts";

type Input = { name: string } | { constant: Value };
/** The text of a statement, and its parameters in order. Another thread can run it. */
export type Rendered = { sql: string; inputs: Input[] };
/** Drizzle's dialect. */
type QueryRenderer = { sqlToQuery(query: SQL): { sql: string; params: unknown[] } };

/** Renders a statement to the SQL of an engine. This takes longer than to prepare it. */
export function renderWith(
  renderer: QueryRenderer,
  dialect: Dialect,
  statement: Pick<Statement<unknown>, "build">,
): Rendered {
  const { sql, params } = inDialect(dialect, () => renderer.sqlToQuery(statement.build()));
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

/** `bind` of a statement, compiled: to look up each input by a variable name takes several times as long. */
export function compileBind({ sql, inputs }: Rendered): (values: Values) => Value[] {
  const elements = inputs.map((input, i) =>
    "name" in input ? `values[${JSON.stringify(input.name)}]` : `constants[${i}]`,
  );
  const constants = inputs.map((input) => ("constant" in input ? input.constant : null));
  const toArray = new Function("values", "constants", `return [${elements}];`);
  return (values) => {
    const bound: Value[] = toArray(values, constants);
    if (bound.includes(undefined as never)) throw new Error(`an input has no value: ${sql}`);
    return bound;
  };
}

/** Converts the values of a row, in the order of the columns. */
export type ToRow<R> = (values: readonly unknown[]) => R;

/** The conversion of rows, compiled: to set members one by one by their names takes four times as long. */
export function compileToRow<R>({ columns }: Statement<R>): ToRow<R> {
  const members = columns.map((name, i) => `${JSON.stringify(name)}: values[${i}]`);
  // Safe: the names are those of the statement's fields, from which R is derived.
  return new Function("values", `return { ${members} };`) as ToRow<R>;
}

function inputOf(param: unknown): Input {
  const value = is(param, Param) ? param.value : param;
  // Safe: every parameter that is no placeholder is a constant of the statement.
  return is(value, Placeholder) ? { name: value.name } : { constant: value as Value };
}
