type Outcome = "open" | "acknowledged" | "refused";
/** The times are those of `performance.now()`. */
type Entry = { rowCount: number; outcome: Outcome; begunAt: number; endedAt: number };

/** The times between which a backup has its state of the database. */
export type RestoredTime = { from: number; until: number };

/** The rows of the writes, by the text that only one write stores. In SQLite `->>` is also of texts. */
export function storedMarks(json: "json" | "text"): string {
  const after = json === "json" ? "after::json" : "after";
  return `select mark, count(*) from (
    select coalesce(${after} ->> 'name', ${after} ->> 'title') as mark from changes where action <> 'health_changed'
    union all select event from events
    union all select 'deleted ' || resource || ' ' || resource_id from changes where action = 'deleted'
  ) as written where mark is not null group by mark`;
}

/** The text of the deletion of a row, which is not in the row. */
export function deletionMark(resource: string, id: number): string {
  return `deleted ${resource} ${id}`;
}

/** The writes that were sent, and their replies. */
export class WriteLedger {
  readonly faults: string[] = [];
  readonly #entries = new Map<string, Entry>();
  acknowledged = 0;
  refused = 0;

  /** Records a write that is sent: it stores `rowCount` rows with the text `mark`. */
  begin(mark: string, rowCount: number): void {
    this.#entries.set(mark, { rowCount, outcome: "open", begunAt: performance.now(), endedAt: Infinity });
  }

  /** The reply says that the write is stored, or that nothing of it is. Without either, both are right. */
  end(mark: string, outcome: "acknowledged" | "refused"): void {
    const entry = this.#entries.get(mark);
    if (!entry) throw new Error(`${mark} was not begun`);
    entry.outcome = outcome;
    entry.endedAt = performance.now();
    this[outcome] += 1;
  }

  /** The number of writes that are acknowledged before a backup, and of those that are sent after it. */
  countAround({ from, until }: RestoredTime): { before: number; after: number } {
    const entries = [...this.#entries.values()];
    return {
      before: entries.filter(({ outcome, endedAt }) => outcome === "acknowledged" && endedAt < from).length,
      after: entries.filter(({ begunAt }) => begunAt > until).length,
    };
  }

  /**
   * Compares with the rows of `storedMarks` while no write of them runs, and adds what differs to `faults`. `restored`:
   * the rows are those of a backup.
   */
  compare(
    rows: readonly (readonly unknown[])[],
    { from, until }: RestoredTime = { from: Infinity, until: Infinity },
  ): void {
    const stored = new Map(rows.map(([mark, count]) => [mark, Number(count)]));
    const { faults } = this;
    for (const [mark, { rowCount, outcome, begunAt, endedAt }] of this.#entries) {
      const count = stored.get(mark) ?? 0;
      if (count > rowCount) faults.push(`${mark} is stored more than once: ${count} rows of ${rowCount}`);
      else if (count > 0 && count < rowCount) faults.push(`${mark} is half stored`);
      else if (count === 0 && outcome === "acknowledged" && endedAt < from)
        faults.push(`${mark} was acknowledged and is lost`);
      else if (count > 0 && begunAt > until) faults.push(`${mark} was sent afterwards and is stored`);
      else if (count > 0 && outcome === "refused") faults.push(`${mark} was refused and is stored`);
    }
  }
}
