import { expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { openDatabase } from "../../db/sqlite/engine.ts";
import type { Migration } from "../../db/sqlite/migrations/list.ts";
import { temporaryFile } from "../support/world.ts";
import { contentOf, firstDatabase, open, parents, read, rebuild } from "./families.ts";
import { openPathsNextTo } from "./files.ts";

/** A database of some megabytes that had the first migration, and its copy as an upgrade makes it. */
async function largeDatabase() {
  const file = temporaryFile("accountd.db");
  const large: Migration = {
    name: "0001_large",
    sql: `CREATE TABLE large (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO large SELECT i, hex(zeroblob(500)) || i FROM n;`,
  };
  const more = { name: "0002_more", sql: "CREATE TABLE more (id INTEGER) STRICT" };
  await open(file, [large]);
  const other = temporaryFile("accountd.db");
  copyFileSync(file, other);
  await open(other, [large, more]);
  const copy = `${file}.before-2`;
  copyFileSync(`${other}.before-2`, copy);
  return { file, copy, upgrade: () => open(file, [large, more]) };
}

test("a whole copy is made before a database that holds data is changed, and it opens", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  await open(file, [parents, rebuild]);
  const copy = `${file}.before-2`;
  expect(contentOf(copy)).toBe(before);
  // It holds what the database held, so it is for the same user alone.
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  await open(copy, [parents]);
  expect(read(copy, "SELECT * FROM children")).toHaveLength(3);
});

test("no copy is made of a new database, nor of one that is up to date", async () => {
  const file = await firstDatabase();
  await open(file, [parents]);
  for (const suffix of [".copy", ".before-1", ".before-2"]) expect(existsSync(file + suffix)).toBe(false);
});

test("when something stands where the copy is to be made, the migration is refused and nothing changes", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  writeFileSync(`${file}.before-2`, "precious");
  await expect(open(file, [parents, rebuild])).rejects.toMatchObject({ code: "DATABASE_UNUSABLE" });
  expect(contentOf(file)).toBe(before);
  expect(await Bun.file(`${file}.before-2`).text()).toBe("precious");
});

test("the upgrade that is done is told of, with its migrations and the copy", async () => {
  const file = await firstDatabase();
  const told: unknown[] = [];
  const upgraded = (...given: unknown[]) => told.push(given);
  const options = { clock: () => 2, isExclusive: true, migrations: [parents, rebuild], upgraded };
  await openDatabase(file, options).close();
  await openDatabase(file, options).close();
  expect(told).toEqual([[["0002_rebuild"], `${file}.before-2`]]);
});

test("the copy of an upgrade that was killed is taken, when the database is still what it was", async () => {
  const { copy, upgrade } = await largeDatabase();
  const bytes = readFileSync(copy);
  expect(bytes.length).toBeGreaterThan(2 ** 21);
  writeFileSync(`${copy}.unfinished`, "half a copy");
  await upgrade();
  expect(readFileSync(copy).equals(bytes)).toBe(true);
  expect(existsSync(`${copy}.unfinished`)).toBe(false);
});

test.each([
  ["its last byte differs", (bytes: Buffer) => bytes.with(-1, 255 - (bytes.at(-1) ?? 0))],
  ["a byte in its midst differs", (bytes: Buffer) => bytes.with(1_500_000, 255 - (bytes[1_500_000] ?? 0))],
  ["it lacks the last byte", (bytes: Buffer) => bytes.subarray(0, -1)],
  ["it has a byte more", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("x")])],
])("a file in the copy's place is left as it is when %s", async (_, change) => {
  const { file, copy, upgrade } = await largeDatabase();
  const other = Buffer.from(change(readFileSync(copy)));
  writeFileSync(copy, other);
  const before = contentOf(file);
  await expect(upgrade()).rejects.toThrow(`${copy} exists and differs from this database.`);
  expect(readFileSync(copy).equals(other)).toBe(true);
  expect(existsSync(`${copy}.unfinished`)).toBe(false);
  expect(contentOf(file)).toBe(before);
});

test("an upgrade that failed leaves no copy, and so bars no other", async () => {
  const file = await firstDatabase();
  const failing = { name: "0002_failing", sql: "SELECT nonsense" };
  await expect(open(file, [parents, failing])).rejects.toThrow("nonsense");
  expect(existsSync(`${file}.before-2`)).toBe(false);
  await open(file, [parents, rebuild]);
  expect(existsSync(`${file}.before-2`)).toBe(true);
});

test.skipIf(!existsSync("/proc/self/fd"))("copies that are compared are closed again", async () => {
  const { copy, upgrade } = await largeDatabase();
  truncateSync(copy, 4_096);
  for (let i = 0; i < 3; i += 1) await expect(upgrade()).rejects.toThrow("Move");
  expect(openPathsNextTo(copy)).toEqual([]);
});
