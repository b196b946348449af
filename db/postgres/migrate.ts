import type { SQL } from "bun";
import { UnusableDatabase } from "../errors.ts";
import {
  type AddressRow,
  type AppliedMigration,
  checkApplied,
  type FoldedColumn,
  type Folding,
  foldingOf,
  hashOf,
  type Migration,
  type MigrationState,
  type Refolded,
  refoldAddresses,
  selectApplied,
  statesOf,
} from "../migration.ts";
import { isLockTimeout } from "./errors.ts";

/** The advisory lock of migrations: one process at a time applies them. */
const migrationLock = 0x61636374;

const createTable = `create table if not exists schema_migrations (
  version bigint primary key,
  name text not null,
  sha256 text not null,
  applied_at bigint not null
)`;

/** How long a migration waits for the lock of a table. Statements of running copies wait behind it. */
const lockTimeout = "1s";

/**
 * Applies the pending migrations in one transaction; returns their names, or undefined when another transaction has
 * locked a table. Processes that do so at the same time wait for each other. Throws UnusableDatabase when the database
 * is newer than this binary, or had migrations that differ from this binary's.
 */
export async function migrate(
  sql: SQL,
  migrations: readonly Migration[],
  { now, ...folding }: Folding & { now: number },
): Promise<string[] | undefined> {
  const migrating = sql.begin(async (tx) => {
    await tx`select set_config('statement_timeout', '0', true)`;
    await tx`select pg_advisory_xact_lock(${migrationLock})`;
    await tx`select set_config('lock_timeout', ${lockTimeout}, true)`;
    const applied = checkApplied(await readApplied(tx), migrations);
    const pending = migrations.slice(applied.length);
    if (pending.length > 0) await tx.unsafe(createTable);
    for (const [i, migration] of pending.entries()) {
      await tx.unsafe(migration.sql).simple();
      for (const column of migration.folded ?? []) await refold(tx, column, folding);
      await tx`insert into schema_migrations (version, name, sha256, applied_at)
        values (${applied.length + i + 1}, ${migration.name}, ${hashOf(migration)}, ${String(now)})`;
    }
    return pending.map(({ name }) => name);
  });
  return migrating.catch((error: unknown) => {
    if (isLockTimeout(error)) return undefined;
    throw error;
  });
}

/** Folds every address that has characters beyond ASCII, as `migrate` of SQLite does. */
async function refold(tx: SQL, column: FoldedColumn, folding: Folding): Promise<void> {
  const [table, text, folded] = column;
  const rows: AddressRow[] = await tx.unsafe(
    `select cast(id as text), organization_id as "organizationId", account_id as "accountId", ${text} as text,
      ${folded} as "foldedText" from ${table} where octet_length(${text}) > length(${text}) order by ${table}.id`,
  );
  if (rows.length === 0) return;
  const { unique, first } = refoldAddresses(rows, foldingOf(column, folding));
  const update = async (all: readonly Refolded[], condition = "") =>
    tx.unsafe(
      `update ${table} as t set ${folded} = new.folded
        from json_to_recordset(cast(cast($1 as text) as json)) as new (id bigint, folded text) where t.id = new.id ${condition}`,
      [JSON.stringify(all)],
    );
  // Without statistics, a nested loop may read all rows of an account for each row.
  const [former] = await tx`select current_setting('enable_nestloop') as nestloop`;
  await tx`select set_config('enable_nestloop', 'off', true)`;
  await update(unique);
  await update(
    first,
    `and not exists (select from ${table} as o where o.organization_id = t.organization_id
      and o.account_id = t.account_id and o.${folded} = new.folded)`,
  );
  await tx`select set_config('enable_nestloop', ${former.nestloop}, true)`;
}

/** Whether the role may migrate: it owns the tables or, in an empty schema, may create them. */
export async function canMigrate(sql: SQL): Promise<boolean> {
  const [row] = await sql`select has_schema_privilege(current_schema(), 'create') and not exists (
    select 1 from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and not pg_has_role(relowner, 'usage')) as allowed`;
  return row.allowed;
}

/** Why the role may not create tables, and what grants that; undefined if it may. */
export async function creationRefusal(sql: SQL): Promise<string | undefined> {
  const [{ role, schema, path, allowed }] = await sql`select quote_ident(current_user) as role,
    quote_ident(current_schema()) as schema, current_setting('search_path') as path,
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as allowed`;
  if (allowed) return undefined;
  const [reason, grant] =
    schema === null
      ? [`: its search_path (${path}) names no schema that it may use`, "USAGE, CREATE ON SCHEMA public"]
      : ["", `CREATE ON SCHEMA ${schema}`];
  return `The role ${role} may not create tables in the database${reason}. Run as its owner or a superuser: GRANT ${grant} TO ${role}.`;
}

/** Each migration in order, and when it was applied. Throws as `migrate` does. */
export async function migrationStates(sql: SQL, migrations: readonly Migration[]): Promise<MigrationState[]> {
  return statesOf(checkApplied(await readApplied(sql), migrations), migrations);
}

async function readApplied(sql: SQL): Promise<AppliedMigration[]> {
  await assertFirstSchema(sql);
  // First, because another process may create the tables now.
  const [all] = await sql`select count(*) as count from pg_class
    where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`;
  if (Number(all.count) === 0) return [];
  // Other programs have a table of this name, too, with other columns.
  const [own] = await sql`select exists (select from pg_attribute
    where attrelid = to_regclass('schema_migrations') and attname = 'sha256') as found`;
  if (own.found) return sql.unsafe(selectApplied);
  throw new UnusableDatabase(
    "The schema has tables of another program. Name another database with --database.",
  );
}

/** Throws UnusableDatabase when the tables are in another schema than the one in which new tables are made. */
async function assertFirstSchema(sql: SQL): Promise<void> {
  const [row] = await sql`select quote_ident(nspname) as schema, quote_ident(current_schema()) as first,
    quote_ident(current_user) as role
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where pg_class.oid = to_regclass('schema_migrations') and nspname <> current_schema()
      and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'sha256')`;
  if (row)
    throw new UnusableDatabase(
      `The tables of accountd are in the schema ${row.schema}, but the schema ${row.first} precedes it in the search_path. Drop the schema ${row.first}, or name the schema to use: ALTER ROLE ${row.role} SET search_path = ${row.schema}.`,
    );
}
