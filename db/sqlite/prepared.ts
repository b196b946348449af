import type { Statement as Client } from "bun:sqlite";
import { is, Param, Placeholder } from "drizzle-orm";

/** What may be bound to a statement's inputs: never undefined, a boolean or a Date. */
export type Value = string | number | null;
export type Values = Readonly<Record<string, Value>>;

/** What of drizzle's prepared statement is used here. */
export type DrizzlePrepared = {
  getQuery(): { sql: string; params: unknown[] };
  stmt: Client;
  fields: { path: string[] }[] | undefined;
};
type Input = { name: string } | { constant: Value };

/**
 * A statement as one connection holds it. No column converts its value, so inputs go in and rows come out as
 * they are; drizzle would look for conversions at every run, which costs more than most statements do.
 */
export class PreparedStatement<R> {
  readonly #query: ReturnType<DrizzlePrepared["getQuery"]>;
  readonly #client: Client;
  readonly #inputs: readonly Input[];
  readonly #names: readonly string[];

  constructor(built: DrizzlePrepared) {
    this.#query = built.getQuery();
    this.#client = built.stmt;
    this.#inputs = this.#query.params.map(inputOf);
    this.#names = (built.fields ?? []).map(({ path }) => path.join("."));
  }

  /** The SQL, and what stands in its inputs. */
  getQuery(): ReturnType<DrizzlePrepared["getQuery"]> {
    return this.#query;
  }

  all(values: Values): R[] {
    return this.#client.values(...this.#fill(values)).map((row) => this.#rowOf(row));
  }

  get(values: Values): R | undefined {
    const [row] = this.#client.values(...this.#fill(values));
    return row && this.#rowOf(row);
  }

  /** Runs the statement for its effect; answers how many rows it inserted, changed or removed. */
  run(values: Values): number {
    return this.#client.run(...this.#fill(values)).changes;
  }

  /** Runs an insert; answers the id of the row. */
  insert(values: Values): number {
    return Number(this.#client.run(...this.#fill(values)).lastInsertRowid);
  }

  /** Throws when an input has no value. */
  #fill(values: Values): Value[] {
    const filled: Value[] = [];
    for (const input of this.#inputs) {
      const value = "name" in input ? values[input.name] : input.constant;
      if (value === undefined) throw new Error(`no value for an input of: ${this.#query.sql}`);
      filled.push(value);
    }
    return filled;
  }

  #rowOf(values: unknown[]): R {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < this.#names.length; i += 1) row[this.#names[i] ?? ""] = values[i];
    // Safe: the names are those of the statement's fields, from which R is derived.
    return row as R;
  }
}

function inputOf(param: unknown): Input {
  const value = is(param, Param) ? param.value : param;
  // Safe: what is no placeholder was written into the statement as a constant.
  return is(value, Placeholder) ? { name: value.name } : { constant: value as Value };
}
