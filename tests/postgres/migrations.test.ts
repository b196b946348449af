import { expect, test } from "bun:test";
import { UnusableDatabase } from "../../db/errors.ts";
import { hashOf, type Migration } from "../../db/migration.ts";
import { openPostgres } from "../../db/postgres/engine.ts";
import { migrationStates } from "../../db/postgres/migrate.ts";
import { connection, emptyDatabase } from "./database.ts";

const one: Migration = { name: "one", sql: "create table one (id bigint)" };
const two: Migration = { name: "two", sql: "create table two (id bigint); insert into one values (1)" };

/** Opens a database and closes it. Returns the names of the migrations of an upgrade, or the error. */
async function open(url: string, migrations: readonly Migration[], canMigrate = true) {
  const names: string[] = [];
  const upgraded = (applied: string[]) => void names.push(...applied);
  try {
    const engine = await openPostgres(url, { clock: () => 7, canMigrate, migrations, upgraded });
    await engine.close();
    return names;
  } catch (error) {
    return error instanceof UnusableDatabase ? `unusable: ${error.message}` : error;
  }
}

async function tablesOf(url: string): Promise<string[]> {
  const rows: { name: string }[] = await connection(url)`select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`;
  return rows.map(({ name }) => name);
}

const unusable = (message: string) => expect.stringMatching(new RegExp(`^unusable: ${message}$`));

test("several programs that open an empty database at once create its tables once", async () => {
  const url = await emptyDatabase();
  const results = await Promise.all(Array.from({ length: 4 }, () => open(url, [one, two])));
  expect(results).toEqual([[], [], [], []]);
  expect(await connection(url)`select id from one`).toHaveLength(1);
});

test("of several programs that upgrade a database at once, one applies each migration", async () => {
  const url = await emptyDatabase();
  await open(url, [one]);
  const results = await Promise.all(Array.from({ length: 4 }, () => open(url, [one, two])));
  expect(results.toSorted()).toEqual([[], [], [], ["two"]]);
  const sql = connection(url);
  expect(await sql`select id from one`).toHaveLength(1);
  expect(await migrationStates(sql, [one, two, { name: "three", sql: "" }])).toEqual([
    { name: "one", appliedAt: 7 },
    { name: "two", appliedAt: 7 },
    { name: "three", appliedAt: null },
  ]);
  const hashes: { sha256: string }[] = await sql`select sha256 from schema_migrations order by version`;
  expect(hashes.map(({ sha256 }) => sha256)).toEqual([hashOf(one), hashOf(two)]);
});

test("a pending migration is applied once, and is an error for a program that must not migrate", async () => {
  const url = await emptyDatabase();
  expect(await open(url, [one], false)).toEqual(
    unusable("The database has no tables. Run accountd migrate."),
  );
  expect(await tablesOf(url)).toEqual([]);
  expect(await open(url, [one])).toEqual([]);
  expect(await open(url, [one, two], false)).toEqual(
    unusable("The database has an older schema.*accountd migrate."),
  );
  expect(await tablesOf(url)).toEqual(["one", "schema_migrations"]);
  expect(await open(url, [one, two])).toEqual(["two"]);
  expect(await open(url, [one, two], false)).toEqual([]);
});

test("a changed migration, a newer schema and tables of another program are errors with one line", async () => {
  const url = await emptyDatabase();
  await open(url, [one, two]);
  for (const canMigrate of [true, false]) {
    const changed = { ...two, sql: `${two.sql} ` };
    expect(await open(url, [one, changed], canMigrate)).toEqual(
      unusable(
        "Migration 2 of the database differs from this binary's. Use the accountd that created the database.",
      ),
    );
    expect(await open(url, [one], canMigrate)).toEqual(
      unusable("The database was made by a newer accountd.*"),
    );
  }
  for (const table of [
    "things (id bigint)",
    "schema_migrations (version text)",
    "p (id bigint) partition by hash (id)",
  ]) {
    const other = await emptyDatabase();
    await connection(other).unsafe(`create table ${table}`).simple();
    for (const canMigrate of [true, false])
      expect(await open(other, [one], canMigrate)).toEqual(
        unusable("The schema has tables of another program.*"),
      );
  }
});

test("a migration that fails leaves nothing of itself or of those before it", async () => {
  const url = await emptyDatabase();
  const failing = { name: "failing", sql: "create table three (id bigint); select 1 / 0" };
  expect(await open(url, [one, two, failing])).toEqual(unusable(".* cannot be used: division by zero."));
  expect(await tablesOf(url)).toEqual([]);
  expect(await open(url, [one, two])).toEqual([]);
});
