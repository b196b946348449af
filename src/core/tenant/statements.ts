import { asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { either } from "../../../db/dialects.ts";
import type { Values } from "../../../db/engine.ts";
import * as expressions from "../../../db/expressions.ts";
import * as statements from "../../../db/statements.ts";

/** A table whose rows belong to organizations. */
export type TenantTable = expressions.Table & { organizationId: expressions.Column };
type OrganizationTable = expressions.Table & { id: expressions.Column };
type Fields = statements.SelectFields;

/** A statement on the rows of one organization. Only this module builds it; only a tenant runs it. */
export class TenantStatement<R> {
  readonly statement: statements.Statement<R>;
  constructor(statement: statements.Statement<R>) {
    this.statement = statement;
  }
}

/** Reads rows of one organization. */
export interface TenantReader {
  all<R>(statement: TenantStatement<R>, values: Values): Promise<R[]>;
}

/** Reads and changes rows of one organization. */
export interface TenantWriter extends TenantReader {
  run(statement: TenantStatement<unknown>, values: Values): Promise<void>;
  nextSequence(): Promise<number>;
}

/** Reads the organization's rows that match `where`. Its caller caches a statement without a name. */
export function select<F extends Fields>(
  name: string | undefined,
  plan: statements.SelectPlan<F> & { from: TenantTable; isByIds?: boolean },
): TenantStatement<statements.Row<F>> {
  return new TenantStatement(
    statements.select(name, { ...plan, where: ownedByTenant(plan.from, plan.where, plan.isByIds) }),
  );
}

/** Reads the row of the organization itself. */
export function selectOrganization<F extends Fields>(
  name: string,
  { fields, from }: { fields: F; from: OrganizationTable },
): TenantStatement<statements.Row<F>> {
  return new TenantStatement(statements.select(name, { fields, from, where: isTenant(from) }));
}

/** Updates the row of the organization itself. */
export function updateOrganization<T extends OrganizationTable, V extends statements.Assignments<T>>(
  name: string,
  plan: Omit<statements.UpdatePlan<T, V>, "where">,
): TenantStatement<never> {
  return new TenantStatement(statements.update<T, V>(name, { ...plan, where: isTenant(plan.table) }));
}

function isTenant({ id }: OrganizationTable): SQL {
  return eq(id, expressions.integerInput("organizationId"));
}

/** Reads the organization's rows after the input `lastId`, in the order of their ids. */
export function selectAfter<F extends Fields>(
  name: string,
  { fields, from }: { fields: F; from: TenantTable & { id: expressions.Column } },
): TenantStatement<statements.Row<F>> {
  const where = gt(from.id, expressions.integerInput("lastId"));
  return select(name, { fields, from, where, orderBy: [asc(from.id)], paged: true });
}

/** Rows of a table in the order of a column, if any, and of their key. */
export type OrderedRows = {
  from: TenantTable;
  key: expressions.Column;
  value: expressions.Column | undefined;
  where: SQL | undefined;
};
type KeyedPage = { keys: OrderedRows & { orderBy: SQL[] }; direction: typeof asc; hasPosition: boolean };

/** Finds the keys of a page of rows, then the rows; if they have a position, with their `orderKey` and `orderValue`. */
export function selectByKeys(
  { fields, from, key }: { fields: Fields; from: TenantTable; key: expressions.Column },
  { keys: { key: rowKey, value, where, ...rows }, direction, hasPosition }: KeyedPage,
): TenantStatement<unknown> {
  const [pageKey, pageValue] = [sql.raw("page.page_key"), sql.raw("page.page_value")];
  const pageFields = { page_key: rowKey, ...(value && { page_value: value }) };
  const outerQuery = () =>
    statements.pageOf({ ...rows, fields: pageFields, where: ownedByTenant(rows.from, where) });
  const position = hasPosition && { ...(value && { orderValue: pageValue }), orderKey: key };
  return select(undefined, {
    ...{ fields: { ...fields, ...position }, from, outerQuery, where: sql`${key} = ${pageKey}` },
    orderBy: [...(value ? [direction(pageValue)] : []), direction(pageKey)],
  });
}

export function insert<
  T extends TenantTable,
  V extends statements.NewRow<T, "organizationId">,
  S extends statements.Assignments<T> = statements.Assignments<T>,
>(name: string, plan: statements.InsertPlan<T, V, S>): TenantStatement<never> {
  const values = { ...plan.values, organizationId: expressions.input("organizationId") };
  // Safe: the values of a new row and its organization.
  return new TenantStatement(statements.insert<T, statements.NewRow<T>>(name, { ...plan, values } as never));
}

/** Inserts the rows of the organization that a query returns. Its fields are all columns of `into`, in order. */
export function insertSelected(
  name: string,
  plan: statements.SelectPlan<Fields> & { from: TenantTable; into: TenantTable },
): TenantStatement<never> {
  const where = ownedByTenant(plan.from, plan.where);
  return new TenantStatement(statements.insertSelected(name, { ...plan, where }));
}

/** Updates the organization's rows that match `where`. */
export function update<T extends TenantTable, V extends statements.Assignments<T>>(
  name: string,
  plan: statements.UpdatePlan<T, V>,
): TenantStatement<never> {
  const where = ownedByTenant(plan.table, plan.where);
  return new TenantStatement(statements.update<T, V>(name, { ...plan, where }));
}

/** Deletes the organization's rows that match `where`. */
export function remove(
  name: string,
  plan: statements.DeletePlan & { from: TenantTable },
): TenantStatement<never> {
  return new TenantStatement(
    statements.remove(name, { ...plan, where: ownedByTenant(plan.from, plan.where, plan.isByIds) }),
  );
}

/** `expressions.jsonArray` of rows of the organization. */
export function jsonArray<F extends Record<string, expressions.Column>>(
  plan: Omit<Parameters<typeof expressions.jsonArray<F>>[0], "where"> & {
    from: TenantTable;
    where: SQL | undefined;
  },
): SQL<string> {
  return expressions.jsonArray({ ...plan, where: ownedByTenant(plan.from, plan.where) });
}

/** An aggregate of the organization's rows that match `where`, as a subquery. `where` qualifies its columns. */
export function aggregateOf<T>(
  value: SQL<T>,
  { from, where }: { from: TenantTable; where: SQL | undefined },
): SQL<T> {
  return sql<T>`${sql`(select ${value} from ${from} where ${ownedByTenant(from, where)})`}`;
}

/** The number of the organization's rows in several tables together, at most `max`: further rows are not read. */
export function countUpTo(max: number, queries: readonly { from: TenantTable; where: SQL }[]): SQL<number> {
  const parts = queries.map(
    ({ from, where }) =>
      sql`select 1 from ${sql`(select 1 from ${from} where ${ownedByTenant(from, where)})`} as part`,
  );
  const rows = sql`${sql.join(parts, sql` union all `)} limit ${sql.raw(String(max))}`;
  return sql<number>`${sql`(select count(*) from (${rows}) as counted)`}`;
}

/** The condition that `column`, or `key` itself, is the key of a row in a subquery, which SQLite evaluates first. */
export function inSubquery(plan: {
  from: TenantTable;
  key: expressions.Column;
  where: SQL | undefined;
  column?: expressions.Column;
}): SQL {
  const { from, key, column = key } = plan;
  return sql`${column} in (select ${key} from ${from} where ${ownedByTenant(from, plan.where)})`;
}

/**
 * The condition that a row has one of the texts in a JSON array; no two rows of the organization have the same. Needs
 * `isByIds`. PostgreSQL looks each text up. Without statistics, it would compare all rows with the whole array.
 */
export function isUniqueInJson(
  { from, id, text }: { from: TenantTable; id: expressions.Column; text: expressions.Column },
  json: SQL<string>,
): SQL {
  const isText = ownedByTenant(from, sql`${text} = any(array[element.value])`);
  // Only the unique index has this order: in a small table, all indexes cost the same.
  const found = sql`(select ${id} from ${from} where ${isText} order by ${text} limit 1)`;
  return either({
    sqlite: expressions.isInJson(text, json),
    postgres: sql`${id} = any(array(select ${found} from json_array_elements_text(cast(${json} as json)) as element (value)))`,
  });
}

/**
 * The condition that a row is one of each `step` rows of the organization in the order of the key. Its place in its group is
 * pseudorandom, so that a pattern that rows repeat is sampled evenly.
 */
export function isSampled({ from, key }: { from: TenantTable; key: expressions.Column }): SQL {
  const step = expressions.integerInput("step");
  const numbered = sql`select ${key} as numbered_key, row_number() over (order by ${key}) - 1 as position from ${from} where ${isOwnedByTenant(from)}`;
  // The generator of a multiplicative sequence; both numbers are prime.
  const place = sql`(position / ${step}) * 7919 % 10007 % ${step}`;
  return sql`${key} in (select numbered_key from (${numbered}) as numbered where position % ${step} = ${place})`;
}

/** The condition that a row of the organization matches `where`, which qualifies its columns. */
export function existsIn({ from, where }: { from: TenantTable; where: SQL | undefined }): SQL {
  return expressions.exists(sql`select 1 from ${from} where ${ownedByTenant(from, where)}`);
}

/** `isByIds`: `where` has the ids of the rows. Without statistics, PostgreSQL would prefer an index of the organization. */
function ownedByTenant(table: TenantTable, where: SQL | undefined, isByIds = false): SQL {
  const isOwned = isOwnedByTenant(table);
  return expressions.allOf(isByIds ? expressions.withoutPostgresIndex(isOwned) : isOwned, where);
}

function isOwnedByTenant({ organizationId }: TenantTable): SQL {
  return eq(organizationId, expressions.integerInput("organizationId"));
}
