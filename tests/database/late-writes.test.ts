import { expect, test } from "bun:test";
import { createAccount, deleteAccount, updateAccount } from "../../src/accounts/store.ts";
import { Problem } from "../../src/core/errors.ts";
import { world } from "../support/world.ts";

test("of late values, those that an undone attempt has set or written are as before, and all of a name are written together", async () => {
  const here = await world();
  const written: string[] = [];
  await here.tenant().write(async (tx) => {
    const valuesOf = (name: string) =>
      tx.lateValues<number>(name, async (_, values) => {
        written.push(`${name} ${[...values].join(" ")}`);
      });
    const add = (name: string, key: string, added: number) => {
      const values = valuesOf(name);
      values.set(key, (values.get(key) ?? 0) + added);
    };
    add("a", "1", 1);
    add("b", "1", 5);
    const problem = new Problem("not_found");
    const attempted = await tx.attempt(async () => {
      add("a", "1", 10);
      add("a", "2", 1);
      await tx.writeLate("a");
      expect(written.splice(0)).toEqual(["a 1,11 2,1"]);
      throw problem;
    });
    expect(attempted).toBe(problem);
    add("a", "1", 2);
    expect([valuesOf("a").get("1"), valuesOf("a").get("2")]).toEqual([3, undefined]);
  });
  expect(written).toEqual(["a 1,3", "b 1,5"]);
});

test("counts and sums are right after creates, updates and deletes of one transaction, and after failed ones", async () => {
  const here = await world();
  await here.tenant().write(async (tx) => {
    const first = await createAccount(tx, { name: "A", externalId: "a", mrr: 1e20, status: "churned" });
    await updateAccount(tx, first.id, { mrr: 2e20 });
    await createAccount(tx, { name: "B", externalId: "b", mrr: 1, status: "churned" });
    await updateAccount(tx, first.id, { status: "inactive", mrr: 5 });
    await createAccount(tx, { name: "C", externalId: "c", mrr: 7 });
    await deleteAccount(tx, "a");
  });
  await here.tenant().write(async (tx) => {
    await createAccount(tx, { name: "D", externalId: "d", mrr: 3, status: "onboarding" });
    const failed = tx.attempt(async () => {
      const row = await createAccount(tx, { name: "E", externalId: "e", mrr: 1_000, status: "onboarding" });
      await updateAccount(tx, row.id, { mrr: 2_000 });
      await createAccount(tx, { name: "F", externalId: "d" });
    });
    await failed.catch((error: { code?: string }) => {
      if (error.code !== "external_id_conflict") throw error;
    });
  });
  const rows = "SELECT status, count FROM account_counts WHERE count > 0 ORDER BY 1";
  expect(await here.rows<object>(rows)).toEqual([
    { status: "active", count: 1 },
    { status: "churned", count: 1 },
    { status: "onboarding", count: 1 },
  ]);
  expect(await here.faults(0)).toEqual([]);
});
