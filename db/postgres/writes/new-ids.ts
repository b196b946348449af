import type { Session } from "../connections/session.ts";
import { maxRows } from "./row-sets.ts";

/** `offset 0`: the sequence is looked up once, not for each id. */
const selectIds = `select nextval(sequence) from (
  select cast(pg_get_serial_sequence($1, 'id') as regclass) as sequence offset 0
) as named, generate_series(1, cast($2 as integer))`;

/**
 * Ids for the rows that one batch inserts, read from the sequences in advance: an insert need not return its id.
 * They are read after the locks: the ids of an organization increase in the order of its commits. Unused ids are lost.
 */
export class NewIds {
  readonly #session: Session;
  /** The ids of each table in descending order. */
  readonly #ids = new Map<string, number[]>();
  readonly #fetches = new Map<string, Promise<void>>();
  /** The number of ids of each table that were read from its sequence. */
  readonly #takenCounts = new Map<string, number>();
  readonly #count: number;

  /** `count` is the number of rows that the batch may insert into a table. */
  constructor(session: Session, count: number) {
    this.#session = session;
    this.#count = count;
  }

  /** Throws what the statement throws. */
  async next(table: string): Promise<number> {
    for (;;) {
      const id = this.#ids.get(table)?.pop();
      if (id !== undefined) return id;
      await this.#fetch(table);
    }
  }

  /** Reads ids of the table without waiting. */
  prefetch(table: string): void {
    this.#fetch(table).catch(() => {});
  }

  #fetch(table: string): Promise<void> {
    const fetch = this.#fetches.get(table) ?? this.#read(table);
    this.#fetches.set(table, fetch);
    return fetch;
  }

  async #read(table: string): Promise<void> {
    const takenCount = this.#takenCounts.get(table) ?? 0;
    // Four times as many in total each time, so that many rows need few round trips.
    const count = Math.min(maxRows, Math.max(this.#count, 3 * takenCount));
    try {
      const rows = await this.#session.query(selectIds, [table, String(count)]);
      this.#takenCounts.set(table, takenCount + count);
      this.#ids.set(table, rows.map(([id]) => Number(id)).reverse());
    } finally {
      // The next attempt of the transaction needs ids after one that failed.
      this.#fetches.delete(table);
    }
  }
}
