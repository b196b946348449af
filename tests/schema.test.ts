import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { openDatabase } from "../db/open.ts";
import * as schema from "../db/schema.ts";

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
const ownTables = ["accounts", "account_counts", "contacts", "meetings", "requests"];
const children = ["contacts", "meetings", "requests"];

function columnsOf(table: string): Column[] {
  return client
    .query<Column, [string]>("SELECT name, type, [notnull], pk FROM pragma_table_info(?) ORDER BY cid")
    .all(table);
}

beforeAll(() => {
  client.run("PRAGMA foreign_keys = ON");
  client.run("INSERT INTO organizations VALUES (1, 'First', 'first', 0), (2, 'Second', 'second', 0)");
  client.run(accountWith({}));
});

function accountWith(given: { status?: string; name?: string; updatedAt?: number }): string {
  const { status = "active", name = "Acme", updatedAt = 5 } = given;
  return `INSERT INTO accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at)
    VALUES (1, '${name}', 'acme', 0, '${status}', 5, ${updatedAt})`;
}

function requestWith(given: { status?: string; severity?: number; organization?: number }): string {
  const { status = "Open", severity = 1, organization = 1 } = given;
  return `INSERT INTO requests (organization_id, account_id, title, status, severity, requested_at, created_at)
    VALUES (${organization}, 1, 'SSO', '${status}', ${severity}, 0, 0)`;
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

test("every table but organizations has a NOT NULL organization_id", () => {
  for (const { name } of described.filter((table) => table.name !== "organizations")) {
    const column = columnsOf(name).find((one) => one.name === "organization_id");
    expect({ name, column }).toMatchObject({ name, column: { type: "INTEGER", notnull: 1 } });
  }
});

test.each(children)("%s hang on an account of the same organization", (name) => {
  const keys = client.query(`PRAGMA foreign_key_list(${name})`).all();
  expect(keys).toMatchObject([
    { id: 0, seq: 0, table: "accounts", from: "organization_id", to: "organization_id" },
    { id: 0, seq: 1, table: "accounts", from: "account_id", to: "id" },
  ]);
});

test("a child of another organization's account is refused by the database itself", () => {
  client.run(requestWith({}));
  expect(() => client.run(requestWith({ organization: 2 }))).toThrow("FOREIGN KEY constraint failed");
});

test.each([...ownTables, "api_keys"])("an index of %s begins with the organization", (name) => {
  const indexes = client.query<{ name: string }, []>(`PRAGMA index_list(${name})`).all();
  const first = indexes.map(
    (index) =>
      client.query<{ name: string }, [string]>("SELECT name FROM pragma_index_info(?)").get(index.name)?.name,
  );
  expect(first).toContain("organization_id");
});

test.each(schema.accountStatuses)("an account may be %s", (status) => {
  client.run(accountWith({ status }));
});

test.each(schema.requestStatuses)("a request may be %s", (status) => {
  client.run(requestWith({ status }));
});

test.each([
  ["an account of an unknown status", accountWith({ status: "Active" })],
  ["an account without a name", accountWith({ name: "" })],
  ["an account that changed before it was made", accountWith({ updatedAt: 4 })],
  ["a request of an unknown status", requestWith({ status: "open" })],
  ["a request less severe than 1", requestWith({ severity: 0 })],
  ["a request more severe than 5", requestWith({ severity: 6 })],
  ["a count of an unknown status", "INSERT INTO account_counts VALUES (1, 'gone', 1)"],
  ["a negative count", "INSERT INTO account_counts VALUES (1, 'active', -1)"],
  [
    "a meeting that ends before it begins",
    "INSERT INTO meetings (organization_id, account_id, title, start_at, end_at, created_at) VALUES (1, 1, '', 2, 1, 0)",
  ],
])("the database refuses %s", (_, sql) => {
  expect(() => client.run(sql)).toThrow("CHECK constraint failed");
});
