import {
  type GetColumnData,
  getTableColumns,
  getTableName,
  type Placeholder,
  type SQL,
  type Subquery,
  sql,
} from "drizzle-orm";
import { either } from "./dialects.ts";
import { type Column, type ColumnName, integerInput, type Table } from "./expressions.ts";
import {
  builder,
  type ChangeRowsPlan,
  deleteRowsPlan,
  type InsertRowsPlan,
  insertRowsPlan,
  type RowKeyPlan,
  updateRowsPlan,
} from "./row-plans.ts";

/** The columns that a statement returns, by their names in the row. */
export type SelectFields = Record<string, Column | SQL>;
export type Row<F extends SelectFields> = {
  [Name in keyof F]: F[Name] extends Column
    ? GetColumnData<F[Name], "query">
    : F[Name] extends SQL<infer T>
      ? T
      : never;
};

/**
 * A statement. An engine builds and prepares it once, on first use, because building costs more than running. Its name
 * is for tests and messages.
 */
export type Statement<R> = {
  readonly name: string;
  /** Returns the query. Called by an engine when it prepares the statement. */
  readonly build: () => SQL;
  /** The names of the returned columns, in order. */
  readonly columns: readonly string[];
  readonly insertPlan?: InsertRowsPlan | undefined;
  /** Of `update` of one row by its key, and of `remove` by a key. */
  readonly changePlan?: ChangeRowsPlan | undefined;
  /** Of `select` of one row by its key. */
  readonly rowKey?: RowKeyPlan | undefined;
  /** Never set: it carries the type of a row. */
  readonly row?: R;
};

/** Of each cache of statements. Fewer have names; lists have one for each shape of a request. */
export const maxCachedStatements = 2_000;

/** The statements with a name, for tests of the predicates and plans of all. */
export const definedStatements: Statement<unknown>[] = [];

/** Values for columns; any other name is a compile error. */
export type Assignments<T extends Table> = { [K in ColumnName<T>]?: Placeholder | SQL };
type RequiredColumn<T extends Table> = {
  // biome-ignore lint/complexity/noBannedTypes: `{}` is what an optional member extends.
  [K in ColumnName<T>]-?: {} extends Pick<T["$inferInsert"], K> ? never : K;
}[ColumnName<T>];
/** Values for a new row: required for every column without a default that is not nullable, except for `Added`. */
export type NewRow<T extends Table, Added extends string = never> = Assignments<T> & {
  [K in Exclude<RequiredColumn<T>, Added>]: Placeholder | SQL;
};
/** Makes a name that is no column a compile error, also where TypeScript does not check for excess members. */
type OnlyColumns<T extends Table, V> = { [K in keyof V]: K extends ColumnName<T> ? V[K] : never };

export type SelectPlan<F extends SelectFields> = {
  fields: F;
  from: Table;
  /** Returns a query whose rows are joined with the rows of `from`. SQLite reads them in the order of the query. */
  outerQuery?: () => Subquery | SQL;
  where?: SQL | undefined;
  groupBy?: (Column | SQL)[];
  orderBy?: SQL[];
  /** Adds the inputs `limit` and `offset`. */
  paged?: boolean;
  /** The names of the inputs of `where` that are the key of one row. */
  key?: readonly string[];
};
export type InsertPlan<T extends Table, V, S = Assignments<T>> = {
  into: T;
  values: V & OnlyColumns<T, V>;
  /** A row whose `target` exists is updated by `set` or, without `set`, left unchanged. */
  onConflict?: { target: Column[]; set?: S & OnlyColumns<T, S> };
};
export type UpdatePlan<T extends Table, V> = {
  table: T;
  set: V & OnlyColumns<T, V>;
  where: SQL;
  /** The names of the inputs of `where` that are the key of one row: an engine may update several rows at once. */
  key?: readonly string[];
};
export type DeletePlan = {
  from: Table;
  where: SQL;
  /** SQLite finds the rows by their ids in a list. Without statistics, it would read an index of the organization. */
  isByIds?: boolean;
  /** The names of the inputs of `where` that are the key of the rows: an engine may delete the rows of several keys at once. */
  key?: readonly string[];
};

/** Reads the rows that match `where`, or every row. */
export function select<F extends SelectFields>(
  name: string | undefined,
  plan: SelectPlan<F>,
): Statement<Row<F>> {
  const { from, key } = plan;
  const rowKey = key && { table: getTableName(from), key };
  return define(name, plan.fields, () => selectQuery(plan), { rowKey });
}

function selectQuery({ fields, from, outerQuery, where, groupBy, orderBy, paged }: SelectPlan<SelectFields>) {
  const rows = builder.select(fields);
  // SQLite runs the left side of a cross join as the outer loop.
  const joined = outerQuery ? rows.from(outerQuery()).crossJoin(from).$dynamic() : rows.from(from).$dynamic();
  const query = joined.where(where);
  if (groupBy) query.groupBy(...groupBy);
  if (orderBy) query.orderBy(...orderBy);
  return paged ? addPage(query) : query;
}

function addPage<Q extends { limit(limit: never): { offset(offset: never): unknown } }>(query: Q): Q {
  // Safe: Drizzle renders any SQL here; its types allow numbers and bare inputs only.
  query.limit(integerInput("limit") as never).offset(integerInput("offset") as never);
  return query;
}

export function pageOf({ fields, from, where, orderBy = [] }: SelectPlan<SelectFields>): Subquery {
  const named = Object.entries(fields).map(([name, field]) => [name, sql`${field}`.as(name)]);
  const query = builder.select(Object.fromEntries(named)).from(from).$dynamic();
  return addPage(query.where(where).orderBy(...orderBy)).as("page");
}

export function insert<T extends Table, V extends NewRow<T>, S extends Assignments<T> = Assignments<T>>(
  name: string,
  plan: InsertPlan<T, V, S>,
): Statement<never> {
  assertColumns(plan.into, { ...plan.values, ...plan.onConflict?.set });
  const insertPlan = insertRowsPlan(plan);
  return define(name, {}, () => insertPlan.build(), { insertPlan });
}

/** Inserts the rows that a query returns. Its fields are all columns of the table, in order. */
export function insertSelected(
  name: string,
  { into, ...plan }: SelectPlan<SelectFields> & { into: Table },
): Statement<never> {
  return define(name, {}, () => builder.insert(into).select(selectQuery(plan) as never));
}

/** Updates the rows that match `where`. There is no update of every row. */
export function update<T extends Table, V extends Assignments<T>>(
  name: string,
  { table, set, where, key }: UpdatePlan<T, V>,
): Statement<never> {
  assertColumns(table, set);
  // Safe: the type of `set` allows columns of the table only.
  const build = () =>
    builder
      .update(table)
      .set(set as never)
      .where(where);
  return define(name, {}, build, { changePlan: key && updateRowsPlan({ table, set, where, key }) });
}

/** Deletes the rows that match `where`. There is no delete of every row. */
export function remove(name: string, { from, where, isByIds = false, key }: DeletePlan): Statement<never> {
  const byIds = either({
    sqlite: sql`delete from ${from} not indexed where ${where}`,
    postgres: sql`delete from ${from} where ${where}`,
  });
  return define(name, {}, () => (isByIds ? byIds : builder.delete(from).where(where)), {
    changePlan: key && deleteRowsPlan(from, where, key),
  });
}

/** Throws for a name that is no column: Drizzle would ignore it. Types do not check names made at run time. */
function assertColumns(table: Table, assignments: object): void {
  const columns = getTableColumns(table);
  for (const name of Object.keys(assignments))
    if (!Object.hasOwn(columns, name)) throw new Error(`${getTableName(table)} has no column ${name}`);
}

function define<R>(
  name: string | undefined,
  fields: SelectFields,
  build: () => { getSQL(): SQL },
  plans: Pick<Statement<R>, "insertPlan" | "changePlan" | "rowKey"> = {},
): Statement<R> {
  const columns = Object.keys(fields);
  const statement = { name: name ?? "", columns, build: () => build().getSQL(), ...plans };
  if (name !== undefined) definedStatements.push(statement);
  return statement;
}
