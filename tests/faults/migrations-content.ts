import { Database } from "bun:sqlite";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { fold, foldAddress } from "../../src/core/folding.ts";

type Made = { accounts: number; now: number };
const day = 86_400_000;
/** The `changes_at` of a score that does not change with time, up to schema 6. */
export const never = Number.MAX_SAFE_INTEGER;
/** The rows of the tables that each migration added. A migration that adds a table needs an entry. */
const contents: Readonly<Record<string, (made: Made) => string>> = {
  "0001_accounts": ({ accounts, now }) => `
    INSERT INTO organizations (name, folded_name, created_at) VALUES ('First', 'first', 1), ('Second', 'second', 2);
    INSERT INTO api_keys (organization_id, name, hash, last_four, created_at)
      VALUES (1, 'laptop', '${"ab".repeat(32)}', 'wxyz', 3), (2, '', '${"cd".repeat(32)}', 'stuv', 4);
    ${numbers(accounts)} INSERT INTO accounts SELECT i, 1 + i % 2, 'Account Nº ' || i, 'account nº ' || i,
      CASE WHEN i % 3 > 0 THEN 'X-' || i END, CASE WHEN i % 3 > 0 THEN 'x-' || i END, i * 1.25,
      ${oneOf("active", "onboarding", "churned", "inactive")}, CASE WHEN i % 7 = 0 THEN 'https://x.io/' || i END,
      CASE WHEN i % 5 = 0 THEN ${now - 40 * day} + i END, ${now - 90 * day} + i, ${now - 90 * day} + 2 * i FROM n;
    INSERT INTO account_counts SELECT organization_id, status, count(*) FROM accounts GROUP BY 1, 2;
    ${numbers(2 * accounts)} INSERT INTO contacts (organization_id, account_id, name, email, created_at)
      SELECT 1 + (1 + i / 2) % 2, 1 + i / 2, CASE WHEN i % 20 > 0 THEN 'Ada ' ELSE 'Éva Ä ' END || i,
        CASE WHEN i % 3 > 0 THEN 'Person' || i || '@Example.com' END, ${now - 80 * day} + i FROM n WHERE i < ${2 * accounts};
    ${numbers(accounts)} INSERT INTO meetings (organization_id, account_id, title, start_at, end_at, created_at)
      SELECT 1 + i % 2, i, 'Review ' || i, ${now - 70 * day} + i, ${now - 70 * day} + 2 * i, ${now - 75 * day} FROM n;
    ${numbers(accounts)} INSERT INTO requests (organization_id, account_id, title, status, severity, requested_at, created_at)
      SELECT 1 + i % 2, i, CASE WHEN i % 20 > 0 THEN 'Size ' ELSE 'Größe ' END || i, ${oneOf("Open", "Planned", "Started", "Done", "Declined")}, 1 + i % 5,
        ${now - 60 * day} + i, ${now - 60 * day} FROM n;
    DELETE FROM contacts WHERE id % 50 = 0;`,
  "0002_synchronised_lists": ({ now }) => `
    UPDATE contacts SET external_id = 'c' || id, last_seen_at = ${now - day} WHERE id % 3 = 0;
    UPDATE meetings SET external_id = 'm' || id, updated_at = updated_at + 5 WHERE id % 3 = 0;
    UPDATE requests SET external_id = 'r' || id, updated_at = updated_at + 5 WHERE id % 3 = 0;`,
  "0003_usage": ({ accounts, now }) => `
    ${numbers(2 * accounts)} INSERT INTO events
        (organization_id, account_id, external_id, message_id, event, timestamp, user_id, properties, received_at)
      SELECT 1 + (1 + i % ${accounts}) % 2, CASE WHEN i % 10 > 0 THEN 1 + i % ${accounts} END, CASE WHEN i % 10 = 0 THEN 'nobody ' || i END,
        'm' || i, 'report.exported', ${now - 3 * day} + i, 'u' || i % 9, '{"rows":12}', ${now} FROM n;
    INSERT INTO unmatched_ids (organization_id, external_id, count, first_at, last_at)
      SELECT organization_id, external_id, 1, timestamp, timestamp FROM events WHERE external_id IS NOT NULL;
    ${numbers(accounts)} INSERT INTO usage_days
      SELECT 1 + i % 2, i, ${Math.floor(now / day)}, 'report.exported', 2, 2, 'u1', ${now - day}, ${now} FROM n;
    INSERT INTO usage_users SELECT organization_id, account_id, day, event, 'u2' FROM usage_days;
    INSERT INTO expiring_days SELECT organization_id, day, account_id, event FROM usage_days WHERE account_id % 9 = 0;`,
  "0004_health": ({ now }) => `
    INSERT INTO last_seen SELECT organization_id, id, 'vitally', ${now - 2 * day} + id FROM accounts WHERE id % 2 = 0;
    INSERT INTO health_progress (organization_id, last_event_id) SELECT organization_id, max(id) FROM events GROUP BY 1;
    UPDATE account_health SET score = 50 + account_id % 50, tier = 'attention', coverage = 0.5, rank = 50 + account_id % 50
      WHERE account_id % 4 > 0;
    UPDATE account_health SET changes_at = CASE WHEN account_id % 5 > 0 THEN ${now + 1_000 * day} ELSE ${never} END;`,
  // The jobs of a server begin at organization 1, so they delete and attach nothing of organization 0.
  "0008_changes": ({ accounts, now }) => `
    INSERT INTO organizations (id, name, folded_name, created_at, deleted_at) VALUES (0, 'Third', 'third', 5, ${now});
    INSERT INTO changes SELECT organization_id, row_number() OVER (PARTITION BY organization_id ORDER BY id), 'account',
      'updated', id, id, ${now - day} + id, 'key', organization_id, 'laptop', 'request ' || id,
      CASE WHEN id % 4 > 0 THEN '{"name":"Größe ' || id || '"}' END, '{"name":"Account Nº ' || id || '"}' FROM accounts;
    INSERT INTO account_changes SELECT organization_id, account_id, sequence FROM changes WHERE sequence % 3 > 0;
    ${numbers(accounts)} INSERT INTO account_deletions SELECT 0, i, 2 * i FROM n;
    ${numbers(accounts)} INSERT INTO attachments
      SELECT 0, 'nobody ' || i, 7 * i, i, 1 + i % 5, ${now - 30 * day} + i, ${now - 3 * day} + i FROM n;
    INSERT INTO usage_totals SELECT organization_id, account_id, day, sum(count), max(last_at)
      FROM usage_days GROUP BY 1, 2, 3;`,
  "0009_idempotency_keys": ({ accounts, now }) => `
    ${numbers(accounts)} INSERT INTO idempotency_keys SELECT 1 + i % 2, 'key ' || i, hex(i), 201, '{"x":' || i || '}',
      CASE WHEN i % 3 > 0 THEN '{"data":{"id":' || i || '}}' END, ${now} - i FROM n;`,
  "0010_key_scopes": () => "UPDATE api_keys SET scopes = 'read', rate_limit = 60 WHERE id = 1;",
  "0011_row_versions": () =>
    ["accounts", "contacts", "meetings", "requests"]
      .map((table) => `UPDATE ${table} SET version = 1 + id % 7;`)
      .join("\n"),
  "0012_lists": () => "INSERT INTO secrets VALUES ('cursors', 'x');",
  "0013_attributes": () => `
    UPDATE accounts SET attributes = '{"seats":' || id || '}';
    INSERT INTO attribute_values SELECT organization_id, 'account', id, 'seats', NULL, id FROM accounts;
    INSERT INTO attribute_names SELECT organization_id, 'account', 'seats', 'number', count(*) FROM accounts GROUP BY 1;`,
  "0014_organization_settings": () => "INSERT INTO organization_settings VALUES (1, 1);",
  "0017_sessions": ({ now }) =>
    `INSERT INTO sessions SELECT organization_id, hash, id, 'session', ${now + day} FROM api_keys;`,
  "0018_persons": ({ now }) => `
    INSERT INTO pending_traits (organization_id, type, id, members, received_at)
      SELECT organization_id, 'user', 'u' || id, '{}', ${now} FROM accounts;
    UPDATE accounts SET member_times = '{"name":' || id || '}';`,
  "0020_pending_erasures": ({ now }) =>
    `UPDATE organizations SET erasure_pending_since = ${now} WHERE id = 1;`,
  "0021_clock_gaps": () => "INSERT INTO clock_gaps VALUES (2, 1);",
  "0023_settings": () => `
    UPDATE organizations SET currency = 'EUR' WHERE id = 1;
    INSERT INTO attribute_types VALUES (1, 'account', 'seats', 'number', 'Seats', NULL, 0);`,
  "0024_number_format": () => "UPDATE organizations SET number_format = 'de-DE' WHERE id = 1;",
  "0025_webhooks": ({ accounts, now }) => `
    INSERT INTO webhooks (organization_id, url, format, ordered, active, secret, position, created_at, updated_at)
      SELECT id, 'https://x.io/' || id, 'accountd', 'account', 1, 'whsec_x', id, ${now}, ${now} FROM organizations;
    ${numbers(accounts)} INSERT INTO webhook_deliveries (organization_id, webhook_id, sequence, account_id, status, created_at)
      SELECT 1, 1, i, i % 7, ${oneOf("pending", "delivered", "failed")}, ${now} + i FROM n;`,
};

/** The numbers from 1 as the table `n`, a prefix of a statement. */
function numbers(count: number): string {
  return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
}

/** SQL for one of the words, in rotation. */
function oneOf(...words: string[]): string {
  return `CASE i % ${words.length} ${words.map((word, i) => `WHEN ${i} THEN '${word}'`).join(" ")} END`;
}

/**
 * The database of the release with this number of migrations, upgraded by every release before it. Throws when a table
 * is empty, because the proof could not detect a loss of its rows.
 */
export async function releasedDatabase(file: string, length: number, accounts: number): Promise<void> {
  const now = Date.now();
  for (let released = 1; released <= length; released += 1) {
    const some = migrations.slice(0, released);
    const options = {
      clock: () => now,
      canCreate: true,
      isExclusive: true,
      migrations: some,
      fold,
      foldAddress,
    };
    await openDatabase(file, options).close();
    const client = new Database(file, { readwrite: true, create: false });
    try {
      client.run("PRAGMA foreign_keys = ON");
      const sql = contents[some.at(-1)?.name ?? ""]?.({ accounts, now });
      if (sql !== undefined) client.transaction(() => client.run(sql))();
      const empty = tablesOf(client).filter(
        (table) => !client.query(`SELECT 1 FROM "${table}" LIMIT 1`).get(),
      );
      if (empty.length > 0) throw new Error(`no rows in ${empty}: add some to contents`);
      client.run("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      client.close();
    }
  }
}

export function tablesOf(client: Database): string[] {
  const sql =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  return client
    .query<{ name: string }, []>(sql)
    .all()
    .map(({ name }) => name);
}
