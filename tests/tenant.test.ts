import { expect, test } from "bun:test";
import { Tenant } from "../src/core/tenant.ts";
import { world } from "./support/world.ts";

test("the latest moment is that of whoever asked last of one database, and never goes back", async () => {
  const { store } = await world();
  const one = new Tenant(store, 1, 1_000);
  expect([one.now, one.latest]).toEqual([1_000, 1_000]);
  const other = new Tenant(store, 2, 3_000);
  expect([one.now, one.latest, other.latest]).toEqual([1_000, 3_000, 3_000]);
  const behind = new Tenant(store, 2, 2_000);
  expect([behind.now, behind.latest, one.latest]).toEqual([2_000, 3_000, 3_000]);
  const { store: elsewhere } = await world();
  expect(new Tenant(elsewhere, 1, 500).latest).toBe(500);
});

test("what the process remembers is remembered of one database", async () => {
  const { store } = await world();
  const { store: elsewhere } = await world();
  expect(new Tenant(store, 1, 0).database).toBe(new Tenant(store, 2, 0).database);
  expect(new Tenant(store, 1, 0).database).not.toBe(new Tenant(elsewhere, 1, 0).database);
});

test("a change that fails throws what it threw, a pause lets others go on, and both keep what is the tenant's", async () => {
  const { store, first } = await world();
  const tenant = new Tenant(store, first.id, 0);
  const fault = new Error("no more");
  await expect(tenant.write(() => Promise.reject(fault))).rejects.toBe(fault);
  const seen: string[] = [];
  await tenant.write(async (tx) => {
    setImmediate(() => seen.push("another turn"));
    await tx.pause();
    seen.push("after the pause");
  });
  expect(seen).toEqual(["another turn", "after the pause"]);
});
