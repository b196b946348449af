import { Database } from "bun:sqlite";

/** What must not be in the file at any moment: each a query that finds it. */
const halves: Record<string, string> = {
  "a count of accounts that disagrees with them": `
    SELECT status, count, counted
    FROM (SELECT organization_id, status, count(*) AS counted FROM accounts GROUP BY 1, 2)
    FULL JOIN account_counts USING (organization_id, status)
    WHERE coalesce(count, 0) <> coalesce(counted, 0)`,
  "an account without its row of health": `
    SELECT id FROM accounts AS a
    WHERE NOT EXISTS (SELECT 1 FROM account_health AS h WHERE h.organization_id = a.organization_id AND h.account_id = a.id)`,
  "a row of health that is of another name or revenue than its account": `
    SELECT a.id, a.mrr, h.mrr AS health_mrr, a.folded_name, h.folded_name AS health_name
    FROM account_health AS h LEFT JOIN accounts AS a ON a.organization_id = h.organization_id AND a.id = h.account_id
    WHERE a.mrr IS NOT h.mrr OR a.folded_name IS NOT h.folded_name`,
  "a day whose counts disagree with its events": `
    SELECT account_id, day, event, d.count, e.count AS counted, d.users, e.users AS counted_users
    FROM (
      SELECT organization_id, account_id, timestamp / 86400000 AS day, event, count(*) AS count,
        count(DISTINCT user_id) AS users, min(timestamp) AS first_at, max(timestamp) AS last_at
      FROM events WHERE account_id IS NOT NULL GROUP BY 1, 2, 3, 4
    ) AS e
    FULL JOIN usage_days AS d USING (organization_id, account_id, day, event)
    WHERE d.count IS NOT e.count OR d.users IS NOT e.users OR d.first_at IS NOT e.first_at OR d.last_at IS NOT e.last_at`,
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

/** Looks into the file of a running program, in one snapshot. */
export function inspect<T>(database: string, look: (file: Database) => T): T {
  const file = new Database(database, { readonly: true });
  try {
    file.run("PRAGMA busy_timeout = 5000");
    return file.transaction(() => look(file))();
  } finally {
    file.close();
  }
}

/** Damage, dangling references and whatever is stored by half; a line for each kind. */
export function unsound(file: Database): string[] {
  const damage = file.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  const faults = damage
    .filter((row) => row.integrity_check !== "ok")
    .map((row) => `damage: ${row.integrity_check}`);
  const dangling = file.query("PRAGMA foreign_key_check").all();
  if (dangling.length > 0)
    faults.push(`${dangling.length} rows refer to none: ${JSON.stringify(dangling[0])}`);
  for (const [name, query] of Object.entries(halves)) {
    const rows = file.query(query).all();
    if (rows.length > 0) faults.push(`${name}, ${rows.length} times: ${JSON.stringify(rows[0])}`);
  }
  return faults;
}
