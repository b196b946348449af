import { is } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "./schema.ts";

type ConfiguredTable = { table: SQLiteTable; config: ReturnType<typeof getTableConfig> };

/** Every table, each after the tables that it references. */
export const tables: readonly ConfiguredTable[] = inOrder();

function inOrder(): ConfiguredTable[] {
  const ordered = new Map<SQLiteTable, ConfiguredTable>();
  const add = (table: SQLiteTable): void => {
    if (ordered.has(table)) return;
    const config = getTableConfig(table);
    const referenced = config.foreignKeys.map((key) => key.reference().foreignTable);
    for (const other of referenced) if (other !== table) add(other);
    // An organization's accounts are deleted first: a job that runs meanwhile changes their counts.
    if (table === schema.accounts) add(schema.accountCounts);
    ordered.set(table, { table, config });
  };
  for (const value of Object.values<unknown>(schema)) if (is(value, SQLiteTable)) add(value);
  return [...ordered.values()];
}

export function keyOfTable({ columns, primaryKeys }: ConfiguredTable["config"]): SQLiteColumn[] {
  return primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
}

/** A table with rows of organizations, and the columns of its primary key besides the organization. */
type OwnedTable = { table: SQLiteTable & { organizationId: SQLiteColumn }; key: readonly SQLiteColumn[] };

/** Every table with rows of organizations. Referencing tables come first, and accounts before their counts. */
export const tenantTables: readonly OwnedTable[] = tables.toReversed().flatMap(({ table, config }) => {
  if (!("organizationId" in table)) return [];
  const key = keyOfTable(config);
  const others = key.filter((column) => column !== table.organizationId);
  // Safe: the column of the organization.
  return [{ table: table as OwnedTable["table"], key: others.length > 0 ? others : key }];
});
