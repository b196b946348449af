import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { count, sql } from "drizzle-orm";
import type { Engine, Snapshot } from "../../db/engine.ts";
import { integerInput } from "../../db/expressions.ts";
import { organizations } from "../../db/schema.ts";
import { selectInSlices } from "../../db/slices.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { ReadWorkers, type ReadWorkersOptions } from "../../db/sqlite/reads/read-workers.ts";
import { select } from "../../db/statements.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { closeAfterTest, temporaryFile } from "../support/world.ts";
import { clock, newDatabase } from "./files.ts";

const scanned = select("tests.readWorkers.scanned", {
  fields: { id: organizations.id },
  from: organizations,
  paged: true,
});
const countStatement = select("tests.readWorkers.count", {
  fields: { count: sql<number>`count(*)` },
  from: organizations,
  scanned,
});
/** Counts to the input `steps`: 1,000,000 take some hundred milliseconds. */
const counting = sql<number>`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${integerInput("steps")}) select count(*) from n)`;
const longStatement = select("tests.readWorkers.long", {
  fields: { count: counting },
  from: organizations,
  paged: true,
  scanned,
});
const failingStatement = select("tests.readWorkers.failing", {
  fields: { value: sql`json('{')` },
  from: organizations,
  scanned,
});
const steps = 1_000_000;
const page = { limit: 1, offset: 0 };

/** The total of all organizations, kept until a commit. Rows of no organization have the organization 0. */
const totalStatement = select("tests.readWorkers.total", {
  fields: { count: sql<number>`count(*)` },
  from: organizations,
  scanned,
  isTotal: true,
});

type Options = { maxLocalRows?: number; isFair?: boolean };

/** An engine with three organizations and one read worker. Every read that may be slow is one. */
async function engineWithWorker(options: Options = {}): Promise<{ file: string; engine: Engine }> {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, canCreate: true, readWorkers: 1, maxLocalRows: 0, ...options });
  closeAfterTest(() => engine.close());
  for (const name of ["First", "Second", "Third"]) await createOrganization(engine, name);
  return { file, engine };
}

const countIn = async (snapshot: Snapshot, organizationId = 1) =>
  (await snapshot.first(countStatement, { organizationId }))?.count;
const readLong = (engine: Engine, organizationId = 1, to = steps) =>
  engine.read((snapshot) => snapshot.all(longStatement, { organizationId, steps: to, ...page }));

/** The turns of the event loop while a slow statement runs. */
async function turnsDuringSlowRead(options: Options): Promise<number> {
  const { engine } = await engineWithWorker(options);
  // The thread is started.
  await engine.read((snapshot) => countIn(snapshot));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  expect(await readLong(engine)).toEqual([{ count: steps }]);
  clearInterval(timer);
  return turns;
}

test("a slow statement does not block the event loop", async () => {
  expect(await turnsDuringSlowRead({})).toBeGreaterThan(5);
});

test("control: on the serving thread it does", async () => {
  expect(await turnsDuringSlowRead({ maxLocalRows: 1_000 })).toBeLessThan(2);
});

test("a read whose place is a reader runs there with all of its statements", async () => {
  const { engine } = await engineWithWorker({ maxLocalRows: 1_000 });
  const hints = { place: "reader", organizationId: 1 } as const;
  const counts = await engine.read(async (snapshot) => {
    const before = await countIn(snapshot);
    // On the serving thread, the snapshot would have ended with this turn of the event loop.
    await createOrganization(engine, "Meanwhile");
    return [before, await countIn(snapshot)];
  }, hints);
  expect(counts).toEqual([3, 3]);
  expect(await engine.read((snapshot) => countIn(snapshot), hints)).toBe(4);
});

test("a slow read sees every acknowledged write, and one state of the database in all of its statements", async () => {
  const { engine } = await engineWithWorker();
  for (let i = 4; i < 10; i += 1) {
    await createOrganization(engine, `Organization ${i}`);
    const counts = await engine.read(async (snapshot) => {
      const before = await countIn(snapshot);
      // A worker's snapshot may be open for longer than one turn: this write commits between two of its statements.
      await createOrganization(engine, `Meanwhile ${i}`);
      return [before, await countIn(snapshot)];
    });
    expect(counts[1]).toBe(counts[0]);
    expect(await engine.read((snapshot) => countIn(snapshot))).toBe((counts[0] ?? 0) + 1);
  }
});

test("a statement after the end of a slow read fails", async () => {
  const { engine } = await engineWithWorker();
  const kept = await engine.read(async (snapshot) => {
    await countIn(snapshot);
    return { snapshot };
  });
  await expect(countIn(kept.snapshot)).rejects.toThrow("the snapshot has ended");
});

test("an error of SQLite has its code, and the next read is answered", async () => {
  const { engine } = await engineWithWorker();
  const failing = engine.read((snapshot) => snapshot.all(failingStatement, { organizationId: 1 }));
  await expect(failing).rejects.toMatchObject({ code: "SQLITE_ERROR", message: "malformed JSON" });
  expect(await engine.read((snapshot) => countIn(snapshot))).toBe(3);
});

test("an error that the read itself throws is thrown, and the next read is answered", async () => {
  const { engine } = await engineWithWorker();
  const failing = engine.read(async (snapshot) => {
    throw new Error(`counted ${await countIn(snapshot)}`);
  });
  await expect(failing).rejects.toThrow("counted 3");
  expect(await engine.read((snapshot) => countIn(snapshot))).toBe(3);
});

/** The order in which reads of these organizations are answered. */
async function orderOfService(organizationIds: readonly number[], options: Options): Promise<number[]> {
  const { engine } = await engineWithWorker(options);
  const order: number[] = [];
  const reads = organizationIds.map(async (id) => {
    await engine.read((snapshot) => countIn(snapshot, id));
    order.push(id);
  });
  await Promise.all(reads);
  return order;
}

test("slow reads are served by organization in turn", async () => {
  const order = await orderOfService([1, 1, 1, 1, 1, 2, 3, 2], {});
  expect(order).toEqual([1, 1, 2, 3, 1, 2, 1, 1]);
});

test("control: without turns they are served in the order of arrival", async () => {
  const arrived = [1, 1, 1, 1, 1, 2, 3, 2];
  expect(await orderOfService(arrived, { isFair: false })).toEqual(arrived);
});

test("of one organization 32 slow reads wait, further ones are rejected, and another organization's is accepted", async () => {
  const { engine } = await engineWithWorker();
  const read = (id: number) => engine.read((snapshot) => countIn(snapshot, id));
  const results = await Promise.allSettled([...Array.from({ length: 40 }, () => read(1)), read(2)]);
  const rejected = results.flatMap((result, i) => (result.status === "rejected" ? [{ i, ...result }] : []));
  // One runs.
  expect(rejected.map(({ i }) => i)).toEqual([33, 34, 35, 36, 37, 38, 39]);
  for (const { reason } of rejected) expect(reason).toMatchObject({ code: "TOO_MANY_READS" });
});

async function workersWith(options: Partial<ReadWorkersOptions>): Promise<ReadWorkers> {
  const { file } = await engineWithWorker();
  return workersOn(file, options);
}

function workersOn(file: string, options: Partial<ReadWorkersOptions>): ReadWorkers {
  const workers = new ReadWorkers(file, {
    now: clock,
    translate: (error) => error,
    assertFileUnchanged: () => {},
    checkpoint: async () => {},
    ...options,
  });
  closeAfterTest(() => workers.close());
  return workers;
}

test("a read that waits too long, or whose statements take too long, is rejected", async () => {
  const workers = await workersWith({ count: 1, timeoutMilliseconds: 50 });
  let statements = 0;
  const long = workers.read(1, async (snapshot) => {
    for (;;) {
      await snapshot.all(longStatement, { steps, ...page });
      statements += 1;
    }
  });
  const waiting = workers.read(2, (snapshot) => countIn(snapshot));
  const results = await Promise.allSettled([long, waiting]);
  for (const result of results) expect(result).toMatchObject({ reason: { code: "QUERY_TIMEOUT" } });
  expect(statements).toBe(1);
  let found: number | undefined;
  // On a busy machine, a new worker thread can need longer than the limit to start.
  for (let i = 0; i < 100 && found === undefined; i += 1)
    found = await workers.read(2, (snapshot) => countIn(snapshot)).catch(() => undefined);
  expect(found).toBe(3);
});

/** Takes about a tenth of a millisecond for each row. */
const slowCount = {
  fields: { count: count() },
  from: organizations,
  where: sql`(with recursive n (i) as (select ${organizations.id} * 0 union all select i + 1 from n where i < 600) select count(*) from n) > 0`,
};
const wholeCount = select("tests.readWorkers.wholeCount", slowCount);
const slicedCount = selectInSlices("tests.readWorkers.slicedCount", slowCount, {
  where: [],
  by: [organizations.id],
});
const manyRows = 20_000;

/** Workers with a time limit on a database with many organizations. */
async function workersOfManyRows(timeoutMilliseconds: number): Promise<ReadWorkers> {
  const file = await newDatabase();
  const client = new Database(file);
  client.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${manyRows})
     INSERT INTO organizations (name, folded_name, created_at) SELECT i, i, 0 FROM n`,
  );
  client.close();
  return workersOn(file, { count: 1, timeoutMilliseconds });
}

const processorMilliseconds = () => process.cpuUsage().user / 1000;

test("a statement in parts ends at the time limit, and its thread works on nothing any more", async () => {
  const workers = await workersOfManyRows(100);
  const start = performance.now();
  const read = workers.read(1, (snapshot) => snapshot.first(slicedCount, {}));
  await expect(read).rejects.toMatchObject({ code: "QUERY_TIMEOUT" });
  expect(performance.now() - start).toBeLessThan(1_000);
  const before = processorMilliseconds();
  await Bun.sleep(1_000);
  expect(processorMilliseconds() - before).toBeLessThan(500);
  expect((await workers.read(1, (snapshot) => snapshot.first(countStatement, {})))?.count).toBe(manyRows);
});

test("control: as a whole it runs beyond the time limit, to its end", async () => {
  const workers = await workersOfManyRows(100);
  const read = workers.read(1, (snapshot) => snapshot.first(wholeCount, {}));
  await Bun.sleep(200);
  const before = processorMilliseconds();
  expect(await read).toEqual({ count: manyRows });
  expect(processorMilliseconds() - before).toBeGreaterThan(700);
});

test("a statement in parts returns all of its rows if there is time", async () => {
  const workers = await workersOfManyRows(60_000);
  const read = workers.read(1, (snapshot) => snapshot.first(slicedCount, {}));
  expect(await read).toEqual({ count: manyRows });
});

test("close answers the running read and rejects those that wait", async () => {
  const { engine } = await engineWithWorker();
  const results = Promise.allSettled([1, 2].map(() => engine.read((snapshot) => countIn(snapshot))));
  await engine.read(async () => {});
  await engine.close();
  const [running, waiting] = await results;
  expect(running).toEqual({ status: "fulfilled", value: 3 });
  expect(waiting).toMatchObject({ status: "rejected", reason: { code: "ENGINE_BUSY" } });
});

test("with slow reads all the time, the WAL is moved into the file between two of them", async () => {
  let runningCount = 0;
  const runningAtCheckpoints: number[] = [];
  const workers = await workersWith({
    count: 2,
    checkpointMilliseconds: 0,
    checkpoint: async () => void runningAtCheckpoints.push(runningCount),
  });
  const read = (id: number) =>
    workers.read(id, async (snapshot) => {
      runningCount += 1;
      await countIn(snapshot);
      runningCount -= 1;
    });
  await Promise.all(Array.from({ length: 20 }, (_, i) => read(i)));
  expect(runningAtCheckpoints.length).toBeGreaterThan(5);
  expect(new Set(runningAtCheckpoints)).toEqual(new Set([0]));
});

test("what deleted rows left is erased although slow reads and writes run all the time", async () => {
  const { engine } = await engineWithWorker();
  let isOver = false;
  const readers = [1, 2, 3].map(async (id) => {
    while (!isOver) await readLong(engine, id, 100_000);
  });
  const writer = async () => {
    for (let i = 0; !isOver; i += 1) {
      await createOrganization(engine, `Organization ${i}`);
      await Bun.sleep(1);
    }
  };
  const erasePart = engine.eraseDeleted();
  readers.push(writer());
  await readLong(engine);
  let parts = 1;
  while (await erasePart()) parts += 1;
  isOver = true;
  await Promise.all(readers);
  expect(parts).toBe(1);
});

test("a kept total and the statements after it are of one snapshot", async () => {
  const { engine } = await engineWithWorker();
  const values = { organizationId: 0 };
  const readTotal = async (snapshot: Snapshot) => (await snapshot.first(totalStatement, values))?.count;
  expect(await engine.read(readTotal)).toBe(3);
  let runs = 0;
  const read = engine.read(async (snapshot) => {
    runs += 1;
    const total = await readTotal(snapshot);
    // The serving thread moves the read to the worker at the next statement.
    if (runs === 2) await createOrganization(engine, "Fourth");
    return [total, await countIn(snapshot)];
  });
  expect(await read).toEqual([3, 3]);
  expect(await engine.read(readTotal)).toBe(4);
});
