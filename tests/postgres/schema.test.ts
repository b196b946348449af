import { expect, test } from "bun:test";
import { UniqueViolation } from "../../db/errors.ts";
import { translate } from "../../db/postgres/errors.ts";
import { migratedChecks } from "../database/schema-checks.ts";
import { connection, emptyDatabase, migratedDatabase } from "./database.ts";
import { schemaStatements } from "./schema-ddl.ts";
import { shapeOf } from "./schema-shape.ts";

test("db/schema.ts describes the database that the migrations create, completely", async () => {
  const described = connection(await emptyDatabase());
  for (const statement of schemaStatements(await migratedChecks()))
    await described.unsafe(statement).simple();
  const shape = await shapeOf(described);
  expect(await shapeOf(connection(await migratedDatabase()))).toEqual(shape);
  expect(shape.filter((line) => line.endsWith(": table"))).toHaveLength(33);
});

test.each([
  ["a missing column", "alter table accounts drop column logo_url"],
  ["another type", "alter table accounts alter column created_at type integer"],
  ["a missing check", "alter table accounts drop constraint accounts_coverage"],
  ["a missing unique constraint", "alter table events drop constraint events_organization_id_message_id_key"],
  [
    "a missing foreign key",
    "alter table last_seen drop constraint last_seen_organization_id_account_id_fkey",
  ],
  ["a missing index", "drop index events_received"],
  ["a missing table", "drop table changes"],
])("the comparison reports %s", async (_, change) => {
  const sql = connection(await migratedDatabase());
  const before = await shapeOf(sql);
  await sql.unsafe(change).simple();
  expect(await shapeOf(sql)).not.toEqual(before);
});

type Key = { name: string; table: string; columns: string[]; identity: string };

test("every key begins with organization_id, except identities and those that select the organization", async () => {
  const keys = await uniqueKeys();
  expect(keys.length).toBeGreaterThan(25);
  const others = keys.filter(({ columns, identity }) => columns[0] !== "organization_id" && identity === "");
  expect(others.map(({ table, columns }) => `${table} (${columns})`)).toEqual([
    "api_keys (hash)",
    "clock_gaps (started_at)",
    "leases (name)",
    "organizations (folded_name)",
    "schema_migrations (version)",
    "secrets (name)",
    "write_lanes (lane)",
  ]);
});

// A delete that waits in the buffer would change rows of another table, of which a statement does not wait for it.
test("no foreign key changes or deletes the rows that refer to another row", async () => {
  const actions: { update: string; delete: string }[] = await connection(await migratedDatabase())`
    select confupdtype::text as update, confdeltype::text as delete from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace`;
  expect(actions.length).toBeGreaterThan(20);
  // "a": no action.
  expect(new Set(actions.flatMap((of) => Object.values(of)))).toEqual(new Set(["a"]));
});

test("the engine names the columns of every unique constraint", async () => {
  const sql = connection(await migratedDatabase());
  for (const { table, columns } of await uniqueKeys()) {
    // Its key is a UUID.
    if (table === "write_lanes") continue;
    const values = JSON.stringify(Object.fromEntries(columns.map((column) => [column, 1])));
    const violating = sql.begin(async (tx) => {
      await tx.unsafe(`create temporary table ${table} as select * from public.${table} limit 0`);
      await tx.unsafe(`create unique index on ${table} (${columns})`);
      const insert = `insert into ${table} select (json_populate_record(null::${table}, '${values}')).*`;
      await tx.unsafe(`${insert} union all ${insert.slice(insert.indexOf("select"))}`);
    });
    const error = await violating.catch(translate);
    const constraint = columns.map((column) => `${table}.${column}`).join(", ");
    expect(error).toEqual(new UniqueViolation(constraint));
    expect(error).toMatchObject({ constraint });
  }
});

/** Every unique index of the migrated schema. `identity` is empty unless its only column is an identity. */
async function uniqueKeys(): Promise<Key[]> {
  return connection(await migratedDatabase())`
    select i.relname as name, t.relname as "table", array_agg(attname::text order by place) as columns,
      case when count(*) = 1 then max(attidentity::text) else '' end as identity
    from pg_index join pg_class i on i.oid = indexrelid join pg_class t on t.oid = indrelid
      cross join unnest(indkey) with ordinality as k (attnum, place)
      join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
    where indisunique and t.relnamespace = 'public'::regnamespace group by i.relname, t.relname
    order by t.relname, i.relname`;
}
