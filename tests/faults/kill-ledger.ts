import type { Database } from "bun:sqlite";

export type Values = readonly (string | number | null)[];
type Row = { id: number | undefined; values: Values };

/** A request and the rows after it, by key; null for a deleted row. */
export type Change = {
  method: "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  /** The first one is the row of the reply. */
  rows: ReadonlyMap<string, Values | null>;
};

/**
 * The key of a row is unique: the external id from its writer, or the e-mail address of a contact that is created with
 * an account. The values of a row contain the number of the change.
 */
const kinds: Record<string, string> = {
  account: "SELECT id, external_id, name, mrr, status FROM accounts",
  contact: `SELECT c.id, coalesce(c.external_id, c.email), a.external_id, c.name, c.email
    FROM contacts AS c LEFT JOIN accounts AS a ON a.id = c.account_id`,
  meeting: `SELECT m.id, m.external_id, a.external_id, m.title, m.start_at, m.end_at
    FROM meetings AS m LEFT JOIN accounts AS a ON a.id = m.account_id`,
  request: `SELECT r.id, r.external_id, a.external_id, r.title, r.status, r.severity
    FROM requests AS r LEFT JOIN accounts AS a ON a.id = r.account_id`,
};

/** The acknowledged changes, and the unacknowledged change of each writer. */
export class Ledger {
  #rows = new Map<string, Row>();
  readonly #underWay = new Set<Change>();
  acknowledged = 0;

  /** The id of a row; undefined if it does not exist or was in no reply yet. */
  idOf(key: string): number | undefined {
    return this.#rows.get(key)?.id;
  }

  valuesOf(key: string): Values | undefined {
    return this.#rows.get(key)?.values;
  }

  keys(): string[] {
    return [...this.#rows.keys()];
  }

  begin(change: Change): void {
    this.#underWay.add(change);
  }

  /** Records that the change was acknowledged; `id` is that of the reply. */
  acknowledge(change: Change, id: number | undefined): void {
    this.#underWay.delete(change);
    this.acknowledged += 1;
    let shown = id;
    for (const [key, values] of change.rows) {
      if (values === null) this.#rows.delete(key);
      else this.#rows.set(key, { id: this.idOf(key) ?? shown, values });
      shown = undefined;
    }
  }

  /**
   * Compares with what the file holds: all that was acknowledged and, of each change that was not, everything or
   * nothing. Goes on from what is there. Returns what is otherwise.
   */
  settle(file: Database): string[] {
    const stored = storedRows(file);
    const faults: string[] = [];
    const uncertain = new Set<string>();
    for (const { method, path, rows } of this.#underWay) {
      const keys = [...rows.keys()];
      for (const key of keys) uncertain.add(key);
      const isBefore = keys.every((key) => isSame(this.#rows.get(key), stored.get(key)));
      const isAfter = keys.every((key) => textOf(rows.get(key)) === textOf(stored.get(key)?.values));
      if (!isBefore && !isAfter) faults.push(`half-stored: ${method} ${path} of ${keys.join(", ")}`);
    }
    for (const key of new Set([...this.#rows.keys(), ...stored.keys()])) {
      const [known, found] = [this.#rows.get(key), stored.get(key)];
      if (!uncertain.has(key) && !isSame(known, found))
        faults.push(`lost: ${key} was acknowledged as ${show(known)} and is ${show(found)}`);
    }
    this.#underWay.clear();
    this.#rows = stored;
    return faults;
  }
}

function storedRows(file: Database): Map<string, Row> {
  const found = new Map<string, Row>();
  // Safe: these columns are texts, numbers and nulls.
  for (const [kind, query] of Object.entries(kinds))
    for (const [id, name, ...values] of file.query(query).values() as Values[]) {
      const key = `${kind} ${name}`;
      if (found.has(key)) throw new Error(`${key} occurs twice despite the unique indexes`);
      found.set(key, { id: Number(id), values });
    }
  return found;
}

function isSame(known: Row | undefined, found: Row | undefined): boolean {
  if (textOf(known?.values) !== textOf(found?.values)) return false;
  return known?.id === undefined || known.id === found?.id;
}

function textOf(values: Values | null | undefined): string {
  return JSON.stringify(values ?? null);
}

function show(row: Row | undefined): string {
  return row ? `${row.id ?? "?"} ${textOf(row.values)}` : "nothing";
}
