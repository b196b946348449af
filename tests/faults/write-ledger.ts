type Outcome = "open" | "acknowledged" | "refused";
type Entry = { rowCount: number; outcome: Outcome };

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
    this.#entries.set(mark, { rowCount, outcome: "open" });
  }

  /** The reply says that the write is stored, or that nothing of it is. Without either, both are right. */
  end(mark: string, outcome: "acknowledged" | "refused"): void {
    const entry = this.#entries.get(mark);
    if (!entry) throw new Error(`${mark} was not begun`);
    entry.outcome = outcome;
    this[outcome] += 1;
  }

  /** Compares with the rows of `storedMarks` while no write runs, and adds what differs to `faults`. */
  compare(rows: readonly (readonly unknown[])[]): void {
    const stored = new Map(rows.map(([mark, count]) => [mark, Number(count)]));
    const { faults } = this;
    for (const [mark, { rowCount, outcome }] of this.#entries) {
      const count = stored.get(mark) ?? 0;
      if (count > rowCount) faults.push(`${mark} is stored more than once: ${count} rows of ${rowCount}`);
      else if (count > 0 && count < rowCount) faults.push(`${mark} is half stored`);
      else if (count === 0 && outcome === "acknowledged") faults.push(`${mark} was acknowledged and is lost`);
      else if (count > 0 && outcome === "refused") faults.push(`${mark} was refused and is stored`);
    }
  }
}
