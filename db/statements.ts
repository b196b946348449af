import { and, type GetColumnData, type Name, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { type DrizzlePrepared, PreparedStatement } from "./sqlite/prepared.ts";

/** The columns that a statement answers with, by the names that the caller uses. */
export type SelectFields = Record<string, SQLiteColumn | SQL>;
export type Row<F extends SelectFields> = {
  [Name in keyof F]: F[Name] extends SQLiteColumn
    ? GetColumnData<F[Name], "query">
    : F[Name] extends SQL<infer T>
      ? T
      : never;
};

/**
 * A statement that is prepared once for each connection, on first use, and run with the values of its
 * inputs. Building one costs thirty times what running it costs, so they are built once, as constants.
 */
export type Statement<R> = { readonly prepare: (db: BunSQLiteDatabase) => PreparedStatement<R> };

/** Every statement defined so far, so that a test can read the SQL of each. */
export const statements: Statement<unknown>[] = [];

/** A value for a column, given when the statement runs. */
export function input(name: string): Placeholder {
  return sql.placeholder(name);
}

/**
 * An integer for a condition, given when the statement runs. A bare input beside an ORDER BY makes SQLite
 * plan the statement anew at every run, at many times the cost of the run: it plans with the input's value.
 */
export function integerInput(name: string): SQL<number> {
  return sql`cast(${input(name)} as integer)`;
}

/** A text for a condition; see `integerInput`. */
export function textInput(name: string): SQL<string> {
  return sql`cast(${input(name)} as text)`;
}

/** The condition that a text holds another: literally, no character has a meaning of its own. */
export function contains(text: SQLiteColumn, part: SQL<string>): SQL {
  return sql`instr(${text}, ${part}) > 0`;
}

/** The condition that all of the conditions hold. */
export function allOf(...conditions: [SQL, ...SQL[]]): SQL {
  // Safe: `and` answers undefined only when it is given no condition.
  return and(...conditions) as SQL;
}

/** For `onConflict`: the value that could not be inserted. */
export function excluded(column: SQLiteColumn): SQL {
  return sql`excluded.${sql.identifier(column.name)}`;
}

/** For `onConflict`: the stored number and the one that could not be inserted, added up. */
export function sumOf(column: SQLiteColumn): SQL {
  return sql`${column} + ${excluded(column)}`;
}

/** For `onConflict`: the smaller of the stored number and the one that could not be inserted. */
export function smallerOf(column: SQLiteColumn): SQL {
  return sql`case when ${excluded(column)} < ${column} then ${excluded(column)} else ${column} end`;
}

/** For `onConflict`: the larger of the two. */
export function largerOf(column: SQLiteColumn): SQL {
  return sql`case when ${excluded(column)} > ${column} then ${excluded(column)} else ${column} end`;
}

/** The condition that a row stands after another, in the order of both columns. */
export function isAfter(columns: [SQLiteColumn, SQLiteColumn], row: [SQL, SQL], order: "asc" | "desc"): SQL {
  const sign = sql.raw(order === "asc" ? ">" : "<");
  return sql`(${columns[0]}, ${columns[1]}) ${sign} (${row[0]}, ${row[1]})`;
}

/** Inputs that bear the names of the columns they are for. */
export function inputs(...columns: string[]): Record<string, Placeholder> {
  return Object.fromEntries(columns.map((name) => [name, input(name)]));
}

export type SelectPlan<F extends SelectFields> = {
  fields: F;
  from: SQLiteTable;
  where?: SQL | undefined;
  groupBy?: SQLiteColumn[];
  orderBy?: SQL[];
  /** Rows at most, by the inputs `limit` and `offset`; without it, all. */
  paged?: boolean;
};

/** Reads the rows that `where` finds; without it, every row. */
export function select<F extends SelectFields>(plan: SelectPlan<F>): Statement<Row<F>> {
  return define((db) => {
    const query = db.select(plan.fields).from(plan.from).where(plan.where).$dynamic();
    if (plan.groupBy) query.groupBy(...plan.groupBy);
    if (plan.orderBy) query.orderBy(...plan.orderBy);
    // Safe: drizzle writes what it is given into the statement; its types know numbers and bare inputs alone.
    if (plan.paged) query.limit(integerInput("limit") as never).offset(integerInput("offset") as never);
    return query.prepare();
  });
}

/**
 * Inserts one row. With `onConflict`, a row whose `target` stands there already is changed by `set` instead,
 * or, without a `set`, left as it is.
 */
export function insert<F extends SelectFields>(plan: {
  into: SQLiteTable;
  values: Record<string, Placeholder | SQL>;
  /** Without it the statement is for `run`: to hand a row back costs several times what it costs to insert it. */
  returning?: F;
  onConflict?: { target: SQLiteColumn[]; set?: Record<string, SQL> };
}): Statement<Row<F>> {
  return define((db) => {
    const query = db
      .insert(plan.into)
      .values(plan.values as never)
      .$dynamic();
    const { target, set } = plan.onConflict ?? {};
    if (target && set) query.onConflictDoUpdate({ target, set });
    else if (target) query.onConflictDoNothing({ target });
    return plan.returning ? query.returning(plan.returning as never).prepare() : query.prepare();
  });
}

/** Changes the rows that `where` finds. There is no update of every row. */
export function update<F extends SelectFields>(plan: {
  table: SQLiteTable;
  set: Record<string, Placeholder | SQL>;
  where: SQL;
  returning?: F;
}): Statement<Row<F>> {
  return define((db) => {
    const query = db
      .update(plan.table)
      .set(plan.set as never)
      .where(plan.where)
      .$dynamic();
    return plan.returning ? query.returning(plan.returning as never).prepare() : query.prepare();
  });
}

/** Removes the rows that `where` finds. There is no removal of every row. */
export function remove<F extends SelectFields>(plan: {
  from: SQLiteTable;
  where: SQL;
  returning?: F;
}): Statement<Row<F>> {
  return define((db) => {
    const query = db.delete(plan.from).where(plan.where).$dynamic();
    return plan.returning ? query.returning(plan.returning as never).prepare() : query.prepare();
  });
}

/**
 * The rows of a correlated subquery as the text of one JSON array, each row an array of its fields' values
 * in their order, so that an account and its lists come in one statement. `where` and `orderBy` name their
 * columns in full.
 */
export function jsonArray<F extends Record<string, SQLiteColumn>>(plan: {
  fields: F;
  from: SQLiteTable;
  where: SQL;
  orderBy: SQL[];
  limit: number;
}): SQL<string> {
  const names = Object.keys(plan.fields).map((name) => sql.identifier(name));
  const columns = Object.values(plan.fields).map((column, i) => sql`${column} as ${names[i]}`);
  const rows = sql`select ${join(columns)} from ${plan.from} where ${plan.where} order by ${join(plan.orderBy)} limit ${sql.raw(String(plan.limit))}`;
  return sql<string>`${sql`(select json_group_array(json_array(${join(names)})) from (${rows}))`}`;
}

/** The value of one row of a correlated subquery, or null when it finds none. `where` names its columns in full. */
export function scalarSubquery<T>(plan: { value: SQLiteColumn; from: SQLiteTable; where: SQL }): SQL<T> {
  return sql<T>`${sql`(select ${plan.value} from ${plan.from} where ${plan.where})`}`;
}

function join(parts: (SQL | Name)[]): SQL {
  return sql.join(parts, sql`, `);
}

function define<R>(build: (db: BunSQLiteDatabase) => unknown): Statement<R> {
  // Safe: drizzle's prepared queries over bun:sqlite have these members. That `values` and `set` name columns is
  // shown by a test that prepares every statement.
  const statement = {
    prepare: (db: BunSQLiteDatabase) => new PreparedStatement<R>(build(db) as DrizzlePrepared),
  };
  statements.push(statement);
  return statement;
}
