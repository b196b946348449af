import type { Statement } from "../../statements.ts";
import { statementOf } from "../prepared.ts";

/** Runs upserts while their writes continue: an update, and an insert if the update matches no row. */
export class RunningUpserts {
  readonly #running = new Map<string, { table: string; ended: Promise<void> }>();

  /**
   * Runs an upsert; resolves when it has ended, and never rejects. `work` gets the promise of the last upsert with the same
   * key, which may insert the row.
   */
  run(key: string, table: string, work: (before: Promise<void> | undefined) => Promise<void>): Promise<void> {
    const ended = work(this.#running.get(key)?.ended)
      .catch(() => {})
      .then(() => {
        if (this.#running.get(key)?.ended === ended) this.#running.delete(key);
      });
    this.#running.set(key, { table, ended });
    return ended;
  }

  /** Waits for the upserts into a table that the statement reads or changes. */
  async endFor(statement: Statement<unknown>): Promise<void> {
    const { sql } = statementOf(statement);
    for (const { table, ended } of this.#running.values()) if (sql.includes(`"${table}"`)) await ended;
  }
}
