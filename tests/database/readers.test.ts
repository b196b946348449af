import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Engine, Snapshot } from "../../db/engine.ts";
import { inputs, integerInput } from "../../db/expressions.ts";
import { organizations } from "../../db/schema.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { ReaderPool, type ReaderPoolOptions } from "../../db/sqlite/readers/reader-pool.ts";
import { insert, select } from "../../db/statements.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

const countStatement = select("tests.readers.count", {
  fields: { count: sql<number>`count(*)` },
  from: organizations,
});
/** Counts to the input `steps`: 1,000,000 take some hundred milliseconds. */
const counting = sql<number>`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${integerInput("steps")}) select count(*) from n)`;
const longStatement = select("tests.readers.long", {
  fields: { count: counting },
  from: organizations,
  paged: true,
});
const failingStatement = select("tests.readers.failing", {
  fields: { value: sql`json('{')` },
  from: organizations,
});
const insertOrganization = insert("tests.readers.insert", {
  into: organizations,
  values: inputs(organizations, "name", "foldedName", "createdAt"),
});
const steps = 1_000_000;
const endless = 10 ** 12;
const page = { limit: 1, offset: 0 };

type Read = Engine["read"];

/** An engine with three organizations and one reader, and reads of an organization in the reader. */
async function engineWithReader() {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, canCreate: true, readWorkers: 1 });
  closeAfterTest(() => engine.close());
  for (const name of ["First", "Second", "Third"]) await createOrganization(engine, name);
  const read: Read = (fn, hints) => engine.read(fn, { place: "reader", organizationId: 1, ...hints });
  return { file, engine, read };
}

const countIn = async (snapshot: Snapshot) => (await snapshot.first(countStatement, {}))?.count;
const countTo = (to: number) => (snapshot: Snapshot) => snapshot.all(longStatement, { steps: to, ...page });

/** The turns of the event loop while a slow statement runs. */
async function turnsDuring(place: "serving" | "reader"): Promise<number> {
  const { read } = await engineWithReader();
  // The process is started.
  await read(countIn);
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  expect(await read(countTo(steps), { place })).toEqual([{ count: steps }]);
  clearInterval(timer);
  return turns;
}

test("a slow statement does not block the event loop", async () => {
  expect(await turnsDuring("reader")).toBeGreaterThan(5);
});

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

async function poolWith(options: Partial<ReaderPoolOptions>): Promise<ReaderPool> {
  const { file } = await engineWithReader();
  const pool = new ReaderPool(file, {
    now: clock,
    translate: (error) => error,
    assertFileUnchanged: () => {},
    isCheckpointDue: () => false,
    checkpoint: async () => {},
    ...options,
  });
  closeAfterTest(() => pool.close());
  return pool;
}

const settled = async (read: Promise<unknown>) =>
  (await Promise.allSettled([read])).map((result) =>
    "value" in result ? result.value : result.reason.code,
  )[0];

test("one reader is left for the other organizations, and none for the organization that uses the others", async () => {
  for (const organizationId of [2, 1]) {
    const pool = await poolWith({ count: 2, timeoutMilliseconds: 1_000 });
    const long = [1, 2].map(() => settled(pool.read(1, countTo(endless))));
    expect(await settled(pool.read(organizationId, countIn))).toBe(
      organizationId === 2 ? 3 : "QUERY_TIMEOUT",
    );
    expect(await Promise.all(long)).toEqual(["QUERY_TIMEOUT", "QUERY_TIMEOUT"]);
  }
});

test("a read that waits or runs too long is rejected, its process is killed, and the next read is answered", async () => {
  const pool = await poolWith({ count: 1, timeoutMilliseconds: 1_000 });
  const pids: number[] = [];
  const startedAt = performance.now();
  const long = pool.read(1, async (snapshot) => {
    await countIn(snapshot);
    pids.push(...readerPids());
    return countTo(endless)(snapshot);
  });
  const waiting = pool.read(2, countIn);
  expect(await Promise.all([long, waiting].map(settled))).toEqual(["QUERY_TIMEOUT", "QUERY_TIMEOUT"]);
  expect(performance.now() - startedAt).toBeLessThan(2_500);
  expect(await settled(pool.read(2, countIn))).toBe(3);
  expect(readerPids().filter((pid) => pids.includes(pid))).toEqual([]);
});

test("a process that crashes costs one read, and is reported once", async () => {
  const failures: unknown[] = [];
  const pool = await poolWith({ count: 1, onFailed: (error) => failures.push(error) });
  const crash = () =>
    settled(
      pool.read(1, async (snapshot) => {
        await countIn(snapshot);
        const long = countTo(endless)(snapshot);
        for (const pid of readerPids()) process.kill(pid, "SIGSEGV");
        return long;
      }),
    );
  expect(await crash()).toBe("ENGINE_BUSY");
  expect(failures).toHaveLength(1);
  expect(await settled(pool.read(1, countIn))).toBe(3);
  await pool.whenIdle(async () => {});
  // A process that ends while no read runs costs none.
  for (const pid of readerPids()) process.kill(pid, "SIGKILL");
  while (failures.length < 2) await Bun.sleep(5);
  expect(await settled(pool.read(1, countIn))).toBe(3);
  expect(failures).toHaveLength(2);
});

test("a client that disconnects frees the reader", async () => {
  const pool = await poolWith({ count: 1, timeoutMilliseconds: 60_000 });
  const [running, waiting] = [new AbortController(), new AbortController()];
  const long = settled(pool.read(1, countTo(endless), running.signal));
  const second = settled(pool.read(1, countIn, waiting.signal));
  const other = pool.read(2, countIn);
  await Bun.sleep(50);
  waiting.abort();
  expect(await second).toBe("ENGINE_BUSY");
  running.abort();
  expect(await other).toBe(3);
  expect(await long).toBe("ENGINE_BUSY");
  // A read that takes less than a new process is not killed.
  await pool.read(1, countIn);
  const short = new AbortController();
  await Bun.sleep(50);
  const read = pool.read(1, countIn, short.signal);
  await Bun.sleep(0);
  short.abort();
  expect(await settled(pool.read(1, countIn, AbortSignal.abort()))).toBe("ENGINE_BUSY");
  expect(await read).toBe(3);
});

/** The processes that this one started as readers. */
function readerPids(): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-o", "pid=,stat=,args=", "--ppid", String(process.pid)]);
  const lines = stdout.toString().trim().split("\n");
  return lines
    .filter((line) => /readers\/reader\.ts/.test(line) && !/^\s*\d+\s+Z/.test(line))
    .map(Number.parseFloat);
}

test("a reader ends with the process that started it, also when that is killed during a statement", async () => {
  const { file } = await engineWithReader();
  const script = `
    import { ReaderProcess } from "${import.meta.dir}/../../db/sqlite/readers/reader-process.ts";
    const reader = new ReaderProcess(${JSON.stringify(file)}, () => {});
    await reader.all("SELECT 1", []);
    process.stdout.write(String(reader.pid));
    await reader.all("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${endless}) SELECT count(*) FROM n", []);
  `;
  const server = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  const { value } = await server.stdout.getReader().read();
  const pid = new TextDecoder().decode(value);
  await Bun.sleep(100);
  const isRunning = () => /^[^Z]/.test(Bun.spawnSync(["ps", "-o", "stat=", "-p", pid]).stdout.toString());
  expect(isRunning()).toBe(true);
  server.kill("SIGKILL");
  await server.exited;
  for (let i = 0; i < 200 && isRunning(); i += 1) await Bun.sleep(50);
  expect(isRunning()).toBe(false);
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
