import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Column, Table } from "./expressions.ts";
import * as schema from "./schema.ts";

/** A table with rows of organizations, and the columns of its primary key besides the organization. */
type OwnedTable = { table: Table & { organizationId: Column }; key: readonly Column[] };

const tables = Object.values<unknown>(schema).filter(
  (value): value is SQLiteTable & OwnedTable["table"] => is(value, SQLiteTable) && "organizationId" in value,
);

/** Every table with rows of organizations. Referencing tables come first. */
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
      return { table, config, referenced: config.foreignKeys.map((key) => key.reference().foreignTable) };
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
