import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Value } from "../../db/engine.ts";
import { compare, inputs } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import { insert, select, update } from "../../db/statements.ts";
import { engineOn, migratedDatabase } from "./database.ts";

const columns = ["organizationId", "name", "foldedName", "mrr", "status", "createdAt", "updatedAt"] as const;
const insertAccount = insert("tests.postgres.insertAccount", {
  into: accounts,
  values: inputs(accounts, ...columns),
});
const updateValues = update("tests.postgres.updateValues", {
  table: accounts,
  set: inputs(accounts, "mrr", "logoUrl", "contactActivityAt", "name"),
  where: compare(accounts.id, "=", "id"),
});
const { mrr, logoUrl, contactActivityAt, name } = accounts;
const selectValues = select("tests.postgres.selectValues", {
  fields: { mrr, logoUrl, contactActivityAt, name, isLong: sql<number>`length(${name})` },
  from: accounts,
  where: compare(accounts.id, "=", "id"),
});

const initial = {
  organizationId: 1,
  name: "a",
  foldedName: "a",
  mrr: 0,
  status: "active",
  createdAt: 0,
  updatedAt: 0,
};

/** An account whose values can be replaced and read back. */
async function stored() {
  const engine = await engineOn(await migratedDatabase(), { connections: { writeLanes: 1 } });
  const id = await engine.write(1, (tx) => tx.insert(insertAccount, initial));
  const before = { mrr: 1, logoUrl: null, contactActivityAt: null, name: "a" };
  return {
    async writeAndRead(column: keyof typeof before, value: Value) {
      const values = { ...before, [column]: value, id };
      expect(await engine.write(1, (tx) => tx.count(updateValues, values))).toBe(1);
      const row = await engine.read((snapshot) => snapshot.first(selectValues, { id }));
      const looked = await engine.lookUp((snapshot) => snapshot.first(selectValues, { id }));
      expect(looked).toEqual(row);
      return row?.[column];
    },
  };
}

test("integers, fractions and texts are read as they were written", async () => {
  const { writeAndRead } = await stored();
  for (const value of [0, 1, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 1_785_000_000_000, 2 ** 53 - 1, null])
    expect(await writeAndRead("contactActivityAt", value)).toBe(value);
  for (const value of [0, 0.1, 5e-324, 1e308, 1.7976931348623157e308, -2.5, 2 ** 31, 1e21, 1 / 3, 123456789])
    expect(await writeAndRead("mrr", value)).toBe(value);
  const texts = [
    "'",
    '"',
    "\\",
    "\\x41",
    "''",
    "$1",
    "{}",
    "{1,2}",
    "null",
    "NULL",
    "5",
    "1e5",
    "true",
    "[]",
  ];
  const others = ["🙂 ñ 漢字 é", "\t\r\n", "\u0001", "", " a ", "x".repeat(1_000_000), "🙂".repeat(100_000)];
  for (const value of [...texts, ...others, null]) expect(await writeAndRead("logoUrl", value)).toBe(value);
});

test("a fraction or a text for an integer column is rejected and not rounded", async () => {
  const { writeAndRead } = await stored();
  for (const value of [2.5, 200_002.4, 1e21, "a", ""])
    await expect(writeAndRead("contactActivityAt", value)).rejects.toMatchObject({
      errno: expect.stringMatching(/^22/),
    });
  for (const value of ["a", ""])
    await expect(writeAndRead("mrr", value)).rejects.toMatchObject({ errno: expect.stringMatching(/^22/) });
  expect(await writeAndRead("contactActivityAt", 7)).toBe(7);
});

test("an input without a value and NULL for a column that is NOT NULL are errors", async () => {
  const engine = await engineOn(await migratedDatabase(), { connections: { writeLanes: 1 } });
  const { name: _, ...missing } = initial;
  await expect(engine.write(1, (tx) => tx.insert(insertAccount, missing))).rejects.toThrow(
    "an input has no value",
  );
  const withNull = { ...initial, name: null };
  await expect(engine.write(1, (tx) => tx.insert(insertAccount, withNull))).rejects.toMatchObject({
    errno: "23502",
  });
  expect(await engine.write(1, (tx) => tx.insert(insertAccount, initial))).toBeGreaterThan(0);
});
