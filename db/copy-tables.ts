import type { Value } from "./engine.ts";
import { UnusableDatabase } from "./errors.ts";
import { keyOfTable, tables } from "./tables.ts";

/** A table as a copy reads and writes it. */
export type CopyTable = {
  name: string;
  columns: readonly { name: string; type: "bigint" | "double precision" | "text" }[];
  /** The positions of the columns of the primary key. */
  key: readonly number[];
  /** Whether the database generates the ids. */
  hasGeneratedId: boolean;
};

/** A row: the values in the order of the columns. */
export type CopyRow = readonly Value[];

/** Every table of the schema, each after the tables that it references. */
export const copyTables: readonly CopyTable[] = tables.map(describe);

function describe({ config }: (typeof tables)[number]): CopyTable {
  const { name, columns } = config;
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, type: typeOf(column.getSQLType()) })),
    key: keyOfTable(config).map((column) => columns.indexOf(column)),
    hasGeneratedId: columns.some((column) => "autoIncrement" in column && column.autoIncrement === true),
  };
}

function typeOf(sqlType: string): CopyTable["columns"][number]["type"] {
  if (sqlType === "integer") return "bigint";
  return sqlType === "real" ? "double precision" : "text";
}

/** The names of the columns, separated by commas. */
export function columnList({ columns }: CopyTable): string {
  return columns.map(({ name }) => name).join(", ");
}

/** A query of both engines for rows in the order of the key: the first ones, or those after the key `$1, $2, …`. */
export function batchQuery(table: CopyTable, isAfterKey: boolean, limit: number): string {
  const key = table.key.flatMap((i) => table.columns[i] ?? []);
  const names = key.map(({ name }) => name).join(", ");
  const inputs = key.map(({ type }, i) => `cast($${i + 1} as ${type})`).join(", ");
  const where = isAfterKey ? `where (${names}) > (${inputs})` : "";
  return `select ${columnList(table)} from ${table.name} ${where} order by ${names} limit ${limit}`;
}

/** The key of a row. */
export function keyOf({ key }: CopyTable, row: CopyRow): Value[] {
  return key.map((i) => row[i] ?? null);
}

/**
 * The SHA-256 of a batch and of the digest before it: the last digest of a table depends on all of its rows.
 * Throws UnusableDatabase for an integer that a JavaScript number cannot have.
 */
export function digestOf(table: CopyTable, previous: string, rows: readonly CopyRow[]): string {
  for (const [i, { name, type }] of table.columns.entries())
    if (type === "bigint" && !rows.every((row) => row[i] === null || Number.isSafeInteger(row[i])))
      throw new UnusableDatabase(`${table.name}.${name} has an integer beyond 2^53, which cannot be copied.`);
  return new Bun.CryptoHasher("sha256").update(previous).update(JSON.stringify(rows)).digest("hex");
}
