import { getTableColumns, getTableName, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { type Column, generatedId, input, type Table, withoutTable } from "./expressions.ts";

/** Drizzle's query builder, without a connection. */
export const builder = drizzle.mock();

type Insert = {
  into: Table;
  values: object;
  returning?: Record<string, Column | SQL> | undefined;
  onConflict?: { target: Column[]; set?: object } | undefined;
};

/** What an engine needs to insert several rows by one statement. */
export type RowInsertPlan = {
  table: string;
  /** Whether it inserts every row and returns nothing. */
  isPlain: boolean;
  /** The names of the values of the key whose conflicts it ignores; empty when it ignores none. */
  ignoredKey: readonly string[];
  /**
   * Builds the insert of a number of rows, which returns the keys of inserted rows if it ignores conflicts. Each row
   * has the inputs of the statement in their order and, if it `hasIds`, the input `id`.
   */
  build(rowCount: number, hasIds: boolean): SQL;
};

/** The plan of `insertQuery` for several rows. */
export function insertPlanOf(insert: Insert): RowInsertPlan {
  const { into, returning, onConflict } = insert;
  const columns = onConflict && !onConflict.set ? onConflict.target : [];
  const keyOf = ([name, column]: [string, Column]) => (columns.includes(column) ? [[name, column]] : []);
  const key: Record<string, Column> = Object.fromEntries(
    Object.entries(getTableColumns(into)).flatMap(keyOf),
  );
  return {
    table: getTableName(into),
    isPlain: !returning && !onConflict,
    ignoredKey: Object.keys(key),
    build: (rowCount, hasIds) => {
      const returnedKey = columns.length > 0 ? key : undefined;
      return insertQuery({ ...insert, returning: returnedKey }, rowCount, hasIds).getSQL();
    },
  };
}

/** Drizzle's query of an insert. With `hasIds`, each row has the input `id`; the engine generates it otherwise. */
export function insertQuery(
  { into, values, returning, onConflict }: Insert,
  rowCount = 1,
  hasIds = false,
): { getSQL(): SQL } {
  const row = { ...(hasIds ? { id: input("id") } : generatedId(into)), ...values };
  const query = builder
    .insert(into)
    // Safe: the type of `values` allows columns of the table only.
    .values(Array.from({ length: rowCount }, () => row) as never)
    .$dynamic();
  const { set } = onConflict ?? {};
  const target = onConflict?.target.map(withoutTable) as never;
  if (target && set) query.onConflictDoUpdate({ target, set: set as never });
  else if (target) query.onConflictDoNothing({ target });
  if (returning) query.returning(returning as never);
  return query;
}
