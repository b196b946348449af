import { expect, test } from "bun:test";
import type { Migration } from "../../db/migration.ts";
import { openPostgres } from "../../db/postgres/engine.ts";
import { connection, createRole, emptyDatabase } from "./database.ts";

const one: Migration = { name: "one", sql: "create table one (id bigint)" };
const two: Migration = { name: "two", sql: "create table two (id bigint)" };

/** The URL for a new role that may read the tables of the database, and owns none. */
async function urlOfRole(owner: string): Promise<string> {
  const { url, role, run } = await createRole(owner);
  await run(`grant select on all tables in schema public to ${role};
    alter default privileges in schema public grant select on tables to ${role}`);
  return url;
}

async function migrateTo(url: string, migrations: Migration[]): Promise<void> {
  await (await openPostgres(url, { clock: () => 7, canMigrate: true, migrations })).close();
}

test("a role that does not own the tables waits for the owner's migration, and is told so once", async () => {
  const url = await emptyDatabase();
  await migrateTo(url, [one]);
  let awaitedCount = 0;
  const onMigrationAwaited = () => {
    awaitedCount += 1;
  };
  const migrations = [one, two];
  const opening = openPostgres(await urlOfRole(url), {
    clock: () => 7,
    canMigrate: true,
    migrations,
    onMigrationAwaited,
  });
  await Bun.sleep(1_500);
  expect([Bun.peek.status(opening), awaitedCount]).toEqual(["pending", 1]);
  await migrateTo(url, migrations);
  await (await opening).close();
  expect(awaitedCount).toBe(1);
});

test("the wait for another process or a locked table ends with an error of one line", async () => {
  const url = await emptyDatabase();
  await migrateTo(url, [one]);
  const open = async (as: string, migrations: Migration[]) => {
    const opening = openPostgres(as, {
      clock: () => 7,
      canMigrate: true,
      migrations,
      maxWaitMilliseconds: 300,
    });
    const [result] = await Promise.allSettled([opening]);
    return result.status === "rejected" ? result.reason.message : "opened";
  };
  expect(await open(await urlOfRole(url), [one, two])).toMatch(
    /^The database has an older schema, and the role may not change it\. Run accountd migrate as the owner[^\n]*$/,
  );
  const backup = connection(url);
  await backup.unsafe("begin; lock table one in access share mode").simple();
  const altering = { name: "altering", sql: "alter table one add column added bigint" };
  expect(await open(url, [one, altering])).toMatch(
    /^Another transaction, such as a backup, has locked[^\n]*$/,
  );
  await backup.unsafe("commit").simple();
  expect(await open(url, [one, altering])).toBe("opened");
});
