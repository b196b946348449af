import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../db/schema.ts";
import { openDatabase } from "../db/sqlite/engine.ts";

type Column = { name: string; type: string; notnull: number; pk: number };

const folder = mkdtempSync(join(tmpdir(), "accountd-"));
const file = join(folder, "accountd.db");
await openDatabase(file, { now: 0, create: true }).close();
const client = new Database(file);
afterAll(() => {
  client.close();
  rmSync(folder, { recursive: true, force: true });
});

const described = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map(getTableConfig);
const tables = client
  .query<{ name: string; strict: number }, []>(
    "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%' ORDER BY name",
  )
  .all();
const ownTables = described.map(({ name }) => name).filter((name) => name !== "organizations");
const children = ownTables.filter((name) => columnsOf(name).some((column) => column.name === "account_id"));

function columnsOf(table: string): Column[] {
  return client
    .query<Column, [string]>("SELECT name, type, [notnull], pk FROM pragma_table_info(?) ORDER BY cid")
    .all(table);
}

beforeAll(() => {
  client.run("PRAGMA foreign_keys = ON");
  client.run("INSERT INTO organizations VALUES (1, 'First', 'first', 0), (2, 'Second', 'second', 0)");
  insert("accounts");
});

type Values = Record<string, string | number | null>;

/** A row of each of these tables that the database takes. */
const sound: Record<string, Values> = {
  accounts: { organization_id: 1, name: "Acme", folded_name: "acme", mrr: 0, status: "active" },
  account_counts: { organization_id: 1, status: "active", count: 1 },
  contacts: { organization_id: 1, account_id: 1, name: "Ada", folded_name: "ada" },
  meetings: {
    organization_id: 1,
    account_id: 1,
    title: "Review",
    folded_title: "review",
    start_at: 1,
    end_at: 1,
  },
  requests: {
    organization_id: 1,
    account_id: 1,
    title: "SSO",
    folded_title: "sso",
    status: "Open",
    severity: 1,
    requested_at: 0,
  },
};

/** Inserts a sound row of the table, with other values in some columns. */
function insert(table: string, given: Values = {}): void {
  const times = table === "account_counts" ? {} : { created_at: 5, updated_at: 5 };
  const row: Values = { ...sound[table], ...times, ...given };
  const columns = Object.keys(row);
  client
    .query(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => "?")})`)
    .run(...Object.values(row));
}

test("db/schema.ts and the migrated database have the same tables", () => {
  const names = described.map(({ name }) => name);
  expect([...names, "schema_migrations"].sort()).toEqual(tables.map(({ name }) => name));
});

test.each(described.map((table) => [table.name, table] as const))(
  "the columns of %s are the same in db/schema.ts and in the database",
  (name, table) => {
    const composite = table.primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
    const expected = table.columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      notNull: column.notNull,
      key: column.primary || composite.includes(column.name),
    }));
    const found = columnsOf(name).map(({ name, type, notnull, pk }) => ({
      name,
      type,
      // A rowid's alias is never null, and the database does not say so.
      notNull: notnull === 1 || pk === 1,
      key: pk > 0,
    }));
    expect(found).toEqual(expected);
  },
);

test("every table is STRICT", () => {
  expect(tables.filter(({ strict }) => strict !== 1)).toEqual([]);
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

/** Events, and what is counted of them: written for each, in the transaction that has found the account. */
const unkeyed = ["events", "usage_days", "usage_users", "expiring_days"];

test.each(children.filter((name) => !unkeyed.includes(name)))(
  "%s hang on an account of the same organization",
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

test("a child of another organization's account is refused by the database itself", () => {
  for (const table of ["contacts", "meetings", "requests"]) {
    insert(table);
    expect(() => insert(table, { organization_id: 2 })).toThrow("FOREIGN KEY constraint failed");
  }
});

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
  insert("accounts", { status });
});

test.each(schema.requestStatuses)("a request may be %s", (status) => {
  insert("requests", { status, resolved_at: /^(Done|Declined)$/.test(status) ? 5 : null });
});

test.each([
  ["an account of an unknown status", "accounts", { status: "Active" }],
  ["an account without a name", "accounts", { name: "" }],
  ["an account with an empty external id", "accounts", { external_id: "" }],
  ["an account that changed before it was made", "accounts", { updated_at: 4 }],
  ["a count of an unknown status", "account_counts", { status: "gone" }],
  ["a negative count", "account_counts", { count: -1 }],
  ["a contact without a name", "contacts", { name: "" }],
  ["a contact with an empty external id", "contacts", { external_id: "" }],
  ["a contact with an empty e-mail address", "contacts", { email: "", folded_email: "" }],
  ["a contact whose e-mail address is not folded", "contacts", { email: "ada@x.io" }],
  ["a contact with the folded form of no e-mail address", "contacts", { folded_email: "ada@x.io" }],
  ["a contact that changed before it was made", "contacts", { updated_at: 4 }],
  ["a meeting that ends before it begins", "meetings", { start_at: 2 }],
  ["a meeting with an empty external id", "meetings", { external_id: "" }],
  ["a meeting that changed before it was made", "meetings", { updated_at: 4 }],
  ["a request of an unknown status", "requests", { status: "open" }],
  ["a request less severe than 1", "requests", { severity: 0 }],
  ["a request more severe than 5", "requests", { severity: 6 }],
  ["a request with an empty external id", "requests", { external_id: "" }],
  ["a request that changed before it was made", "requests", { updated_at: 4 }],
  ["a request that is Done and not resolved", "requests", { status: "Done" }],
  ["a request that is Declined and not resolved", "requests", { status: "Declined" }],
  ["an open request that is resolved", "requests", { resolved_at: 5 }],
  ["a planned request that is resolved", "requests", { status: "Planned", resolved_at: 5 }],
  ["a started request that is resolved", "requests", { status: "Started", resolved_at: 5 }],
])("the database refuses %s", (_, table, given: Values) => {
  expect(() => insert(table, given)).toThrow("CHECK constraint failed");
});

test.each(["accounts", "contacts", "meetings", "requests"])(
  "%s of one organization have different external ids",
  (table) => {
    insert(table, { external_id: "same" });
    insert(table, { external_id: "other" });
    expect(() => insert(table, { external_id: "same" })).toThrow("UNIQUE constraint failed");
  },
);

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
