import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Column, Table } from "./expressions.ts";
import * as schema from "./schema.ts";

/** A table with rows of organizations, and the columns of its primary key besides the organization. */
type OwnedTable = { table: Table & { organizationId: Column }; key: readonly Column[] };

const tables = Object.values<unknown>(schema).filter(
  (value): value is SQLiteTable & OwnedTable["table"] => is(value, SQLiteTable) && "organizationId" in value,
);

/** Every table with rows of organizations. Referencing tables come first, and accounts before their counts. */
export const tenantTables: readonly OwnedTable[] = sortByReferences().map(({ table, config }) => {
  const { columns, primaryKeys } = config;
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const others = key.filter((column) => column !== table.organizationId);
  // Safe: columns of the table.
  return { table, key: (others.length > 0 ? others : key) as unknown as Column[] };
});

function sortByReferences() {
  const left = new Set(
    tables.map((table) => {
      const config = getTableConfig(table);
      const referenced: SQLiteTable[] = config.foreignKeys.map((key) => key.reference().foreignTable);
      // A job that runs during a deletion changes the counts of the accounts that are left.
      if (table === schema.accounts) referenced.push(schema.accountCounts);
      return { table, config, referenced };
    }),
  );
  return tables.map(() => {
    const others = [...left];
    const next = others.find(({ table }) =>
      others.every((other) => other.table === table || !other.referenced.includes(table)),
    );
    if (!next) throw new Error("a cycle of foreign keys");
    left.delete(next);
    return next;
  });
}
