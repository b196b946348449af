import { Database } from "bun:sqlite";

/** Queries of inconsistent rows, which must be empty at any time. */
const halves: Record<string, string> = {
  "a count of accounts that disagrees with them": `
    SELECT status, tier, count, counted
    FROM (SELECT organization_id, status, coalesce(tier, 'none') AS tier, count(*) AS counted FROM accounts GROUP BY 1, 2, 3)
    FULL JOIN account_counts USING (organization_id, status, tier)
    WHERE coalesce(count, 0) <> coalesce(counted, 0)`,
  "a score whose rank disagrees with it": `
    SELECT id, score, rank FROM accounts WHERE rank IS NOT coalesce(score, 101)`,
  "a tier that is not the last one in the change log": `
    SELECT id, tier, recorded
    FROM accounts LEFT JOIN (
      SELECT organization_id, account_id, after ->> 'tier' AS recorded, max(sequence)
      FROM changes WHERE action = 'health_changed' GROUP BY 1, 2
    ) AS c ON c.organization_id = accounts.organization_id AND c.account_id = id
    WHERE tier IS NOT recorded`,
  "a row that is not as its last change left it": `
    SELECT resource, resource_id, updated_at, action, c.after ->> 'updatedAt' AS recorded, name
    FROM (
      SELECT organization_id, 'account' AS resource, id AS resource_id, updated_at, name FROM accounts
      UNION ALL SELECT organization_id, 'contact', id, updated_at, name FROM contacts
      UNION ALL SELECT organization_id, 'meeting', id, updated_at, title FROM meetings
      UNION ALL SELECT organization_id, 'request', id, updated_at, title FROM requests
    ) FULL JOIN (
      SELECT organization_id, resource, resource_id, account_id, action, after, max(sequence)
      FROM changes WHERE action <> 'health_changed' GROUP BY 1, 2, 3
    ) AS c USING (organization_id, resource, resource_id)
    WHERE (updated_at IS NOT c.after ->> 'updatedAt' OR coalesce(c.after ->> 'name', c.after ->> 'title', name) IS NOT name)
      AND NOT (updated_at IS NULL AND EXISTS (
      SELECT 1 FROM changes AS d WHERE d.organization_id = c.organization_id AND d.action = 'deleted'
        AND d.resource = 'account' AND d.resource_id = c.account_id))`,
  "a change log with a gap": `
    SELECT organization_id, min(sequence) AS first, max(sequence) AS last, count(*) AS count
    FROM changes GROUP BY 1 HAVING first <> 1 OR last <> count`,
  "a change log that goes back in time": `
    SELECT organization_id, sequence, changed_at, previous
    FROM (SELECT *, lag(changed_at) OVER (PARTITION BY organization_id ORDER BY sequence) AS previous FROM changes)
    WHERE changed_at < previous`,
  "a day whose counts disagree with its events": `
    SELECT account_id, day, event, d.count, e.count AS counted, d.users, e.users AS counted_users
    FROM (
      SELECT organization_id, account_id, timestamp / 86400000 AS day, event, count(*) AS count,
        count(DISTINCT user_id) AS users, min(timestamp) AS first_at, max(timestamp) AS last_at
      FROM events WHERE account_id IS NOT NULL GROUP BY 1, 2, 3, 4
    ) AS e
    FULL JOIN usage_days AS d USING (organization_id, account_id, day, event)
    WHERE d.count IS NOT e.count OR d.users IS NOT e.users OR d.first_at IS NOT e.first_at OR d.last_at IS NOT e.last_at`,
  "a sum of usage that disagrees with the events": `
    SELECT day, event, s.count, e.count AS counted, s.users, e.users AS counted_users, account_count, accounts
    FROM (
      SELECT organization_id, timestamp / 86400000 AS day, event, count(*) AS count,
        count(DISTINCT user_id) AS users, count(DISTINCT account_id) AS accounts
      FROM events WHERE account_id IS NOT NULL GROUP BY 1, 2, 3
    ) AS e
    FULL JOIN usage_sums AS s USING (organization_id, day, event)
    WHERE s.count IS NOT e.count OR s.users IS NOT e.users OR account_count IS NOT accounts`,
  "an external id whose parked events disagree with its count": `
    SELECT external_id, u.count, e.count AS counted
    FROM (
      SELECT organization_id, external_id, count(*) AS count, min(timestamp) AS first_at, max(timestamp) AS last_at
      FROM events WHERE external_id IS NOT NULL GROUP BY 1, 2
    ) AS e
    FULL JOIN unmatched_ids AS u USING (organization_id, external_id)
    WHERE u.count IS NOT e.count OR u.first_at IS NOT e.first_at OR u.last_at IS NOT e.last_at`,
  "parked events of an account that is there": `
    SELECT external_id FROM unmatched_ids JOIN accounts USING (organization_id, external_id)`,
};

/** Runs the queries on the file of a running program, in one snapshot. */
export function inspect<T>(database: string, look: (file: Database) => T): T {
  const file = new Database(database, { readonly: true });
  try {
    file.run("PRAGMA busy_timeout = 5000");
    return file.transaction(() => look(file))();
  } finally {
    file.close();
  }
}

/** A line for each kind of inconsistent rows. */
export function storedHalves(file: Database): string[] {
  return Object.entries(halves).flatMap(([name, query]) => {
    const rows = file.query(query).all();
    return rows.length > 0 ? `${name}, ${rows.length} times: ${JSON.stringify(rows[0])}` : [];
  });
}

/** A line for each damage that SQLite's check finds, and one for dangling references. */
export function damageOf(
  file: Database,
  check: "integrity_check" | "quick_check" = "integrity_check",
): string[] {
  const lines = file.query(`PRAGMA ${check}`).values().flat().map(String);
  const damage = lines.filter((line) => line !== "ok").map((line) => `damage: ${line.replaceAll("\n", " ")}`);
  const dangling = file.query("PRAGMA foreign_key_check").all();
  if (dangling.length > 0)
    damage.push(`${dangling.length} rows refer to none: ${JSON.stringify(dangling[0])}`);
  return damage;
}

/** A line for each kind of damage, dangling references and inconsistent rows. */
export function unsound(file: Database): string[] {
  return [...damageOf(file), ...storedHalves(file)];
}
