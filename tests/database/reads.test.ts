import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { type Engine, openDatabase } from "../../db/open.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";

async function emptyEngine(): Promise<{ file: string; store: Engine }> {
  const file = temporaryFile("accountd.db");
  return { file, store: openDatabase(file, { now: 0, create: true }) };
}

test("a read after a resolved write sees it, in the same turn too", async () => {
  const { store } = await emptyEngine();
  for (let i = 1; i <= 20; i += 1) {
    const before = listOrganizations(store);
    await createOrganization(store, `Organization ${i}`, i);
    const after = await listOrganizations(store);
    expect(after).toHaveLength(i);
    expect(await before).toHaveLength(i - 1);
  }
  await store.close();
});

test("all reads of one turn see one moment of the database", async () => {
  const { file, store } = await emptyEngine();
  const other = openDatabase(file, { now: 0 });
  const first = listOrganizations(store);
  const change = createOrganization(other, "By another program", 1);
  const second = listOrganizations(store);
  expect(await first).toEqual([]);
  expect(await second).toEqual([]);
  await change;
  expect(await listOrganizations(store)).toHaveLength(1);
  await other.close();
  await store.close();
});

test("close empties the WAL although a read was begun in the same turn", async () => {
  const { file, store } = await emptyEngine();
  await createOrganization(store, "First", 1);
  const reading = listOrganizations(store);
  await store.close();
  expect(await reading).toHaveLength(1);
  expect(walSize(file)).toBe(0);
});

function walSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
