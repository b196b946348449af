import { Database } from "bun:sqlite";
import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { clock } from "./files.ts";

export type Values = Record<string, string | number | null>;

const times = { created_at: 5, updated_at: 5 };
const account = { organization_id: 1, account_id: 1 };
/** A row of each table that the database accepts. */
export const valid: Record<string, Values> = {
  organizations: { name: "Third", folded_name: "third", created_at: 0 },
  api_keys: { organization_id: 1, name: "laptop", hash: "a".repeat(64), last_four: "wxyz", created_at: 0 },
  accounts: { organization_id: 1, name: "Acme", folded_name: "acme", mrr: 0, status: "active", ...times },
  account_counts: {
    organization_id: 1,
    status: "active",
    tier: "none",
    count: 1,
  },
  contacts: { ...account, name: "Ada", folded_name: "ada", ...times },
  meetings: { ...account, title: "Review", folded_title: "review", start_at: 1, end_at: 1, ...times },
  requests: {
    ...account,
    title: "SSO",
    folded_title: "sso",
    status: "Open",
    severity: 1,
    requested_at: 0,
    ...times,
  },
  events: { organization_id: 1, event: "login", timestamp: 1, received_at: 1 },
  unmatched_ids: { organization_id: 1, external_id: "x", count: 1, first_at: 1, last_at: 1 },
  attachments: {
    ...account,
    external_id: "x",
    last_event_id: 1,
    count: 1,
    expired_at: 0,
    next_timestamp: 0,
  },
  usage_days: { ...account, day: 1, event: "login", count: 2, users: 1, first_at: 1, last_at: 1 },
  usage_sums: { organization_id: 1, day: 1, event: "login", count: 2, users: 1, account_count: 1 },
  usage_sum_users: { organization_id: 1, day: 1, event: "login", user_id: "u", account_count: 1 },
  usage_users: { ...account, day: 1, event: "login", user_id: "u" },
  expiring_days: { ...account, day: 1, event: "login" },
  last_seen: { ...account, source: "crm", last_seen_at: 1 },
  idempotency_keys: {
    organization_id: 1,
    key: "k",
    fingerprint: "x",
    status: 200,
    headers: "{}",
    body: null,
    created_at: 0,
  },
  pending_traits: { organization_id: 1, type: "user", id: "u", members: "{}", received_at: 1 },
  sessions: { organization_id: 1, hash: "a".repeat(64), key_id: 1, kind: "session", expires_at: 1 },
  webhooks: {
    organization_id: 1,
    url: "https://x.io",
    format: "accountd",
    ordered: "account",
    active: 1,
    secret: "whsec_x",
    position: 0,
    ...times,
  },
  webhook_deliveries: { ...account, webhook_id: 1, sequence: 1, status: "pending", created_at: 5 },
  secrets: { name: "cursors", value: "x" },
  clock_gaps: { started_at: 1, newest_at: 0 },
  organization_settings: { organization_id: 1, traits: 1, message_id_key: "x" },
  health_progress: { organization_id: 1, last_event_id: 0, refreshed_at: 0 },
  health_days: { ...account, day: 1, score: 80, tier: "healthy" },
  changes: {
    ...account,
    sequence: 1,
    resource: "account",
    action: "created",
    resource_id: 1,
    changed_at: 1,
    actor_type: "job",
  },
  account_changes: { ...account, sequence: 1 },
  attribute_values: {
    organization_id: 1,
    resource: "account",
    row_id: 1,
    name: "plan",
    text: "pro",
    number: null,
  },
  attribute_names: { organization_id: 1, resource: "account", name: "plan", type: "string", count: 1 },
  attribute_types: { organization_id: 1, resource: "account", name: "renewal", type: "date" },
  health_settings: { organization_id: 1, has_meetings: 1 },
  account_deletions: { ...account, last_event_id: 0 },
};

/** A new database with two organizations and an account. `insert` adds a valid row with the given values in some columns. */
export async function rowDatabase() {
  const folder = mkdtempSync(join(tmpdir(), "accountd-"));
  const file = join(folder, "accountd.db");
  await openDatabase(file, { clock, canCreate: true }).close();
  const client = new Database(file);
  afterAll(() => {
    client.close();
    rmSync(folder, { recursive: true, force: true });
  });
  client.run("PRAGMA foreign_keys = ON");
  client.run(
    "INSERT INTO organizations (id, name, folded_name, created_at) VALUES (1, 'First', 'first', 0), (2, 'Second', 'second', 0)",
  );

  function insert(table: string, changed: Values = {}): void {
    const row: Values = { ...valid[table], ...changed };
    const columns = Object.keys(row);
    client
      .query(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => "?")})`)
      .run(...Object.values(row));
  }

  insert("accounts");
  return {
    client,
    insert,
    /** Inserts a row and rolls back. */
    tryInsert(table: string, changed: Values = {}): void {
      client.run("BEGIN");
      try {
        insert(table, changed);
      } finally {
        client.run("ROLLBACK");
      }
    },
  };
}
