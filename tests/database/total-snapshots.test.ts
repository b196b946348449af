import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { count } from "drizzle-orm";
import type { Snapshot } from "../../db/engine.ts";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { organizations } from "../../db/schema.ts";
import { Connection } from "../../db/sqlite/connection.ts";
import { ReadWorkers } from "../../db/sqlite/reads/read-workers.ts";
import { SnapshotReader } from "../../db/sqlite/reads/snapshots.ts";
import { TotalCache } from "../../db/sqlite/reads/total-cache.ts";
import { select } from "../../db/statements.ts";
import { closeAfterTest } from "../support/world.ts";
import { clock, newDatabase } from "./files.ts";

const totalStatement = select("tests.totalSnapshots.total", {
  fields: { count: count() },
  from: organizations,
  isTotal: true,
});
const rowsStatement = select("tests.totalSnapshots.rows", {
  fields: { id: organizations.id },
  from: organizations,
});
const values = { organizationId: 1 };

type Read = <T>(fn: (snapshot: Snapshot) => Promise<T>) => Promise<T>;

function readLocally(file: string, totals: TotalCache): Read {
  const connection = new Connection(file, { busyTimeoutMilliseconds: 0, isQueryOnly: true });
  const reader = new SnapshotReader(connection, clock, async () => undefined, { totals });
  closeAfterTest(async () => reader.close());
  return (fn) => reader.read(fn);
}

function readOnThread(file: string, totals: TotalCache): Read {
  const workers = new ReadWorkers(file, {
    count: 1,
    totals,
    now: clock,
    translate: (error) => error,
    assertFileUnchanged: () => {},
    checkpoint: async () => {},
  });
  closeAfterTest(() => workers.close());
  return (fn) => workers.read(1, fn);
}

test.each([
  ["on the serving thread", readLocally],
  ["on a worker thread", readOnThread],
])("a known total and the rows after it are of one snapshot %s", async (_, readerOf) => {
  const file = await newDatabase(["First", "Second"]);
  const totals = new TotalCache();
  const read = readerOf(file, totals);
  const readTotal = async (snapshot: Snapshot) => (await snapshot.first(totalStatement, values))?.count;
  expect(await read(readTotal)).toBe(2);
  await yieldToEventLoop();

  const found = await read(async (snapshot) => {
    const total = await readTotal(snapshot);
    using client = new Database(file);
    client.run("INSERT INTO organizations (name, folded_name, created_at) VALUES ('Third', 'third', 1)");
    totals.markCommit([1]);
    return { total, rowCount: (await snapshot.all(rowsStatement, values)).length };
  });

  expect(found).toEqual({ total: 2, rowCount: 2 });
  await yieldToEventLoop();
  expect(await read(readTotal)).toBe(3);
});
