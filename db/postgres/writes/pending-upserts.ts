import type { Statement } from "../../statements.ts";
import { statementOf } from "../prepared.ts";

/** The upserts that are running while their writes continue. An update is followed by an insert if it matches no row. */
export class PendingUpserts {
  readonly #running = new Map<string, { table: string; ended: Promise<void> }>();

  /** Runs `work` after the one with the same key. Resolves when it has begun, with its end, which never rejects. */
  async begin(key: string, table: string, work: () => Promise<void>): Promise<{ ended: Promise<void> }> {
    await this.#running.get(key)?.ended;
    const ended = work()
      .catch(() => {})
      .then(() => void this.#running.delete(key));
    this.#running.set(key, { table, ended });
    return { ended };
  }

  /** Waits for those of a table that the statement reads or changes. */
  async endFor(statement: Statement<unknown>): Promise<void> {
    const { sql } = statementOf(statement);
    for (const { table, ended } of this.#running.values()) if (sql.includes(`"${table}"`)) await ended;
  }
}
