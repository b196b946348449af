import { expect, test } from "bun:test";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../../db/schema.ts";
import { rowDatabase, valid } from "./valid-rows.ts";

type Column = { name: string; type: string; notnull: number; pk: number };

const { client, tryInsert } = await rowDatabase();
const described = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map(getTableConfig);
const ownTables = described
  .map(({ name }) => name)
  .filter((name) => !["organizations", "secrets", "clock_gaps"].includes(name));
const withAccount = ownTables.filter((name) =>
  columnsOf(name).some((column) => column.name === "account_id"),
);

function columnsOf(table: string): Column[] {
  return client
    .query<Column, [string]>("SELECT name, type, [notnull], pk FROM pragma_table_info(?) ORDER BY cid")
    .all(table);
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

test("every table but organizations, secrets and clock_gaps has an organization_id, which is never null", () => {
  for (const name of ownTables) {
    const columns = columnsOf(name);
    const keys = columns.filter(({ pk }) => pk > 0).map((column) => column.name);
    const { type, notnull } = columns.find((column) => column.name === "organization_id") ?? {};
    // A key of this column alone is the rowid's alias, which is never null.
    const isNeverNull = notnull === 1 || keys.join() === "organization_id";
    expect({ name, type, isNeverNull }).toEqual({ name, type: "INTEGER", isNeverNull: true });
  }
});

/** Events, what is attached and counted of them, scores by day, changes, their deliveries and deletions: their rows outlive the account, or are written often. */
const unkeyed = [
  "events",
  "attachments",
  "usage_days",
  "usage_users",
  "expiring_days",
  "health_days",
  "changes",
  "account_changes",
  "account_deletions",
  "webhook_deliveries",
];

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
