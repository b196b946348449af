import { SQL } from "bun";
import { getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { openPostgres } from "../../db/postgres/engine.ts";
import * as schema from "../../db/schema.ts";
import { dropFailure } from "./raw-sql.ts";
import { ReusedSessions } from "./reused-sessions.ts";
import { createOrganizationWithKey } from "./template.ts";

type Organization = { id: number; key: string };
type Database = { url: string; sql: SQL; sessions: ReusedSessions };
/** The two organizations of every database, and the SQL of a function that resets a database to them. */
type Template = { first: Organization; second: Organization; resetFunction: string };

/** The tables in the order of `schema.ts`: each after those that it references. */
const tables = Object.values(schema)
  .flatMap((table) => (is(table, SQLiteTable) ? getTableName(table) : []))
  .sort((a, b) => Number(b === "accounts") - Number(a === "accounts"))
  .sort((a, b) => Number(b === "organizations") - Number(a === "organizations"));

let admin: SQL | undefined;
let made: Promise<Template> | undefined;
const idle: Database[] = [];
let count = 0;

/** The URL of a database on the server of the tests, which the test runner has started. */
export function postgresUrl(database: string): string {
  const server = Bun.env.TEST_POSTGRES_URL;
  if (!server) throw new Error("TEST_POSTGRES_URL is not set: use bun run test:postgres.");
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Creates an empty database. */
export async function createPostgresDatabase(): Promise<{ name: string; url: string }> {
  admin ??= new SQL({ url: postgresUrl("postgres"), max: 1 });
  count += 1;
  const name = `accountd_${process.pid}_${count}`;
  await admin.unsafe(`drop database if exists ${name} with (force)`).simple();
  await admin.unsafe(`create database ${name}`).simple();
  return { name, url: postgresUrl(name) };
}

/** A database with two organizations and no other rows. `release` gives it to a later test, which is faster. */
export async function newPostgresDatabase(now: number) {
  made ??= makeTemplate(now);
  const { first, second, resetFunction } = await made;
  const database = idle.pop() ?? (await newDatabase(resetFunction));
  await database.sql.unsafe(reset).simple();
  return { ...database, first, second, release: async () => void idle.push(database) };
}

const reset = `${dropFailure}; select reset_rows()`;

async function newDatabase(setUp: string): Promise<Database> {
  const { url } = await createPostgresDatabase();
  const engine = await openPostgres(url, { clock: Date.now, canMigrate: true });
  await engine.close();
  const sql = new SQL({ url, max: 1, bigint: true });
  await sql.unsafe(setUp).simple();
  return { url, sql, sessions: new ReusedSessions() };
}

async function makeTemplate(now: number): Promise<Template> {
  const { url, sql } = await newDatabase("");
  const engine = await openPostgres(url, { clock: () => now });
  const first = await createOrganizationWithKey(engine, "First");
  const second = await createOrganizationWithKey(engine, "Second");
  await engine.close();
  const internal = await sql`select tablename as name from pg_tables
    where schemaname = 'public' and tablename <> 'schema_migrations' and tablename <> all(${tables})`;
  const deletes = [...tables.toReversed(), ...internal.map(({ name }: { name: string }) => name)].map(
    (table) => `delete from ${table}`,
  );
  const kept = ["organizations", "api_keys", "health_settings"];
  const inserts = await Promise.all(kept.map((table) => insertOf(sql, table)));
  const sequences = await sql`select sequencename as name from pg_sequences`;
  // RESTART would write a new file.
  const restarts = sequences.map(({ name }: { name: string }) => {
    const isKept = kept.some((table) => name === `${table}_id_seq`);
    return `perform setval('${name}', ${isKept ? 3 : 1}, false)`;
  });
  await sql.close();
  const body = [...deletes, ...inserts, ...restarts].join(";\n");
  const resetFunction = `create function reset_rows() returns void language plpgsql as $$ begin ${body}; end $$`;
  return { first, second, resetFunction };
}

/** The SQL that inserts the rows that a table has now. */
async function insertOf(sql: SQL, table: string): Promise<string> {
  const [{ rows }] = await sql.unsafe(`select quote_literal(json_agg(${table})::text) as rows from ${table}`);
  return `insert into ${table} select * from json_populate_recordset(null::${table}, ${rows})`;
}
