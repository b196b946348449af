import { Database } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { createJobs } from "../src/jobs/jobs.ts";
import { startJobs } from "../src/jobs/scheduler.ts";
import { reactions } from "../src/reactions.ts";
import { endAll, folder, output, start } from "./binary/binary.ts";
import { day, healthWorld } from "./health-scores/health-world.ts";

setDefaultTimeout(60_000);
afterEach(endAll);

/** A health world with a scheduler that `begin` starts. */
async function jobsWorld() {
  const here = await healthWorld();
  const failures: string[] = [];
  const log = { info: () => {}, error: (event: string) => void failures.push(event) };
  return {
    ...here,
    failures,
    begin: (engine = here.engine) =>
      startJobs({ engine, jobs: createJobs({ engine, reactions, eventDays: 35, changeDays: 400 }), log }),
    /** The values of the only row of the statement. */
    read: (sql: string) => read(here.file, sql),
  };
}

function read(file: string, sql: string): unknown[] {
  const database = new Database(file, { readwrite: true });
  try {
    return database.query(sql).values()[0] ?? [];
  } finally {
    database.close();
  }
}

/** Adds accounts whose scores are stale. */
function addAccounts(file: string, count: number): void {
  const database = new Database(file, { readwrite: true });
  database.run(
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
     INSERT INTO accounts
       (organization_id, name, folded_name, mrr, status, created_at, updated_at, score_stale_at)
     SELECT 1, 'Acme', 'acme', 1, 'active', 0, 0, 0 FROM n`,
    [count],
  );
  database.close();
}

async function until(isSo: () => boolean, patience = 5_000): Promise<boolean> {
  for (const deadline = Date.now() + patience; Date.now() < deadline; await Bun.sleep(5))
    if (isSo()) return true;
  return isSo();
}

const recomputed = "SELECT count(*) FROM accounts WHERE score_stale_at IS NOT 0";

test("scores of new accounts, of changed accounts, and of accounts that change with time are recomputed without a request", async () => {
  const { begin, read, scored, change, pass, second } = await jobsWorld();
  const scoreOf = (id: number) => () => read(`SELECT score FROM accounts WHERE id = ${id}`)[0] ?? null;
  await scored(100);
  await scored(80, {}, { key: second.key });
  expect(scoreOf(1)()).toBeNull();
  const stop = begin();
  expect(await until(() => scoreOf(1)() === 100 && scoreOf(2)() === 80)).toBe(true);
  await change({ status: "churned" });
  expect(await until(() => scoreOf(1)() === null)).toBe(true);
  expect(scoreOf(2)()).toBe(80);
  pass(27 * day);
  expect(await until(() => scoreOf(2)() === 20)).toBe(true);
  await stop();
});

test("pending events expire after 30 days, and old events are deleted, without a request", async () => {
  const { begin, read, account, call, pass } = await jobsWorld();
  await account({ name: "Acme", externalId: "acme" });
  const events = ["acme", "nobody"].map((externalId) => ({ event: "read", externalId }));
  await call("POST", "/api/v1/events", { events });
  const stored = () => [
    ...read("SELECT count(*), count(external_id) FROM events"),
    ...read("SELECT count(*) FROM unmatched_ids"),
  ];
  const stop = begin();
  expect(stored()).toEqual([2, 1, 1]);
  pass(30 * day);
  expect(await until(() => stored().join() === "2,0,0")).toBe(true);
  pass(6 * day + 1);
  expect(await until(() => stored().join() === "0,0,0")).toBe(true);
  await stop();
});

test("a repeated failure is logged once, and again after a success; the jobs continue", async () => {
  const { begin, read, file, failures, change, scored, pass } = await jobsWorld();
  const score = () => read("SELECT score FROM accounts")[0];
  await scored(100);
  const stop = begin();
  expect(await until(() => score() === 100)).toBe(true);
  for (const [index, wanted] of [40, 20].entries()) {
    renameSync(file, `${file}.away`);
    pass(15 * day);
    expect(await until(() => failures.length > index)).toBe(true);
    // Long enough for another round.
    await Bun.sleep(1_500);
    expect(failures).toEqual(new Array(index + 1).fill("jobs_failed"));
    renameSync(`${file}.away`, file);
    expect(await until(() => score() === wanted)).toBe(true);
    // Long enough for a round without a failure to end.
    await Bun.sleep(1_500);
  }
  await change({ contactActivityAt: null });
  expect(await until(() => score() === null)).toBe(true);
  await stop();
  expect(failures).toHaveLength(2);
});

test("the scheduler stops at once between two rounds", async () => {
  const { begin, read, scored, change } = await jobsWorld();
  await scored(100);
  const stop = begin();
  expect(await until(() => read(recomputed)[0] === 1)).toBe(true);
  await Bun.sleep(50);
  const start = performance.now();
  await stop();
  expect(performance.now() - start).toBeLessThan(300);
  await change({ contactActivityAt: null });
  await Bun.sleep(1_500);
  expect(read(recomputed)).toEqual([0]);
});

test("a busy scheduler stops after the running step, and runs no further one", async () => {
  const { begin, read, file, failures } = await jobsWorld();
  addAccounts(file, 20_000);
  const stop = begin();
  expect(await until(() => Number(read(recomputed)[0]) > 0)).toBe(true);
  const start = performance.now();
  await stop();
  expect(performance.now() - start).toBeLessThan(500);
  const done = read(recomputed);
  expect(Number(done[0])).toBeLessThan(20_000);
  await Bun.sleep(200);
  expect(read(recomputed)).toEqual(done);
  expect(failures).toEqual([]);
});

test("the scheduler stops soon even if its steps waited long for the database", async () => {
  const { begin, read, file, engine } = await jobsWorld();
  addAccounts(file, 20_000);
  const stop = begin({
    ...engine,
    async write(organizationId, fn) {
      await Bun.sleep(500);
      return engine.write(organizationId, fn);
    },
  });
  expect(await until(() => Number(read(recomputed)[0]) > 0)).toBe(true);
  // It backs off now, or waits for the next write.
  const start = performance.now();
  await stop();
  expect(performance.now() - start).toBeLessThan(1_000);
});

test("an organization with many steps does not delay the others", async () => {
  const { begin, read, file, scored, second } = await jobsWorld();
  addAccounts(file, 20_000);
  const theirs = await scored(80, {}, { key: second.key });
  const stop = begin();
  const score = `SELECT score FROM accounts WHERE id = ${theirs}`;
  expect(await until(() => read(score)[0] === 80, 2_000)).toBe(true);
  expect(Number(read(recomputed)[0])).toBeLessThan(10_000);
  await stop();
});

test("the scheduler can be stopped before its first round, and twice", async () => {
  const { begin, read, scored } = await jobsWorld();
  await scored(100);
  const stop = begin();
  await Promise.all([stop(), stop()]);
  await stop();
  expect(read(recomputed)).toEqual([0]);
});

test("serve runs the jobs and stops them before it closes the database", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  const file = join(cwd, "data/accountd.db");
  addAccounts(file, 20_000);
  const server = await start(["serve", "--port", "0"], { cwd });
  expect(await until(() => Number(read(file, recomputed)[0]) > 0)).toBe(true);
  expect(await server.stop()).toBe(0);
  expect(Number(read(file, recomputed)[0])).toBeLessThan(20_000);
  const events = server.stderr().trim().split("\n");
  expect(events.map((line) => JSON.parse(line).event)).toEqual(["started", "stopping", "stopped"]);
});
