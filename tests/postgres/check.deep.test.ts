import { expect, test } from "bun:test";
import { accountd } from "../copy/copy-world.ts";
import { connection, emptyDatabase, migratedDatabase } from "./database.ts";

const check = (url: string, ...words: string[]) => accountd("check", ...words, "--database", url);
const noTables = {
  exitCode: 1,
  stdout: "",
  stderr: "The database has no tables. Run accountd migrate.\n",
};

test("check of a database without tables, or whose list of migrations is empty, is an error", async () => {
  const url = await emptyDatabase();
  expect(await check(url)).toEqual(noTables);
  const migrated = await migratedDatabase();
  expect(await check(migrated)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("is sound") });
  await connection(migrated)`delete from schema_migrations`;
  expect(await check(migrated)).toEqual(noTables);
  expect(await check(migrated, "--quick")).toEqual(noTables);
});
