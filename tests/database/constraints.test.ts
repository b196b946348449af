import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../../db/schema.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { clock } from "./files.ts";

type Column = { name: string; type: string; notnull: number; pk: number };

const folder = mkdtempSync(join(tmpdir(), "accountd-"));
const file = join(folder, "accountd.db");
await openDatabase(file, { clock, create: true }).close();
const client = new Database(file);
afterAll(() => {
  client.close();
  rmSync(folder, { recursive: true, force: true });
});

const described = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map(getTableConfig);
const ownTables = described.map(({ name }) => name).filter((name) => name !== "organizations");
const withAccount = ownTables.filter((name) =>
  columnsOf(name).some((column) => column.name === "account_id"),
);

function columnsOf(table: string): Column[] {
  return client
    .query<Column, [string]>("SELECT name, type, [notnull], pk FROM pragma_table_info(?) ORDER BY cid")
    .all(table);
}

beforeAll(() => {
  client.run("PRAGMA foreign_keys = ON");
  client.run(
    "INSERT INTO organizations (id, name, folded_name, created_at) VALUES (1, 'First', 'first', 0), (2, 'Second', 'second', 0)",
  );
  insert("accounts");
});

type Values = Record<string, string | number | null>;

const times = { created_at: 5, updated_at: 5 };
const account = { organization_id: 1, account_id: 1 };
/** A row of each table that the database accepts. */
const valid: Record<string, Values> = {
  organizations: { name: "Third", folded_name: "third", created_at: 0 },
  api_keys: { organization_id: 1, name: "laptop", hash: "a".repeat(64), last_four: "wxyz", created_at: 0 },
  accounts: { organization_id: 1, name: "Acme", folded_name: "acme", mrr: 0, status: "active", ...times },
  account_counts: { organization_id: 1, status: "active", count: 1 },
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
  usage_days: { ...account, day: 1, event: "login", count: 2, users: 1, first_at: 1, last_at: 1 },
  usage_users: { ...account, day: 1, event: "login", user_id: "u" },
  expiring_days: { ...account, day: 1, event: "login" },
  last_seen: { ...account, source: "crm", last_seen_at: 1 },
  health_progress: { organization_id: 1, last_event_id: 0 },
  changes: {
    ...account,
    sequence: 1,
    resource: "account",
    action: "created",
    resource_id: 1,
    changed_at: 1,
    actor_type: "job",
  },
  account_deletions: { ...account, last_event_id: 0 },
};

/** Inserts a valid row of the table, with other values in some columns. */
function insert(table: string, changed: Values = {}): void {
  const row: Values = { ...valid[table], ...changed };
  const columns = Object.keys(row);
  client
    .query(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => "?")})`)
    .run(...Object.values(row));
}

/** The same, rolled back. */
function tryInsert(table: string, changed: Values = {}): void {
  client.run("BEGIN");
  try {
    insert(table, changed);
  } finally {
    client.run("ROLLBACK");
  }
}

test("the database accepts a valid row of every table", () => {
  expect(Object.keys(valid).toSorted()).toEqual(described.map(({ name }) => name).toSorted());
  for (const table of Object.keys(valid)) tryInsert(table);
});

test("no column converts its values", () => {
  const values = { INTEGER: 1_767_323_045_678, REAL: 0.5, TEXT: "[1, 2]" } as const;
  for (const { columns } of described) {
    for (const column of columns) {
      const value = values[column.getSQLType().toUpperCase() as keyof typeof values];
      expect(column.mapFromDriverValue(value)).toBe(value);
      expect(column.mapToDriverValue(value)).toBe(value);
    }
  }
});

test.each(
  described.flatMap(({ name, columns }) =>
    columns.map((column) => [`${name}.${column.name}`, name, column] as const),
  ),
)("STRICT: %s rejects a value of another type", (_, table, column) => {
  const other = column.getSQLType().toLowerCase() === "text" ? new Uint8Array([1]) : "text";
  const row: Record<string, unknown> = { ...valid[table], [column.name]: other };
  const names = Object.keys(row);
  client.run("BEGIN");
  try {
    const query = client.query(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => "?")})`);
    expect(() => query.run(...(Object.values(row) as never[]))).toThrow(/cannot store|datatype mismatch/);
  } finally {
    client.run("ROLLBACK");
  }
});

test("every table but organizations has an organization_id, which is never null", () => {
  for (const name of ownTables) {
    const columns = columnsOf(name);
    const keys = columns.filter(({ pk }) => pk > 0).map((column) => column.name);
    const { type, notnull } = columns.find((column) => column.name === "organization_id") ?? {};
    // A key of this column alone is the rowid's alias, which is never null.
    const isNeverNull = notnull === 1 || keys.join() === "organization_id";
    expect({ name, type, isNeverNull }).toEqual({ name, type: "INTEGER", isNeverNull: true });
  }
});

/** Events, what is counted of them, changes and deletions: their rows outlive the account, or are written often. */
const unkeyed = ["events", "usage_days", "usage_users", "expiring_days", "changes", "account_deletions"];

test.each(withAccount.filter((name) => !unkeyed.includes(name)))(
  "rows of %s belong to an account of the same organization",
  (name) => {
    const keys = client
      .query<{ table: string; from: string; to: string }, [string]>(
        'SELECT "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq',
      )
      .all(name);
    expect(keys.filter(({ table }) => table === "accounts")).toEqual([
      { table: "accounts", from: "organization_id", to: "organization_id" },
      { table: "accounts", from: "account_id", to: "id" },
    ]);
  },
);

test.each(["contacts", "meetings", "requests", "last_seen"])(
  "a row of %s with another organization's account is rejected by the database itself",
  (table) => {
    tryInsert(table);
    expect(() => tryInsert(table, { organization_id: 2 })).toThrow("FOREIGN KEY constraint failed");
  },
);

test.each(ownTables)("a key or an index of %s begins with the organization", (name) => {
  const first = client
    .query<{ name: string }, [string, string]>(
      `SELECT one.name FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS one WHERE one.seqno = 0
       UNION SELECT name FROM pragma_table_info(?) WHERE pk = 1`,
    )
    .all(name, name);
  expect(first).toContainEqual({ name: "organization_id" });
});

test.each(schema.accountStatuses)("an account may be %s", (status) => {
  tryInsert("accounts", { status });
  tryInsert("account_counts", { status });
});

test.each(schema.requestStatuses)("a request may be %s", (status) => {
  tryInsert("requests", { status, resolved_at: /^(Done|Declined)$/.test(status) ? 5 : null });
});

test.each(schema.healthTiers)("an account may have the tier %s", (tier) => {
  tryInsert("accounts", { tier, score: 50 });
});

test("an account without a score has the rank after all scores", () => {
  client.run("BEGIN");
  insert("accounts", { id: 99 });
  const row = client.query("SELECT score, tier, coverage, rank, score_stale_at FROM accounts WHERE id = 99");
  expect(row.get()).toEqual({ score: null, tier: null, coverage: 0, rank: 101, score_stale_at: null });
  client.run("ROLLBACK");
});

test.each([
  ["an organization without a name", "organizations", { name: "" }],
  ["a key whose hash has another length", "api_keys", { hash: "ab" }],
  ["a key whose last four are five", "api_keys", { last_four: "vwxyz" }],
  ["an account of an unknown status", "accounts", { status: "Active" }],
  ["an account without a name", "accounts", { name: "" }],
  ["an account with an empty external id", "accounts", { external_id: "" }],
  ["an account that changed before it was created", "accounts", { updated_at: 4 }],
  ["an account with a score below 0", "accounts", { score: -0.1, tier: "critical" }],
  ["an account with a score above 100", "accounts", { score: 100.1, tier: "healthy" }],
  ["an account of an unknown tier", "accounts", { score: 50, tier: "Healthy" }],
  ["an account with a score and no tier", "accounts", { score: 50 }],
  ["an account with a tier and no score", "accounts", { tier: "healthy" }],
  ["an account with a coverage below 0", "accounts", { coverage: -0.1 }],
  ["an account with a coverage above 1", "accounts", { coverage: 1.1 }],
  ["a count of an unknown status", "account_counts", { status: "gone" }],
  ["a negative count", "account_counts", { count: -1 }],
  ["a contact without a name", "contacts", { name: "" }],
  ["a contact with an empty external id", "contacts", { external_id: "" }],
  ["a contact with an empty e-mail address", "contacts", { email: "", folded_email: "" }],
  ["a contact whose e-mail address is not folded", "contacts", { email: "ada@x.io" }],
  ["a contact with the folded form of no e-mail address", "contacts", { folded_email: "ada@x.io" }],
  ["a contact that changed before it was created", "contacts", { updated_at: 4 }],
  ["a meeting that ends before it begins", "meetings", { start_at: 2 }],
  ["a meeting with an empty external id", "meetings", { external_id: "" }],
  ["a meeting that changed before it was created", "meetings", { updated_at: 4 }],
  ["a request of an unknown status", "requests", { status: "open" }],
  ["a request less severe than 1", "requests", { severity: 0 }],
  ["a request more severe than 5", "requests", { severity: 6 }],
  ["a request with an empty external id", "requests", { external_id: "" }],
  ["a request that changed before it was created", "requests", { updated_at: 4 }],
  ["a request that is Done and not resolved", "requests", { status: "Done" }],
  ["a request that is Declined and not resolved", "requests", { status: "Declined" }],
  ["an open request that is resolved", "requests", { resolved_at: 5 }],
  ["a planned request that is resolved", "requests", { status: "Planned", resolved_at: 5 }],
  ["a started request that is resolved", "requests", { status: "Started", resolved_at: 5 }],
  ["an event without a name", "events", { event: "" }],
  ["an event with an empty external id", "events", { external_id: "" }],
  ["an event with an empty message id", "events", { message_id: "" }],
  ["an event with an empty user id", "events", { user_id: "" }],
  ["an event of an account that is pending", "events", { account_id: 1, external_id: "x" }],
  ["an empty external id of pending events", "unmatched_ids", { external_id: "" }],
  ["an external id of no pending events", "unmatched_ids", { count: 0 }],
  ["pending events whose last is before the first", "unmatched_ids", { last_at: 0 }],
  ["usage of an event without a name", "usage_days", { event: "" }],
  ["usage of no events", "usage_days", { count: 0 }],
  ["usage by a negative number of users", "usage_days", { users: -1 }],
  ["usage by more users than events", "usage_days", { users: 3 }],
  ["usage by a user without an id", "usage_days", { first_user: "" }],
  ["usage whose last event is before the first", "usage_days", { last_at: 0 }],
  ["a further user without an id", "usage_users", { user_id: "" }],
  ["a platform without a name", "last_seen", { source: "" }],
  ["a change before the first", "changes", { sequence: 0 }],
])("the database rejects %s", (_, table, changed: Values) => {
  expect(() => tryInsert(table, changed)).toThrow("CHECK constraint failed");
});

test.each(["accounts", "contacts", "meetings", "requests", "unmatched_ids"])(
  "%s of one organization have different external ids",
  (table) => {
    insert(table, { external_id: "same" });
    insert(table, { external_id: "other" });
    expect(() => insert(table, { external_id: "same" })).toThrow("UNIQUE constraint failed");
  },
);

test("two organizations may have the same external ids, and none has a message id or a sequence number twice", () => {
  insert("accounts", { organization_id: 2, external_id: "same" });
  insert("events", { message_id: "m" });
  insert("events", { message_id: "m", organization_id: 2 });
  expect(() => insert("events", { message_id: "m" })).toThrow("UNIQUE constraint failed");
  insert("changes");
  insert("changes", { organization_id: 2 });
  expect(() => insert("changes")).toThrow("UNIQUE constraint failed");
});

test("contacts of one account have different e-mail addresses, and of two accounts may have the same", () => {
  const ada = { email: "Ada@x.io", folded_email: "ada@x.io" };
  insert("accounts", { id: 77 });
  insert("contacts", ada);
  insert("contacts", { ...ada, account_id: 77 });
  expect(() => insert("contacts", ada)).toThrow("UNIQUE constraint failed");
  expect(() => insert("contacts", { ...ada, account_id: 77, email: "ADA@x.io" })).toThrow(
    "UNIQUE constraint failed",
  );
});
