import { expect, test } from "bun:test";
import { openPostgres } from "../../db/postgres/engine.ts";
import { postgresStorage } from "../../db/postgres/storage.ts";
import { accountd } from "../copy/copy-world.ts";
import { createRole, emptyDatabase } from "./database.ts";

/** An empty database for a new role that may not create tables in it. */
const databaseOfRole = async () => createRole(await emptyDatabase());

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
  const { url, role, run } = await databaseOfRole();
  const open = () => openPostgres(url, { clock: Date.now, canCreate: true });
  await run("revoke usage on schema public from public");
  await expect(open()).rejects.toThrow(
    `The role ${role} may not create tables in the database: its search_path ("$user", public) names no schema that it may use. Run as its owner or a superuser: GRANT USAGE, CREATE ON SCHEMA public TO ${role}.`,
  );
  await run(`GRANT USAGE, CREATE ON SCHEMA public TO ${role}`);
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
