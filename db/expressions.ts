import { and, is, type Name, Placeholder, SQL, sql } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { either } from "./dialects.ts";

export type Table = SQLiteTable;
export type Column = SQLiteColumn;
/** The columns of a table, by their names in `schema.ts`. */
export type ColumnName<T extends Table> = keyof T["$inferInsert"] & string;

const indexedColumns = new Map<Table, ReadonlySet<unknown>>();

/** Whether an organization's rows can be read in the order of the column, from an index of all of its rows. */
export function hasIndex(table: Table, column: Column): boolean {
  return indexedColumns.getOrInsertComputed(table, readIndexedColumns).has(column);
}

function readIndexedColumns(table: Table): ReadonlySet<unknown> {
  const { indexes, uniqueConstraints } = getTableConfig(table);
  return new Set([
    ...indexes.flatMap(({ config }) => (config.where ? [] : [config.columns[1]])),
    ...uniqueConstraints.map(({ columns }) => columns[1]),
  ]);
}

/** A value that is bound when the statement runs. */
export function input(name: string): Placeholder {
  return sql.placeholder(name);
}

/** Columns of a table by their names. */
export function pick<T extends Table, K extends ColumnName<T>>(
  table: T,
  ...columns: readonly K[]
): Pick<T, K> {
  // Safe: the entries have exactly these names.
  return Object.fromEntries(columns.map((name) => [name, table[name]])) as Pick<T, K>;
}

/** Inputs for columns of a table, each named after its column. */
export function inputs<T extends Table, K extends ColumnName<T>>(
  _table: T,
  ...columns: readonly K[]
): Record<K, Placeholder> {
  // Safe: the entries have exactly these names.
  return Object.fromEntries(columns.map((name) => [name, input(name)])) as Record<K, Placeholder>;
}

/**
 * An integer input for a condition. The cast stops SQLite from planning a statement with an ORDER BY again at every
 * run: with a bare input, the plan depends on its value. `bigint` has room for milliseconds on every engine.
 */
export function integerInput(name: string): SQL<number> {
  return sql`cast(${input(name)} as bigint)`;
}

/** The condition that an integer is smaller than the first input or larger than the second. */
export function isOutside(column: Column, from: string, to: string): SQL {
  return sql`${column} not between ${integerInput(from)} and ${integerInput(to)}`;
}

/** A text input for a condition; see `integerInput`. */
export function textInput(name: string): SQL<string> {
  return sql`cast(${input(name)} as text)`;
}

/** The condition that a text contains another, compared literally. */
export function contains(text: Column | SQL<string>, part: SQL<string>): SQL {
  return either({
    sqlite: sql`instr(${text}, ${part}) > 0`,
    postgres: sql`strpos(${text}, ${part}) > 0`,
  });
}

/**
 * The condition that a value is an element of a JSON array; an expression is a text. PostgreSQL gets an array of its own:
 * with a subquery, it may read all rows of the organization to join them.
 */
export function isInJson(value: Column | SQL, json: SQL<string>): SQL {
  const type = sql.raw(is(value, SQL) ? "text" : castTypeOf(value));
  return either({
    sqlite: sql`${value} in (select value from json_each(${json}))`,
    postgres: sql`${value} = any(array(select cast(value as ${type}) from json_array_elements_text(cast(${json} as json)) as element (value)))`,
  });
}

export const pair = { number: sql.raw("pair.number"), text: sql.raw("pair.text") };

/** The pairs of a number and a text in a JSON array of arrays, as a table: rows are found by two columns. */
export function pairsOf(json: SQL<string>): SQL {
  return either({
    sqlite: sql`(select value ->> 0 as number, value ->> 1 as text from json_each(${json})) as pair`,
    postgres: sql`(select cast(value ->> 0 as bigint) as number, value ->> 1 as text from json_array_elements(cast(${json} as json)) as element (value)) as pair`,
  });
}

/** The value; an input as one of the type of the column. */
export function typedInput(column: Column, value: SQL | Placeholder): SQL {
  if (!is(value, Placeholder)) return value as SQL;
  return sql`cast(${value} as ${sql.raw(castTypeOf(column))})`;
}

export function castTypeOf(column: Column): "bigint" | "double precision" | "text" {
  const types = { integer: "bigint", real: "double precision" } as const;
  return types[column.getSQLType() as keyof typeof types] ?? "text";
}

/** The conjunction of the conditions. */
export function allOf(...conditions: [SQL, ...(SQL | undefined)[]]): SQL {
  // Safe: `and` returns undefined only for no condition.
  return and(...conditions) as SQL;
}

/** The column as an expression, so that SQLite does not read the rows in the order of an index of the column. */
export function withoutIndex(column: Column): SQL {
  return sql`coalesce(${column}, ${column})`;
}

/** The name of the column alone, as PostgreSQL requires in `on conflict`. */
export function withoutTable({ name }: Column): SQL {
  return sql`${sql.identifier(name)}`;
}

/** In `onConflict.set`: the value that was to be inserted. */
export function excluded(column: Column): SQL {
  return sql`excluded.${sql.identifier(column.name)}`;
}

export function excludedColumns<T extends Table, K extends ColumnName<T>>(
  table: T,
  ...columns: readonly K[]
): Record<K, SQL> {
  // Safe: a table has a column of each name, and the entries have exactly these names.
  const all = table as unknown as Record<K, Column>;
  return Object.fromEntries(columns.map((name) => [name, excluded(all[name])])) as Record<K, SQL>;
}

/** In `onConflict.set`: the sum of the stored value and the value that was to be inserted. */
export function sumOf(column: Column): SQL {
  return sql`${column} + ${excluded(column)}`;
}

/** In `onConflict.set`: the smaller of the stored value and the value that was to be inserted. */
export function smallerOf(column: Column): SQL {
  return sql`case when ${excluded(column)} < ${column} then ${excluded(column)} else ${column} end`;
}

/** In `onConflict.set`: the larger of the stored value and the value that was to be inserted. */
export function largerOf(column: Column): SQL {
  return sql`case when ${excluded(column)} > ${column} then ${excluded(column)} else ${column} end`;
}

/** The sum of integers; null without rows. PostgreSQL's own result would be a decimal number. */
export function integerSum(value: Column | SQL): SQL<number> {
  return sql<number>`cast(sum(${value}) as bigint)`;
}

/**
 * The sum of numbers, divided by a power of two so that it does not overflow. SQLite compensates rounding errors;
 * PostgreSQL would not, and adds decimals here.
 */
export function scaledSum(value: Column, scale: number): SQL<number> {
  // Every digit of the reciprocal, so that the sum is rounded once. PostgreSQL rejects results that would underflow.
  const reciprocal = sql.raw((1 / scale).toFixed(Math.log2(scale)));
  return either({
    sqlite: sql<number>`sum(${value} / ${sql.raw(String(scale))}.0)`,
    postgres: sql<number>`cast(round(sum(cast(cast(${value} as text) as numeric)) * ${reciprocal}, 320) as double precision)`,
  });
}

/** The condition that a row comes after another in the ascending order of some columns. */
export function isAfter(columns: readonly Column[], row: readonly SQL[]): SQL {
  // Without `+`, the casts have a type affinity, and SQLite uses only the first column of the index.
  const values = row.map((value) => either({ sqlite: sql`+${value}`, postgres: value }));
  return sql`(${join(columns)}) > (${sql.join(values, sql`, `)})`;
}

/** The condition as an expression, for which no index is chosen. */
export function withoutIndexes(condition: SQL | undefined): SQL {
  return either({
    sqlite: sql`case when ${condition} then 1 end`,
    postgres: sql`case when ${condition} then true end`,
  });
}

/** The condition, for which SQLite chooses no index. */
export function withoutSqliteIndex(condition: SQL | undefined): SQL | undefined {
  return condition && either({ sqlite: withoutIndexes(condition), postgres: condition });
}

/** The condition, which SQLite takes for selective: without statistics, it prefers the primary key to an index. */
export function selective(condition: SQL): SQL {
  return either({ sqlite: sql`unlikely(${condition})`, postgres: condition });
}

/** The condition, for which PostgreSQL chooses no index: without statistics, any index with a range seems to be good. */
export function withoutPostgresIndex(condition: SQL): SQL {
  return either({ sqlite: condition, postgres: withoutIndexes(condition) });
}

/**
 * The condition that a correlated subquery has a row. `offset 0` stops PostgreSQL from reading all rows of the table into
 * a hash table, also for a page of few rows.
 */
export function exists(subquery: SQL): SQL {
  return either({ sqlite: sql`exists (${subquery})`, postgres: sql`exists (${subquery} offset 0)` });
}

export function compare(column: Column, operator: "=" | "<" | "<=" | ">" | ">=", name: string): SQL {
  return sql`${column} ${sql.raw(operator)} cast(${input(name)} as ${sql.raw(castTypeOf(column))})`;
}

/**
 * The rows of a correlated subquery as the text of one JSON array, each row as an array of its values, so that one
 * statement reads a row and its lists. `where` and `orderBy` qualify their columns.
 */
export function jsonArray<F extends Record<string, Column>>(plan: {
  fields: F;
  from: Table;
  where: SQL;
  orderBy: SQL[];
  limit: number | SQL;
}): SQL<string> {
  const names = Object.keys(plan.fields).map((name) => sql.identifier(name));
  const columns = Object.values(plan.fields).map((column, i) => sql`${column} as ${names[i]}`);
  const limit = typeof plan.limit === "number" ? sql.raw(String(plan.limit)) : plan.limit;
  const rows = sql`select ${join(columns)} from ${plan.from} where ${plan.where} order by ${join(plan.orderBy)} limit ${limit}`;
  return either({
    sqlite: sql<string>`${sql`(select json_group_array(json_array(${join(names)})) from (${rows}))`}`,
    postgres: sql<string>`(select coalesce(cast(json_agg(json_build_array(${join(names)})) as text), '[]') from (${rows}))`,
  });
}

/** The parts with commas between them. */
export function join(parts: readonly (SQL | Name | Column)[]): SQL {
  return sql.join([...parts], sql`, `);
}
