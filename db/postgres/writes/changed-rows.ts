import type { Values } from "../../engine.ts";
import type { Statement } from "../../statements.ts";
import { statementOf } from "../prepared.ts";
import { keyOf } from "./row-buffer.ts";

/** What the writes of an organization have changed in a batch: a row that was read before may differ now. */
export class ChangedRows {
  readonly #keys = new Set<string>();
  /** The tables in which other rows were changed. */
  readonly #tables = new Set<string>();
  #hasUnknown = false;

  /** `values`: the input of an update or a delete by a key. */
  add(statement: Statement<unknown>, values?: Values): void {
    const { changedTable } = statementOf(statement);
    if (values && statement.changePlan) this.#keys.add(keyOf(statement.changePlan, values));
    else if (changedTable) this.#tables.add(changedTable);
    else this.#hasUnknown = true;
  }

  /** Whether the row that the statement reads by its key may differ now. */
  mayConcern(statement: Statement<unknown>, values: Values): boolean {
    const { rowKey } = statement;
    if (!rowKey || this.#hasUnknown || this.#keys.has(keyOf(rowKey, values))) return true;
    const { sql } = statementOf(statement);
    return this.#tables.values().some((table) => sql.includes(`"${table}"`));
  }
}
