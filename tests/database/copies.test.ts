import { expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import type { Migration } from "../../db/migration.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { temporaryFile } from "../support/world.ts";
import { contentOf, firstDatabase, open, parents, read, rebuild } from "./families.ts";
import { openPathsNextTo } from "./files.ts";

/** A database of some megabytes with the first migration, and the copy that an upgrade makes of it. */
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

test("a complete copy is made before a database with data is upgraded, and it can be opened", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  await open(file, [parents, rebuild]);
  const copy = `${file}.before-2`;
  expect(contentOf(copy)).toBe(before);
  // It has the data of the database, so only the same user may read it.
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  await open(copy, [parents]);
  expect(read(copy, "SELECT * FROM children")).toHaveLength(3);
});

test("no copy is made of a new database, nor of one that is up to date", async () => {
  const file = await firstDatabase();
  await open(file, [parents]);
  for (const suffix of [".copy", ".before-1", ".before-2"]) expect(existsSync(file + suffix)).toBe(false);
});

test("if another file has the name of the copy, the migration is rejected and nothing changes", async () => {
  const file = await firstDatabase();
  const before = contentOf(file);
  writeFileSync(`${file}.before-2`, "precious");
  await expect(open(file, [parents, rebuild])).rejects.toMatchObject({ code: "DATABASE_UNUSABLE" });
  expect(contentOf(file)).toBe(before);
  expect(await Bun.file(`${file}.before-2`).text()).toBe("precious");
});

test("an upgrade is reported once, with its migrations and the path of the copy", async () => {
  const file = await firstDatabase();
  const reported: unknown[] = [];
  const upgraded = (...args: unknown[]) => reported.push(args);
  const options = { clock: () => 2, isExclusive: true, migrations: [parents, rebuild], upgraded };
  await openDatabase(file, options).close();
  await openDatabase(file, options).close();
  expect(reported).toEqual([[["0002_rebuild"], `${file}.before-2`]]);
});

test("the copy of an upgrade that was killed is used if the database is unchanged", async () => {
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
  ["a byte in the middle differs", (bytes: Buffer) => bytes.with(1_500_000, 255 - (bytes[1_500_000] ?? 0))],
  ["the last byte is missing", (bytes: Buffer) => bytes.subarray(0, -1)],
  ["it has an additional byte", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("x")])],
])("a file with the name of the copy is not changed if %s", async (_, change) => {
  const { file, copy, upgrade } = await largeDatabase();
  const other = Buffer.from(change(readFileSync(copy)));
  writeFileSync(copy, other);
  const before = contentOf(file);
  await expect(upgrade()).rejects.toThrow(`${copy} exists and differs from this database.`);
  expect(readFileSync(copy).equals(other)).toBe(true);
  expect(existsSync(`${copy}.unfinished`)).toBe(false);
  expect(contentOf(file)).toBe(before);
});

test("an upgrade that failed leaves no copy, so that another one can run", async () => {
  const file = await firstDatabase();
  const failing = { name: "0002_failing", sql: "SELECT nonsense" };
  await expect(open(file, [parents, failing])).rejects.toThrow("nonsense");
  expect(existsSync(`${file}.before-2`)).toBe(false);
  await open(file, [parents, rebuild]);
  expect(existsSync(`${file}.before-2`)).toBe(true);
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "files that are compared with the database are closed",
  async () => {
    const { copy, upgrade } = await largeDatabase();
    truncateSync(copy, 4_096);
    for (let i = 0; i < 3; i += 1) await expect(upgrade()).rejects.toThrow("Move");
    expect(openPathsNextTo(copy)).toEqual([]);
  },
);
