import type { Database } from "bun:sqlite";

export type Values = readonly (string | number | null)[];
type Row = { id: number | undefined; values: Values };

/** A request, and the rows that it leaves: each by its key, null where one is removed. */
export type Change = {
  method: "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  /** The first is the row that the answer shows. */
  rows: ReadonlyMap<string, Values | null>;
};

/**
 * Each row has a key that no other ever has: the external id that its writer gave it, or the e-mail address of
 * the contact that is made with an account. Its values name the change that made them.
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

/** What writers were told is stored, and what each of them has not been told. */
export class Ledger {
  #rows = new Map<string, Row>();
  readonly #underWay = new Set<Change>();
  acknowledged = 0;

  /** The id of a row; undefined for one that is not there, or that no answer has shown yet. */
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

  /** The change was answered as made; `id` is what the answer shows. */
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
