import { query } from "./postgres-ground.ts";

type Outcome = "open" | "acknowledged" | "refused";
type Entry = { rowCount: number; outcome: Outcome };

/** The rows of the writes, by the text that only one write stores. */
const storedRows = `select mark, count(*) from (
  select after::json->>'name' as mark from changes where action <> 'health_changed'
  union all select event from events
) as written where mark is not null group by mark`;
/** Queries of inconsistent rows, which must be empty at any time between two transactions. */
const inconsistencies: Record<string, string> = {
  "a change log with a gap": `select organization_id, min(sequence), max(sequence), count(*) from changes
    group by 1 having min(sequence) <> 1 or max(sequence) <> count(*)`,
  "an account that is not as its last change left it": `select a.id, a.name, c.name from accounts as a
    full join (select distinct on (organization_id, resource_id) organization_id, resource_id,
      after::json->>'name' as name from changes where resource = 'account' and action <> 'health_changed'
      order by organization_id, resource_id, sequence desc) as c
    on (c.organization_id, c.resource_id) = (a.organization_id, a.id) where a.name is distinct from c.name`,
  "a contact without its change, or a change without its contact": `select c.id, d.resource_id from contacts as c
    full join (select organization_id, resource_id from changes where resource = 'contact') as d
      on (d.organization_id, d.resource_id) = (c.organization_id, c.id)
    where c.id is null or d.resource_id is null`,
};

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

  /** Compares with the database, in which no write may run, and adds what differs to `faults`. */
  async compare(url: string): Promise<void> {
    const stored = new Map((await query(url, storedRows)).map(([mark, count]) => [mark, Number(count)]));
    const { faults } = this;
    for (const [mark, { rowCount, outcome }] of this.#entries) {
      const count = stored.get(mark) ?? 0;
      if (count > rowCount) faults.push(`${mark} is stored more than once: ${count} rows of ${rowCount}`);
      else if (count > 0 && count < rowCount) faults.push(`${mark} is half stored`);
      else if (count === 0 && outcome === "acknowledged") faults.push(`${mark} was acknowledged and is lost`);
      else if (count > 0 && outcome === "refused") faults.push(`${mark} was refused and is stored`);
    }
    for (const [name, text] of Object.entries(inconsistencies)) {
      const rows = await query(url, text);
      if (rows.length > 0) faults.push(`${name}, ${rows.length} times: ${JSON.stringify(rows[0])}`);
    }
  }
}
