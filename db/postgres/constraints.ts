import { getTableName, is } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../schema.ts";

/** The columns of each unique constraint, in the form of `UniqueViolation`, by PostgreSQL's name of the constraint. */
const columnsByName = new Map(
  Object.values(schema).flatMap((table) => (is(table, SQLiteTable) ? uniquesOf(table) : [])),
);

/** The columns of a unique constraint: `table.column, table.column`. The name itself for any other one. */
export function columnsOfConstraint(name: string): string {
  return columnsByName.get(name) ?? name;
}

function uniquesOf(table: SQLiteTable): [name: string, columns: string][] {
  const { name, columns, primaryKeys, uniqueConstraints, indexes } = getTableConfig(table);
  const keyColumns = columns.filter(({ primary }) => primary);
  const described = (key: string, list: readonly SQLiteColumn[]): [string, string] => [
    key,
    list.map((column) => `${getTableName(table)}.${column.name}`).join(", "),
  ];
  // PostgreSQL's default names of constraints.
  const uniqueName = (list: readonly SQLiteColumn[]) =>
    [name, ...list.map((column) => column.name), "key"].join("_");
  return [
    ...primaryKeys.map((key) => described(`${name}_pkey`, key.columns)),
    ...(keyColumns.length > 0 ? [described(`${name}_pkey`, keyColumns)] : []),
    ...uniqueConstraints.map((unique) => described(uniqueName(unique.columns), unique.columns)),
    ...indexes.flatMap(({ config }) =>
      // Safe: a unique index is one of columns.
      config.unique ? [described(config.name, config.columns as SQLiteColumn[])] : [],
    ),
    ...columns.filter(({ isUnique }) => isUnique).map((column) => described(uniqueName([column]), [column])),
  ];
}
