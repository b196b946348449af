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
export const tenantTables: readonly OwnedTable[] = sortByReferences(tables).map((table) => {
  const { columns, primaryKeys } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const others = key.filter((column) => column !== table.organizationId);
  // Safe: columns of the table.
  return { table, key: (others.length > 0 ? others : key) as unknown as Column[] };
});

function sortByReferences<T extends SQLiteTable>(unsorted: readonly T[]): T[] {
  const sorted: T[] = [];
  const references = unsorted.map((table) => ({
    table,
    referenced: getTableConfig(table).foreignKeys.map((key) => key.reference().foreignTable),
  }));
  const isReferenced = (table: T) =>
    references.some(
      (other) =>
        other.table !== table &&
        !sorted.includes(other.table) &&
        other.referenced.some((referenced) => referenced === table),
    );
  while (sorted.length < unsorted.length) {
    const next = unsorted.find((table) => !sorted.includes(table) && !isReferenced(table));
    if (!next) throw new Error("a cycle of foreign keys");
    sorted.push(next);
  }
  return sorted;
}
