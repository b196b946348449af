import { expect, test } from "bun:test";
import { migrations } from "../../db/postgres/migrations/list.ts";
import { fold, foldAddress } from "../../src/core/folding.ts";
import { accountd } from "../copy/copy-world.ts";
import { contactsBefore, foldedAfter, sharedAfter } from "../database/upgraded-addresses.ts";
import { connection, emptyDatabase, engineOn } from "./database.ts";

/** The first migrations, without `persons`. */
const before = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name.endsWith("persons")),
);

/** A database of the version before, with `more` rows. */
async function databaseBefore(more = ""): Promise<string> {
  const url = await emptyDatabase();
  await (await engineOn(url, { migrations: before, canMigrate: true })).close();
  await connection(url).unsafe(`${contactsBefore}${more}`).simple();
  return url;
}

test("an upgrade folds addresses by their own rule; of contacts of an account that it joins, one has the address", async () => {
  const url = await databaseBefore();
  await engineOn(url, { canMigrate: true, fold, foldAddress });
  const rows: { id: bigint; folded_email: string | null }[] = await connection(url)`
    select id, folded_email from contacts order by id`;
  expect(rows.map(({ id, folded_email }) => [Number(id), folded_email])).toEqual(foldedAfter as never);
});

test("an upgrade keeps attributes that are larger than a write may make them", async () => {
  const attributes = JSON.stringify({ note: "é".repeat(50_000) });
  const updates = ["accounts", "contacts"].map(
    (table) => `UPDATE ${table} SET attributes = '${attributes}' WHERE id = 1`,
  );
  const url = await databaseBefore(updates.join(";"));
  await (await engineOn(url, { canMigrate: true, fold, foldAddress })).close();
  const rows = await connection(url)`select attributes from accounts where id = 1
    union all select attributes from contacts where id = 1`;
  expect([...rows]).toEqual([{ attributes }, { attributes }]);
});

test("an upgrade that needs foldAddress and does not have it is rolled back", async () => {
  const url = await databaseBefore();
  await expect(engineOn(url, { canMigrate: true })).rejects.toThrow("foldAddress");
  const rows = await connection(url)`select folded_email from contacts where id = 3`;
  expect(rows[0]).toEqual({ folded_email: "strasse@x.io" });
});

test("an upgrade folds 10,000 addresses of one account in 20 seconds", async () => {
  const url = await databaseBefore(`
    insert into contacts (id, organization_id, account_id, name, folded_name, email, folded_email, created_at, updated_at)
      select 100 + i, 1, 1, 'n', 'n', 'ß' || i || '@x.io', 'ss' || i || '@x.io', 0, 0 from generate_series(1, 10000) as i`);
  const start = performance.now();
  await engineOn(url, { canMigrate: true, fold, foldAddress });
  expect(performance.now() - start).toBeLessThan(20_000);
  const [row] = await connection(url)`select count(*) as count from contacts
    where id > 100 and folded_email = email`;
  expect(Number(row.count)).toBe(10_000);
});

test("migrate folds addresses, and check lists the contacts that share one", async () => {
  const url = await databaseBefore();
  expect(await accountd("migrate", "--database", url)).toMatchObject({ exitCode: 0 });
  const { exitCode, stdout } = await accountd("check", "--database", url, "--json");
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { status: "ok", sharedAddresses: sharedAfter }]);
});
