import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { databaseStatus } from "../../db/sqlite/file.ts";
import { migrate } from "../../db/sqlite/migrate.ts";
import { contentOf, firstDatabase, open, parents, read, rebuild } from "./families.ts";
import { pragma } from "./files.ts";

test("a rebuilt table keeps its referencing rows, and its foreign keys are valid afterwards", async () => {
  const file = await firstDatabase();
  await open(file, [parents, rebuild]);
  expect(read(file, "SELECT * FROM children")).toHaveLength(3);
  expect(read(file, "SELECT * FROM parents")).toHaveLength(2);
  const [reference] = read(file, "PRAGMA foreign_key_list(children)");
  expect(reference).toMatchObject({ table: "parents", from: "parent_id", on_delete: "CASCADE" });
  expect(read(file, "PRAGMA foreign_key_check")).toEqual([]);
});

test("migrations are recorded in order, with the time at which they ran", async () => {
  const file = await firstDatabase();
  await open(file, [parents, rebuild], 2);
  expect(databaseStatus(file, [parents, rebuild])).toEqual([
    { name: "0001_parents", appliedAt: 1 },
    { name: "0002_rebuild", appliedAt: 2 },
  ]);
});

test("a migration that was edited after it ran is rejected, and nothing changes", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  const edited = { ...parents, sql: `${parents.sql} ` };
  for (const list of [[edited], [edited, rebuild]])
    await expect(open(file, list)).rejects.toMatchObject({ code: "DATABASE_UNUSABLE" });
  expect(openDatabase.bind(null, file, { clock: () => 1, migrations: [edited] })).toThrow("Migration 1");
  expect(contentOf(file)).toBe(before);
});

test("a migration that fails is rolled back, together with those before it in the same run", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  const failing = {
    name: "0003_failing",
    sql: "DELETE FROM parents WHERE id = 1; SELECT nonsense FROM nowhere;",
  };
  await expect(open(file, [parents, rebuild, failing])).rejects.toThrow("nowhere");
  expect(contentOf(file)).toBe(before);
  await open(file, [parents]);
});

test("a migration that leaves a dangling reference is rolled back with the whole run", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  const dangling = { name: "0003_dangling", sql: "DELETE FROM parents WHERE id = 1;" };
  await expect(open(file, [parents, rebuild, dangling])).rejects.toThrow("2 references");
  const one = { ...dangling, sql: "DELETE FROM parents WHERE id = 2;" };
  await expect(open(file, [parents, one])).rejects.toThrow("1 references");
  expect(contentOf(file)).toBe(before);
});

test("opening a database again does not run its migrations again", async () => {
  const file = await firstDatabase();
  await open(file, [parents, rebuild], 2);
  const before = contentOf(file);
  await open(file, [parents, rebuild], 3);
  expect(contentOf(file)).toBe(before);
});

test("foreign keys are enforced by the connection that migrated, also after a failure", () => {
  const client = new Database(":memory:");
  const options = { now: 1, copyTo: "" };
  migrate(client, [parents], options);
  expect(pragma(client, "foreign_keys")).toBe(1);
  client.run("PRAGMA foreign_keys = OFF");
  const other = new Database(":memory:");
  expect(() => migrate(other, [{ name: "0001_failing", sql: "SELECT nonsense" }], options)).toThrow(
    "nonsense",
  );
  expect(pragma(other, "foreign_keys")).toBe(1);
});

test("a database of another program is not migrated, even if it has only one table", () => {
  const client = new Database(":memory:");
  client.run("CREATE TABLE theirs (id INTEGER)");
  expect(() => migrate(client, [parents], { now: 1, copyTo: "" })).toThrow("a database of another program");
});
