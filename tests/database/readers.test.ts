import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

import {
  countIn,
  countTo,
  endless,
  engineWithReader,
  failingStatement,
  insertOrganization,
  poolWith,
  settled,
  steps,
} from "./reader-world.ts";

test("a read in a reader sees every acknowledged write, and one state of the database in all of its statements", async () => {
  const { engine, read } = await engineWithReader();
  for (let i = 4; i < 10; i += 1) {
    await createOrganization(engine, `Organization ${i}`);
    const counts = await read(async (snapshot) => {
      const before = await countIn(snapshot);
      // This write commits between two statements of the snapshot.
      await createOrganization(engine, `Meanwhile ${i}`);
      return [before, await countIn(snapshot)];
    });
    expect(counts[1]).toBe(counts[0]);
    expect(await read(countIn)).toBe((counts[0] ?? 0) + 1);
  }
});

test("a statement after the end of a slow read fails", async () => {
  const { read } = await engineWithReader();
  const kept = await read(async (snapshot) => {
    await countIn(snapshot);
    return { snapshot };
  });
  await expect(countIn(kept.snapshot)).rejects.toThrow("the snapshot has ended");
});

test("an error of SQLite has its code, and the next read is answered", async () => {
  const { read } = await engineWithReader();
  const failing = read((snapshot) => snapshot.all(failingStatement, {}));
  await expect(failing).rejects.toMatchObject({ code: "SQLITE_ERROR", message: "malformed JSON" });
  expect(await read(countIn)).toBe(3);
});

test("an error that the read itself throws is thrown, and the next read is answered", async () => {
  const { read } = await engineWithReader();
  const failing = read(async (snapshot) => {
    throw new Error(`counted ${await countIn(snapshot)}`);
  });
  await expect(failing).rejects.toThrow("counted 3");
  expect(await read(countIn)).toBe(3);
});

/** The order in which reads of these organizations are answered. */
async function orderOfService(organizationIds: readonly number[]): Promise<number[]> {
  const { read } = await engineWithReader();
  const order: number[] = [];
  const reads = organizationIds.map(async (organizationId) => {
    await read(countIn, { organizationId });
    order.push(organizationId);
  });
  await Promise.all(reads);
  return order;
}

test("slow reads are served by organization in turn", async () => {
  const order = await orderOfService([1, 1, 1, 1, 1, 2, 3, 2]);
  expect(order).toEqual([1, 1, 2, 3, 1, 2, 1, 1]);
});

test("close answers the running read and rejects those that wait", async () => {
  const { engine, read } = await engineWithReader();
  const results = Promise.allSettled([1, 2].map(() => read(countIn)));
  await engine.read(async () => {});
  await engine.close();
  const [running, waiting] = await results;
  expect(running).toEqual({ status: "fulfilled", value: 3 });
  expect(waiting).toMatchObject({ status: "rejected", reason: { code: "ENGINE_BUSY" } });
});

test("close ends within a few seconds although a read runs, and leaves a file without a WAL", async () => {
  const { file, engine, read } = await engineWithReader();
  await read(countIn);
  const running = settled(read(countTo(endless)));
  const startedAt = performance.now();
  await engine.close();
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  expect(await running).toBe("ENGINE_BUSY");
  expect(await Bun.file(`${file}-wal`).exists()).toBe(false);
});

test("with reads all the time, the WAL is moved into the file between two of them", async () => {
  let runningCount = 0;
  const runningAtCheckpoints: number[] = [];
  const pool = await poolWith({
    count: 2,
    isCheckpointDue: () => true,
    checkpointMilliseconds: 0,
    checkpoint: async () => void runningAtCheckpoints.push(runningCount),
  });
  const read = (id: number) =>
    pool.read(id, async (snapshot) => {
      runningCount += 1;
      await countIn(snapshot);
      runningCount -= 1;
    });
  await Promise.all(Array.from({ length: 20 }, (_, i) => read(i)));
  expect(runningAtCheckpoints.length).toBeGreaterThan(5);
  expect(new Set(runningAtCheckpoints)).toEqual(new Set([0]));
});

test("the WAL stays bounded while reads overlap all the time and others write", async () => {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, canCreate: true, readWorkers: 3 });
  closeAfterTest(() => engine.close());
  await createOrganization(engine, "First");
  const organizationIds = [1, 2, 3];
  // The processes have started before the first large write.
  await Promise.all(
    organizationIds.map((organizationId) => engine.read(countTo(1), { place: "reader", organizationId })),
  );
  let isOver = false;
  let readCount = 0;
  const readers = organizationIds.map(async (organizationId) => {
    for (; !isOver; readCount += 1) await engine.read(countTo(20_000), { place: "reader", organizationId });
  });
  let maxSize = 0;
  for (let i = 0; i < 45; i += 1) {
    const name = `${i} ${"x".repeat(1_000_000)}`;
    await engine.write(0, (tx) => tx.run(insertOrganization, { name, foldedName: name, createdAt: 0 }));
    maxSize = Math.max(maxSize, Bun.file(`${file}-wal`).size);
    // Checkpoints are at least a second apart: the writes take longer.
    await Bun.sleep(60);
  }
  isOver = true;
  await Promise.all(readers);
  expect(readCount).toBeGreaterThan(5);
  expect(maxSize).toBeGreaterThan(20_000_000);
  expect(maxSize).toBeLessThan(80_000_000);
});

test("what deleted rows left is erased although slow reads and writes run all the time", async () => {
  const { engine, read, file } = await engineWithReader();
  const other = new Database(file, { readonly: true });
  const freePages = () =>
    other.query<{ freelist_count: number }, []>("PRAGMA freelist_count").get()?.freelist_count;
  // Free pages, which the migrations leave, are a part of their own.
  for (let i = 0; freePages() !== 0; i += 1) await createOrganization(engine, `${i} ${"x".repeat(200)}`);
  other.close();
  let isOver = false;
  const readers = [1, 2, 3].map(async (id) => {
    while (!isOver) await read(countTo(100_000), { organizationId: id });
  });
  const writer = async () => {
    for (let i = 0; !isOver; i += 1) {
      await createOrganization(engine, `Organization ${i}`);
      await Bun.sleep(1);
    }
  };
  const erasePart = engine.eraseDeleted();
  readers.push(writer());
  await read(countTo(steps));
  let parts = 1;
  while (await erasePart()) parts += 1;
  isOver = true;
  await Promise.all(readers);
  expect(parts).toBe(1);
});
