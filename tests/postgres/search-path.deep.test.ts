import { expect, test } from "bun:test";
import { openPostgres } from "../../db/postgres/engine.ts";
import { postgresStorage } from "../../db/postgres/storage.ts";
import { start } from "../binary/binary.ts";
import { logOf } from "../binary/service.ts";
import { accountd } from "../copy/copy-world.ts";
import { main } from "../support/bash.ts";
import { createRole, emptyDatabase } from "./database.ts";

test("A schema that precedes the schema of the tables is refused by servers, commands and copies", async () => {
  const { url, role, run } = await createRole(await emptyDatabase());
  await run(`grant create on schema public to ${role}`);
  const created: string[] = [];
  const open = () =>
    openPostgres(url, {
      clock: Date.now,
      canCreate: true,
      canMigrate: true,
      created: (name) => created.push(name),
    });
  await (await open()).close();
  await run(`create schema authorization ${role}`);
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
  await run(`alter role ${role} set search_path = public`);
  await (await open()).close();
  expect(created).toEqual(["public"]);
});

test("A server that makes the tables logs it, with the schema", async () => {
  const program = [process.execPath, "--no-env-file", main];
  const server = await start(["serve", "--port", "0", "--database", await emptyDatabase()], { program });
  expect(await server.stop()).toBe(0);
  expect(logOf(server)[0]).toMatchObject({ event: "created", schema: "public" });
});
