import { expect, test } from "bun:test";
import { defaultLeaseSeconds } from "../../db/postgres/leases.ts";
import { pollMilliseconds } from "../../db/timer.ts";
import { maxRoundMilliseconds } from "../../src/jobs/scheduler.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";

/** The time of the statements that take the lease, and of the first steps. */
const workMilliseconds = 2_000;

test("the lease outlasts two rounds, and another copy takes over within 15 seconds", () => {
  const leaseMilliseconds = defaultLeaseSeconds * 1_000;
  const roundMilliseconds = maxRoundMilliseconds + pollMilliseconds;
  expect(leaseMilliseconds).toBeGreaterThanOrEqual(2 * roundMilliseconds);
  expect(leaseMilliseconds + pollMilliseconds + workMilliseconds).toBeLessThanOrEqual(15_000);
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
