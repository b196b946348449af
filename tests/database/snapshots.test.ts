import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { organizations } from "../../db/schema.ts";
import { Connection } from "../../db/sqlite/connection.ts";
import { type Engine, openDatabase } from "../../db/sqlite/engine.ts";
import { SnapshotReader } from "../../db/sqlite/snapshots.ts";
import { select } from "../../db/statements.ts";
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

test("a single row that is read is of the same moment as those read before it in the turn", async () => {
  const { file, store } = await emptyEngine();
  const other = new Database(file);
  const one = select({ fields: { id: organizations.id }, from: organizations });
  const first = store.first(one, {});
  other.run("INSERT INTO organizations VALUES (1, 'By another program', 'by another program', 1)");
  const second = store.first(one, {});
  expect(await Promise.all([first, second])).toEqual([undefined, undefined]);
  await yieldToEventLoop();
  expect(await store.first(one, {})).toEqual({ id: 1 });
  other.close();
  await store.close();
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "close lets the file go, and then nothing is read from it",
  async () => {
    const { file, store } = await emptyEngine();
    const links = () => readdirSync("/proc/self/fd").flatMap((descriptor) => linkOf(descriptor));
    expect(links()).toContain(file);
    await store.close();
    expect(links().filter((link) => link.startsWith(file))).toEqual([]);
    await expect(new SnapshotReader(closedConnection(file)).ping()).rejects.toThrow("closed database");
  },
);

/** Where a descriptor of this process leads; the one that listed them is gone. */
function linkOf(descriptor: string): string[] {
  try {
    return [readlinkSync(`/proc/self/fd/${descriptor}`)];
  } catch {
    return [];
  }
}

function closedConnection(file: string): Connection {
  const connection = new Connection(file, { busyTimeout: 0, readOnly: true });
  connection.close();
  return connection;
}

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

test("a read transaction that SQLite ended by itself is not ended again, and reads go on", async () => {
  const file = temporaryFile("accountd.db");
  await openDatabase(file, { now: 1_000, create: true }).close();
  const connection = new Connection(file, { busyTimeout: 0, readOnly: true });
  const reads = new SnapshotReader(connection);
  const one = select({ fields: { id: organizations.id }, from: organizations });
  expect(await reads.all(one, {})).toEqual([]);
  connection.client.run("ROLLBACK");
  await yieldToEventLoop();
  expect(await reads.all(one, {})).toEqual([]);
  expect(connection.client.inTransaction).toBe(true);
  reads.close();
});
