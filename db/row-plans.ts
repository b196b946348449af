import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { type Column, input, join, type Table, typedInput, withoutTable } from "./expressions.ts";

/** Drizzle's query builder, without a connection. */
export const builder = drizzle.mock();

type Insert = {
  into: Table;
  values: object;
  onConflict?: { target: Column[]; set?: object } | undefined;
};
type Update = { table: Table; set: object; where: SQL; key: readonly string[] };

/**
 * What an engine needs to run an insert, an update or a delete for several rows by one statement. Its inputs are columns of
 * `source`, which has a row for each. An insert that ignores conflicts returns the keys of inserted rows.
 */
type RowsPlan = { table: string; build(source: SQL, form?: RowForm): SQL };
/**
 * `values`: the values of the statement. Of an insert: `withId`: with the input `id`; `unlessConflict`: so, and returning
 * the ids of rows that conflict with no other one, which are inserted.
 */
export type RowForm = "values" | "withId" | "unlessConflict";
export type InsertRowsPlan = {
  table: string;
  /** Without a source: the insert of one row, which returns nothing. The engine generates its id. */
  build(source?: SQL, form?: RowForm): SQL;
  /** Whether it inserts every row and returns nothing. */
  isPlain: boolean;
  /** The names of the values of the key whose conflicts it ignores; empty when it ignores none. */
  ignoredKey: readonly string[];
};
/** A table, and the names of the inputs that are the key of a row. */
export type RowKeyPlan = { table: string; key: readonly string[] };
/** Of an update or a delete. */
export type ChangeRowsPlan = RowsPlan & RowKeyPlan & { isDelete: boolean };

export function insertRowsPlan({ into, values, onConflict }: Insert): InsertRowsPlan {
  const columns: Record<string, Column> = getTableColumns(into);
  const target = onConflict?.target ?? [];
  const isIgnored = target.length > 0 && !onConflict?.set;
  const key = Object.entries(columns).filter(([, column]) => isIgnored && target.includes(column));
  return {
    table: getTableName(into),
    isPlain: !onConflict,
    ignoredKey: key.map(([name]) => name),
    build: (source, form = "values") => {
      const row = entriesOf(columns, form === "values" ? values : { id: input("id"), ...values });
      const names = join(row.map(([column]) => withoutTable(column)));
      const rows = source
        ? sql`select ${join(row.map(([column, value]) => typedInput(column, value)))} from ${source}`
        : sql`values (${join(row.map(([, value]) => value))})`;
      const insert = sql`insert into ${into} (${names}) ${rows}`;
      if (form === "unlessConflict") return sql`${insert} on conflict do nothing returning id`;
      if (target.length === 0) return insert;
      const onTarget = sql`${insert} on conflict (${join(target.map(withoutTable))}) do`;
      if (onConflict?.set) return sql`${onTarget} update set ${assignmentsOf(columns, onConflict.set)}`;
      if (!source) return sql`${onTarget} nothing`;
      return sql`${onTarget} nothing returning ${join(key.map(([, column]) => withoutTable(column)))}`;
    },
  };
}

/**
 * The plan of an update of one row for several. Undefined if it sets a column of a unique key: whether the key is free
 * depends on the order of the updates then.
 */
export function updateRowsPlan({ table, set, where, key }: Update): ChangeRowsPlan | undefined {
  const columns: Record<string, Column> = getTableColumns(table);
  const unique = uniqueColumnsOf(table);
  if (Object.keys(set).some((name) => unique.has(columns[name]))) return undefined;
  return {
    table: getTableName(table),
    key,
    isDelete: false,
    build: (source) => sql`update ${table} set ${assignmentsOf(columns, set)} from ${source} where ${where}`,
  };
}

/** The plan of a delete of one row for several. */
export function deleteRowsPlan(from: Table, where: SQL, key: readonly string[]): ChangeRowsPlan {
  const build = (source: SQL) => sql`delete from ${from} using ${source} where ${where}`;
  return { table: getTableName(from), key, isDelete: true, build };
}

function uniqueColumnsOf(table: Table): Set<unknown> {
  const { indexes, uniqueConstraints } = getTableConfig(table);
  const ofIndexes = indexes.flatMap(({ config }) => (config.unique ? config.columns : []));
  return new Set([...ofIndexes, ...uniqueConstraints.flatMap((constraint) => constraint.columns)]);
}

/** The columns with their values. */
function entriesOf(columns: Readonly<Record<string, Column>>, values: object): [Column, SQL][] {
  return Object.entries<SQL>(values as never).flatMap(([name, value]): [Column, SQL][] => {
    const column = columns[name];
    return column ? [[column, value]] : [];
  });
}

function assignmentsOf(columns: Readonly<Record<string, Column>>, set: object): SQL {
  const assignments = entriesOf(columns, set);
  return join(
    assignments.map(([column, value]) => sql`${withoutTable(column)} = ${typedInput(column, value)}`),
  );
}
