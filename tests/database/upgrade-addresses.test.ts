import { expect, test } from "bun:test";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { accountd } from "../copy/copy-world.ts";
import { temporaryFile } from "../support/world.ts";
import { read } from "./families.ts";
import { contactsBefore, foldedAfter, sharedAfter } from "./upgraded-addresses.ts";
import { change, upgrade } from "./versions.ts";

/** The first migrations, without `persons`. */
const before = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name.endsWith("persons")),
);

/** A database of the version before. */
async function databaseBefore(): Promise<string> {
  const file = temporaryFile("accountd.db");
  await openDatabase(file, { clock: () => 1, canCreate: true, migrations: before }).close();
  change(file, contactsBefore);
  return file;
}

test("an upgrade folds addresses by their own rule; of contacts of an account that it joins, one has the address", async () => {
  const file = await databaseBefore();
  await upgrade(file);
  const rows = read<{ id: number; folded_email: string | null }>(
    file,
    "SELECT id, folded_email FROM contacts ORDER BY id",
  );
  expect(rows.map(({ id, folded_email }) => [id, folded_email])).toEqual(foldedAfter as never);
});

test("an upgrade keeps attributes that are larger than a write may make them", async () => {
  const file = await databaseBefore();
  const attributes = JSON.stringify({ note: "é".repeat(50_000) });
  for (const table of ["accounts", "contacts"])
    change(file, `UPDATE ${table} SET attributes = '${attributes}' WHERE id = 1`);
  await upgrade(file);
  for (const table of ["accounts", "contacts"])
    expect(read(file, `SELECT attributes FROM ${table} WHERE id = 1`)).toEqual([{ attributes }]);
});

test("an upgrade that needs foldAddress and does not have it is rolled back", async () => {
  const file = await databaseBefore();
  expect(() => openDatabase(file, { clock: () => 2, isExclusive: true })).toThrow("foldAddress");
  expect(read(file, "SELECT folded_email FROM contacts WHERE id = 3")).toEqual([
    { folded_email: "strasse@x.io" },
  ]);
});

test("check lists the contacts that share an address since an upgrade, without a fault", async () => {
  const file = await databaseBefore();
  await upgrade(file);
  const check = (...words: string[]) => accountd("check", "--database", file, ...words);
  expect(await check()).toEqual({
    ...{ exitCode: 0, stderr: "" },
    stdout: [...sharedAfter, `${file} is sound.`, ""].join("\n"),
  });
  const sound = { database: file, status: "ok" };
  expect(JSON.parse((await check("--json")).stdout)).toEqual({ ...sound, sharedAddresses: sharedAfter });
  expect(JSON.parse((await check("--json", "--quick")).stdout)).toEqual(sound);
  change(file, "DELETE FROM contacts WHERE id IN (5, 8, 9)");
  expect(JSON.parse((await check("--json")).stdout)).toEqual(sound);
});
