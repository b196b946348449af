import { expect, test } from "bun:test";
import { openPostgres } from "../../db/postgres/engine.ts";
import { postgresStorage } from "../../db/postgres/storage.ts";
import { accountd } from "../copy/copy-world.ts";
import { main } from "../support/bash.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { emptyDatabase, postgresServer, withSql } from "./database.ts";

/** A database whose owner is a new role. */
async function ownedDatabase(): Promise<{
  url: string;
  role: string;
  runSql: (text: string) => Promise<unknown>;
}> {
  const url = await emptyDatabase();
  const role = `accountd_owner_${process.pid}_${Math.floor(performance.now())}`;
  const server = await postgresServer();
  const runSql = (text: string) => withSql(url, (sql) => sql.unsafe(text).simple());
  await runSql(`create role ${role} login; grant create on schema public to ${role}`);
  closeAfterTest(() => withSql(server, (sql) => sql.unsafe(`drop role ${role}`).simple()));
  closeAfterTest(() => runSql(`drop owned by ${role}`));
  const named = new URL(url);
  named.username = role;
  return { url: named.href, role, runSql };
}

test("A schema that precedes the schema of the tables is refused by servers, commands and copies", async () => {
  const { url, role, runSql } = await ownedDatabase();
  const created: string[] = [];
  const open = () =>
    openPostgres(url, {
      clock: Date.now,
      canCreate: true,
      canMigrate: true,
      created: (name) => created.push(name),
    });
  await (await open()).close();
  await runSql(`create schema authorization ${role}`);
  const message = `The tables of accountd are in the schema public, but the schema ${role} precedes it in the search_path. Drop the schema ${role}, or name the schema to use: ALTER ROLE ${role} SET search_path = public.`;
  await expect(open()).rejects.toThrow(message);
  const storage = postgresStorage(url);
  for (const refused of [
    () => storage.openCopyTarget(Date.now),
    () => storage.openCopySource(Date.now),
    () => storage.openReader({ clock: Date.now }),
    () => storage.check({ firstCompleteDay: 0 }),
  ])
    await expect(refused()).rejects.toThrow(message);
  const expected = { exitCode: 1, stdout: "", stderr: `${message}\n` };
  expect(await accountd("migrate", "--database", url)).toEqual(expected);
  expect(await accountd("serve", "--port", "0", "--database", url)).toEqual(expected);
  await withSql(url, (sql) => sql.unsafe(`alter role ${role} set search_path = public`).simple());
  await (await open()).close();
  expect(created).toEqual(["public"]);
});

test("A server that makes the tables logs it, with the schema", async () => {
  const url = await emptyDatabase();
  const child = Bun.spawn([process.execPath, main, "serve", "--port", "0", "--database", url], {
    stdout: "pipe",
    stderr: "pipe",
  });
  await child.stdout.getReader().read();
  child.kill();
  const [first = ""] = (await new Response(child.stderr).text()).split("\n");
  expect(JSON.parse(first)).toMatchObject({ event: "created", schema: "public" });
  expect(await child.exited).toBe(0);
});
