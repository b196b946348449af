import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Engine } from "../../db/engine.ts";
import { defaultLeaseSeconds } from "../../db/postgres/leases.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { maxRoundMilliseconds, roundIntervalMilliseconds, startJobs } from "../../src/jobs/scheduler.ts";
import { reactions } from "../../src/reactions.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";

const leaseSeconds = 2;
/** The time of the statements that take the lease, and of the first steps. */
const workMilliseconds = 2_000;

/** Starts a process that runs the jobs; resolves when it has their lease. */
async function startProcess(url: string): Promise<Bun.Subprocess> {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "job-process.ts"), url, String(leaseSeconds)],
    { stdout: "pipe", stderr: "inherit" },
  );
  closeAfterTest(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  await child.stdout.getReader().read();
  return child;
}

async function until(condition: () => Promise<boolean>, maxMilliseconds: number): Promise<boolean> {
  const end = performance.now() + maxMilliseconds;
  while (performance.now() < end) {
    if (await condition()) return true;
    await Bun.sleep(20);
  }
  return false;
}

test("after a kill -9 of the copy that runs the jobs, another one runs them when its lease has ended", async () => {
  const url = await migratedDatabase();
  const sql = connection(url);
  const addAccount = () =>
    sql`insert into accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at, score_stale_at)
      values (1, 'Acme', 'acme', 1, 'active', 0, 0, 0)`;
  const isScored = async () =>
    (await sql`select 1 from accounts where score_stale_at is not distinct from 0`).length === 0;
  const holder = await startProcess(url);
  const engine = await engineOn(url, { leaseSeconds });
  let writeCount = 0;
  const counting: Engine = {
    ...engine,
    write(organizationId, fn) {
      writeCount += 1;
      return engine.write(organizationId, fn);
    },
  };
  const jobs = createJobs({ engine: counting, reactions, eventDays: 35, changeDays: 400 });
  const log = { info: () => {}, error: console.error };
  closeAfterTest(startJobs({ engine: counting, jobs, log }));

  await addAccount();
  expect(await until(isScored, 10_000)).toBe(true);
  expect(writeCount).toBe(0);

  holder.kill("SIGKILL");
  await holder.exited;
  const killedAt = performance.now();
  await addAccount();
  expect(await until(isScored, 20_000)).toBe(true);
  const milliseconds = performance.now() - killedAt;
  expect(writeCount).toBeGreaterThan(0);
  expect(milliseconds).toBeLessThan(leaseSeconds * 1_000 + roundIntervalMilliseconds + workMilliseconds);
});

test("the lease outlasts two rounds, and another copy takes over within 15 seconds", () => {
  const leaseMilliseconds = defaultLeaseSeconds * 1_000;
  const roundMilliseconds = maxRoundMilliseconds + roundIntervalMilliseconds;
  expect(leaseMilliseconds).toBeGreaterThanOrEqual(2 * roundMilliseconds);
  expect(leaseMilliseconds + roundIntervalMilliseconds + workMilliseconds).toBeLessThanOrEqual(15_000);
});

test("a command whose lease of repairs has expired has lost it when another one repairs", async () => {
  const url = await migratedDatabase();
  const [first, second] = [(await engineOn(url)).repairs, (await engineOn(url)).repairs];
  const expire = () => connection(url).unsafe("update leases set expires_at = clock_timestamp()");
  expect([await first.begin("a"), await second.begin("b"), await first.extend("a")]).toEqual([
    true,
    false,
    true,
  ]);
  await expire();
  expect([await first.extend("a"), await second.begin("b")]).toEqual([true, false]);
  await expire();
  expect([await second.begin("b"), await first.extend("a"), await first.begin("a")]).toEqual([
    true,
    false,
    false,
  ]);
  await second.end("b");
  expect([await first.extend("a"), await first.begin("a")]).toEqual([false, true]);
});

test("a copy that stops gives the lease back", async () => {
  const url = await migratedDatabase();
  const [first, second] = [await engineOn(url), await engineOn(url)];
  expect([await first.leaseJobs(), await second.leaseJobs(), await first.leaseJobs()]).toEqual([
    true,
    false,
    true,
  ]);
  await first.close();
  expect(await second.leaseJobs()).toBe(true);
});
