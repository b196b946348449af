import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import type { Engine, Snapshot } from "../../db/engine.ts";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { organizations } from "../../db/schema.ts";
import { Connection } from "../../db/sqlite/connection.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { SnapshotReader } from "../../db/sqlite/snapshots.ts";
import { select } from "../../db/statements.ts";
import {
  createOrganization,
  insertOrganizationRow,
  listOrganizations,
} from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

const every = select("tests.snapshots.every", { fields: { id: organizations.id }, from: organizations });
const overMessage = "the snapshot has ended";

function emptyEngine(): { file: string; engine: Engine } {
  const file = temporaryFile("accountd.db");
  return { file, engine: openDatabase(file, { clock, canCreate: true }) };
}

/** A reader on a connection of its own to a new database. */
async function newReader(): Promise<{ file: string; connection: Connection; reader: SnapshotReader }> {
  const file = temporaryFile("accountd.db");
  await openDatabase(file, { clock, canCreate: true }).close();
  const connection = new Connection(file, { busyTimeoutMilliseconds: 0, isQueryOnly: true });
  return { file, connection, reader: new SnapshotReader(connection, clock) };
}

const countIn = async (snapshot: Snapshot) => (await snapshot.all(every, {})).length;

test("a read after a resolved write sees it, in the same turn too", async () => {
  const { engine } = emptyEngine();
  for (let i = 1; i <= 20; i += 1) {
    const before = listOrganizations(engine);
    await createOrganization(engine, `Organization ${i}`);
    const after = await listOrganizations(engine);
    expect(after).toHaveLength(i);
    expect(await before).toHaveLength(i - 1);
  }
  await engine.close();
});

test("a read whose transaction SQLite has ended is rejected as busy, and the reads of the next turn succeed", async () => {
  const { connection, reader } = await newReader();
  const read = reader.read(async (snapshot) => {
    await countIn(snapshot);
    // As SQLite does after SQLITE_IOERR.
    connection.client.run("ROLLBACK");
    return countIn(snapshot);
  });
  const later = read.catch(() => reader.read(countIn));
  const reason = { code: "ENGINE_BUSY" };
  expect(await Promise.allSettled([read, later])).toMatchObject([{ reason }, { reason }]);
  await yieldToEventLoop();
  expect(await reader.read(countIn)).toBe(0);
  reader.close();
});

test("a single row is read from the same state as the rows that were read before it in the turn", async () => {
  const { file, engine } = emptyEngine();
  const other = new Database(file);
  const read = () => engine.read((snapshot) => snapshot.first(every, {}));
  const first = read();
  other.run("INSERT INTO organizations (name, folded_name, created_at) VALUES ('Other', 'other', 1)");
  const second = read();
  expect(await Promise.all([first, second])).toEqual([undefined, undefined]);
  await yieldToEventLoop();
  expect(await read()).toEqual({ id: 1 });
  other.close();
  await engine.close();
});

test("all reads of a turn share one transaction, and the next turn has another", async () => {
  const { connection, reader } = await newReader();
  const executed: string[] = [];
  const execute = connection.execute.bind(connection);
  connection.execute = (sql) => {
    executed.push(sql);
    execute(sql);
  };
  await Promise.all(Array.from({ length: 10 }, () => reader.read(countIn)));
  for (let i = 0; i < 10; i += 1) await reader.read(countIn);
  expect(executed).toEqual(["BEGIN"]);
  await yieldToEventLoop();
  expect(executed).toEqual(["BEGIN", "COMMIT"]);
  await reader.read(countIn);
  expect(executed).toEqual(["BEGIN", "COMMIT", "BEGIN"]);
  reader.close();
});

test("a read in progress during a commit finishes on its own snapshot, and a later read sees the commit", async () => {
  const { engine } = emptyEngine();
  const early: Promise<number[]>[] = [];
  const sequence: string[] = [];
  const readOften = async (snapshot: Snapshot) => {
    const counts: number[] = [];
    for (let i = 0; i < 200; i += 1) counts.push(await countIn(snapshot));
    sequence.push("read");
    return counts;
  };
  const late: Promise<number>[] = [];
  await engine
    .write(0, async (tx) => {
      await insertOrganizationRow(tx, "First");
      early.push(engine.read(readOften));
    })
    .then(() => {
      sequence.push("committed");
      late.push(engine.read(countIn));
    });
  expect(await Promise.all(early)).toEqual([Array(200).fill(0)]);
  // The write resolved while the read was in progress.
  expect(sequence).toEqual(["committed", "read"]);
  expect(await Promise.all(late)).toEqual([1]);
  await engine.close();
});

test("a read that begins while a retired transaction has readers waits for them, however many commits follow", async () => {
  const { engine } = emptyEngine();
  const counts: Promise<number>[] = [];
  for (let i = 0; i < 5; i += 1) {
    const slow = engine.read(async (snapshot) => {
      for (let j = 0; j < 50; j += 1) await snapshot.first(every, {});
      return countIn(snapshot);
    });
    await createOrganization(engine, `Organization ${i}`);
    counts.push(slow, engine.read(countIn));
  }
  expect(await Promise.all(counts)).toEqual([0, 1, 1, 2, 2, 3, 3, 4, 4, 5]);
  await engine.close();
});

test("a read that awaits a turn of the event loop fails at its next statement, and has no second snapshot", async () => {
  const { engine } = emptyEngine();
  for (const wait of [yieldToEventLoop, () => Bun.sleep(1)]) {
    const late = engine.read(async (snapshot) => {
      await countIn(snapshot);
      await wait();
      return countIn(snapshot);
    });
    await expect(late).rejects.toThrow(overMessage);
    const first = engine.read(async (snapshot) => {
      await wait();
      return snapshot.first(every, {});
    });
    await expect(first).rejects.toThrow(overMessage);
  }
  expect(await engine.read(countIn)).toBe(0);
  await engine.close();
});

test("a read that never ends blocks no later read and no write", async () => {
  const { engine } = emptyEngine();
  void engine.read(async (snapshot) => {
    await countIn(snapshot);
    await new Promise(() => {});
  });
  await createOrganization(engine, "First");
  expect(await engine.read(countIn)).toBe(1);
  await createOrganization(engine, "Second");
  expect(await engine.read(countIn)).toBe(2);
  await engine.close();
});

test("a transaction without readers ends at once when a commit retires it", async () => {
  const { reader, connection } = await newReader();
  await reader.read(countIn);
  expect(connection.client.inTransaction).toBe(true);
  reader.retire();
  expect(connection.client.inTransaction).toBe(false);
  reader.close();
});

test("a read transaction that SQLite itself ended is not ended again, and reads continue", async () => {
  const { connection, reader } = await newReader();
  expect(await reader.read(countIn)).toBe(0);
  connection.client.run("ROLLBACK");
  await yieldToEventLoop();
  expect(await reader.read(countIn)).toBe(0);
  expect(connection.client.inTransaction).toBe(true);
  reader.close();
});

test("a commit of a read transaction that fails is rolled back, and reads continue", async () => {
  const { connection, reader } = await newReader();
  const execute = connection.execute.bind(connection);
  let failures = 0;
  connection.execute = (sql) => {
    if (sql === "COMMIT" && failures === 0) {
      failures += 1;
      throw Object.assign(new Error("malformed"), { code: "SQLITE_CORRUPT" });
    }
    execute(sql);
  };
  expect(await reader.read(countIn)).toBe(0);
  await yieldToEventLoop();
  expect(failures).toBe(1);
  expect(connection.client.inTransaction).toBe(false);
  expect(await reader.read(countIn)).toBe(0);
  reader.close();
});
