import { expect, test } from "bun:test";
import { openPostgres } from "../../db/postgres/engine.ts";
import { postgresStorage } from "../../db/postgres/storage.ts";
import { accountd } from "../copy/copy-world.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { emptyDatabase, postgresServer, withSql } from "./database.ts";

/** The URL of an empty database for a new role that may not create tables in it, and the name of the role. */
async function databaseOfRole(): Promise<{ url: string; role: string }> {
  const url = new URL(await emptyDatabase());
  const role = `accountd_role_${process.pid}_${Math.floor(performance.now())}`;
  const server = await postgresServer();
  await withSql(server, (sql) => sql.unsafe(`create role ${role} login`).simple());
  closeAfterTest(() => withSql(server, (sql) => sql.unsafe(`drop role ${role}`).simple()));
  const owner = url.href;
  closeAfterTest(() => withSql(owner, (sql) => sql.unsafe(`drop owned by ${role}`).simple()));
  url.username = role;
  return { url: url.href, role };
}

test("a command on an empty database whose role may not create tables fails at once", async () => {
  const { url, role } = await databaseOfRole();
  const message = `The role ${role} may not create tables in the database. Run as its owner or a superuser: GRANT CREATE ON SCHEMA public TO ${role}.`;
  const startedAt = performance.now();
  for (const words of [["migrate"], ["organizations", "create", "Acme"]])
    expect(await accountd(...words, "--database", url)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `${message}\n`,
    });
  await expect(postgresStorage(url).openCopyTarget(Date.now)).rejects.toThrow(message);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

test("a search_path without a schema is named, and the grants create the tables", async () => {
  const { url, role } = await databaseOfRole();
  const owner = new URL(url);
  owner.username = new URL(await postgresServer()).username;
  const runAsOwner = (text: string) => withSql(owner.href, (sql) => sql.unsafe(text).simple());
  const open = () => openPostgres(url, { clock: Date.now, canCreate: true });
  await runAsOwner("revoke usage on schema public from public");
  await expect(open()).rejects.toThrow(
    `The role ${role} may not create tables in the database: its search_path ("$user", public) names no schema that it may use. Run as its owner or a superuser: GRANT USAGE, CREATE ON SCHEMA public TO ${role}.`,
  );
  await runAsOwner(`GRANT USAGE, CREATE ON SCHEMA public TO ${role}`);
  await (await open()).close();
});

test("a server waits for the tables of an empty database, and its error says what is missing", async () => {
  const { url, role } = await databaseOfRole();
  let awaitedCount = 0;
  const onMigrationAwaited = () => {
    awaitedCount += 1;
  };
  const startedAt = performance.now();
  await expect(
    openPostgres(url, {
      clock: Date.now,
      canMigrate: true,
      onMigrationAwaited,
      maxWaitMilliseconds: 500,
    }),
  ).rejects.toThrow(`The role ${role} may not create tables in the database.`);
  expect(performance.now() - startedAt).toBeGreaterThan(900);
  expect(awaitedCount).toBe(1);
});
