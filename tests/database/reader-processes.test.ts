import { expect, test } from "bun:test";
import { LateRead } from "../../db/errors.ts";

import {
  countIn,
  countTo,
  endless,
  engineWithReader,
  poolWith,
  readerPids,
  settled,
} from "./reader-world.ts";

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

test("a read that waited for most of its time is rejected with LateRead", async () => {
  const pool = await poolWith({ count: 1, timeoutMilliseconds: 1_000 });
  const errorOf = (read: Promise<unknown>) => read.catch((error: unknown) => error);
  const [long, waiting] = [pool.read(1, countTo(endless)), pool.read(2, countTo(endless))].map(errorOf);
  expect(await long).not.toBeInstanceOf(LateRead);
  expect(await waiting).toBeInstanceOf(LateRead);
  const disconnected = new AbortController();
  const first = errorOf(pool.read(1, countTo(endless), disconnected.signal));
  const late = errorOf(pool.read(2, countTo(endless)));
  await Bun.sleep(600);
  disconnected.abort();
  expect(await first).not.toBeInstanceOf(LateRead);
  expect(await late).toBeInstanceOf(LateRead);
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
