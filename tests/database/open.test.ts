import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { errorCode } from "../../db/errors.ts";
import { Connection } from "../../db/sqlite/connection.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { openWriteConnection } from "../../db/sqlite/file.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock, newDatabase, pragma } from "./files.ts";

/** The one-line message of the error when the database is rejected. Throws when it is not rejected. */
async function rejectionOf(file: string, options: Partial<Parameters<typeof openDatabase>[1]> = {}) {
  try {
    await openDatabase(file, { clock, ...options }).close();
  } catch (error) {
    expect(errorCode(error)).toBe("DATABASE_UNUSABLE");
    const line = error instanceof Error ? error.message : "";
    expect(line).not.toContain("\n");
    return line;
  }
  throw new Error("was not rejected");
}

test("create makes a database and its folder", async () => {
  const file = `${temporaryFile("deep")}/er/accountd.db`;
  const engine = openDatabase(file, { clock, canCreate: true });
  await engine.ping();
  expect(await listOrganizations(engine)).toEqual([]);
  await engine.close();
});

test("the files of an interrupted creation are replaced", async () => {
  const file = temporaryFile("accountd.db");
  for (const suffix of ["", "-wal", "-shm"]) writeFileSync(`${file}.new${suffix}`, "half-made");
  await openDatabase(file, { clock, canCreate: true }).close();
  for (const suffix of ["", "-wal"]) expect(existsSync(`${file}.new${suffix}`)).toBe(false);
});

test("a failed creation leaves no database, and can be repeated", async () => {
  const file = temporaryFile("accountd.db");
  const broken = [...migrations, { name: "0002_broken", sql: "CREATE TABLE nonsense (" }];
  expect(() => openDatabase(file, { clock, canCreate: true, migrations: broken })).toThrow(
    "incomplete input",
  );
  expect(existsSync(file)).toBe(false);
  await openDatabase(file, { clock, canCreate: true }).close();
});

test("without create a missing database is an error, and no file is created", async () => {
  const file = temporaryFile("accountd.db");
  for (const isExclusive of [false, true])
    expect(await rejectionOf(file, { isExclusive })).toContain("There is no database");
  for (const suffix of ["", "-wal", ".lock", ".new"]) expect(existsSync(file + suffix)).toBe(false);
});

test("a folder at the path of the database is rejected", async () => {
  const file = temporaryFile("");
  for (const isExclusive of [false, true])
    expect(await rejectionOf(file, { canCreate: true, isExclusive })).toBe(
      `${file} is a folder. Name a file in it with --database or DATABASE_URL.`,
    );
});

test("a command can run next to a server, and each reads what the other wrote", async () => {
  const file = await newDatabase();
  const server = openDatabase(file, { clock, isExclusive: true });
  const command = openDatabase(file, { clock });
  await createOrganization(command, "By command");
  await createOrganization(server, "By server");
  const names = ["By command", "By server"];
  expect((await listOrganizations(server)).map(({ name }) => name)).toEqual(names);
  expect((await listOrganizations(command)).map(({ name }) => name)).toEqual(names);
  await command.close();
  await createOrganization(server, "After it");
  expect(await listOrganizations(server)).toHaveLength(3);
  await server.close();
});

test("connections have WAL, foreign keys, full synchronous writes and an untrusted schema", async () => {
  const file = await newDatabase();
  const writing = openWriteConnection(file, { busyTimeoutMilliseconds: 250 });
  const reading = new Connection(file, { busyTimeoutMilliseconds: 250, isQueryOnly: true });
  for (const { client } of [writing, reading]) {
    expect(pragma(client, "journal_mode")).toBe("wal");
    expect(pragma(client, "foreign_keys")).toBe(1);
    expect(pragma(client, "trusted_schema")).toBe(0);
    expect(pragma(client, "busy_timeout")).toBe(250);
  }
  expect(pragma(writing.client, "synchronous")).toBe(2);
  expect(() => reading.client.run("DELETE FROM organizations")).toThrow("readonly");
  writing.close();
  reading.close();
});

test("a copy made by VACUUM INTO is served in WAL mode", async () => {
  const file = await newDatabase(["First"]);
  const copy = temporaryFile("accountd.db");
  const source = new Database(file);
  source.query("VACUUM INTO ?").run(copy);
  source.close();
  const engine = openDatabase(copy, { clock, isExclusive: true });
  expect(await listOrganizations(engine)).toHaveLength(1);
  const other = new Database(copy, { readonly: true });
  expect(pragma(other, "journal_mode")).toBe("wal");
  other.close();
  await engine.close();
});
