import { is, SQL } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  getTableConfig,
  SQLiteSyncDialect,
  SQLiteTable,
} from "drizzle-orm/sqlite-core";
import * as schema from "../../db/schema.ts";
import type { Checks } from "./schema-checks.ts";

const dialect = new SQLiteSyncDialect();
const tables = Object.values(schema).filter((value) => is(value, SQLiteTable));

/** The statements that create the database of `db/schema.ts` with these CHECKs: tables, then indexes. */
export function schemaStatements(checks: Checks): string[] {
  return [...tables.map((table) => createTable(table, checks)), ...tables.flatMap(createIndexes)];
}

/** Every table is STRICT; one with a composite primary key has no rowid. */
function createTable(table: SQLiteTable, checks: Checks): string {
  const { name, columns, primaryKeys, uniqueConstraints, foreignKeys } = getTableConfig(table);
  const parts = [
    ...columns.map(columnDefinition),
    ...primaryKeys.map((key) => `PRIMARY KEY (${namesOf(key.columns)})`),
    ...uniqueConstraints.map((unique) => `UNIQUE (${namesOf(unique.columns)})`),
    ...foreignKeys.map((key) => {
      const { columns, foreignColumns, foreignTable } = key.reference();
      const target = `"${getTableConfig(foreignTable).name}" (${namesOf(foreignColumns)})`;
      const onDelete = key.onDelete ? ` ON DELETE ${key.onDelete}` : "";
      const onUpdate = key.onUpdate ? ` ON UPDATE ${key.onUpdate}` : "";
      return `FOREIGN KEY (${namesOf(columns)}) REFERENCES ${target}${onDelete}${onUpdate}`;
    }),
    ...(checks[name] ?? []).map((check) => `CHECK (${check})`),
  ];
  const options = primaryKeys.length > 0 ? "STRICT, WITHOUT ROWID" : "STRICT";
  return `CREATE TABLE "${name}" (\n  ${parts.join(",\n  ")}\n) ${options}`;
}

function columnDefinition(column: AnySQLiteColumn): string {
  const words = [`"${column.name}"`, column.getSQLType().toUpperCase()];
  if (column.primary) {
    words.push("PRIMARY KEY");
    if ("autoIncrement" in column && column.autoIncrement) words.push("AUTOINCREMENT");
    // SQLite does not report NOT NULL of a rowid's alias, which is never null.
  } else if (column.notNull) words.push("NOT NULL");
  if (column.default !== undefined) words.push(`DEFAULT ${defaultOf(column.default)}`);
  if (column.isUnique) words.push("UNIQUE");
  return words.join(" ");
}

function createIndexes(table: SQLiteTable): string[] {
  const { name, indexes } = getTableConfig(table);
  return indexes.map(({ config }) => {
    const unique = config.unique ? "UNIQUE " : "";
    const columns = config.columns.map((column) => (is(column, SQL) ? literal(column) : `"${column.name}"`));
    const where = config.where ? ` WHERE ${literal(config.where)}` : "";
    return `CREATE ${unique}INDEX "${config.name}" ON "${name}" (${columns.join(", ")})${where}`;
  });
}

function defaultOf(value: unknown): string {
  return typeof value === "string" ? `'${value}'` : JSON.stringify(value);
}

function namesOf(columns: readonly { name: string }[]): string {
  return columns.map(({ name }) => `"${name}"`).join(", ");
}

/** The SQL of an expression without inputs; columns without their table, as constraints name them. */
function literal(expression: SQL): string {
  const { sql, params } = dialect.sqlToQuery(expression);
  if (params.length > 0) throw new Error(`a constraint has an input: ${sql}`);
  return sql.replaceAll(/"\w+"\."(\w+)"/g, '"$1"');
}
