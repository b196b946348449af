import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../../db/engine.ts";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { startJobs } from "../../src/jobs/scheduler.ts";
import type { LogFields } from "../../src/log.ts";
import { reactions } from "../../src/reactions.ts";
import { folder, output, start } from "../binary/binary.ts";
import { day, healthWorld } from "../health-scores/health-world.ts";
import { RoundTimer } from "../support/round-timer.ts";

setDefaultTimeout(60_000);

/** A health world and its scheduler, which `begin` starts. */
async function jobsWorld() {
  const here = await healthWorld();
  const failures: string[] = [];
  const failedSteps: unknown[] = [];
  const timer = new RoundTimer();
  const log = {
    info: () => {},
    error(event: string, fields?: LogFields) {
      failures.push(event);
      failedSteps.push(fields);
    },
  };
  return {
    ...here,
    failures,
    failedSteps,
    timer,
    /** `onWrite` is called before each write of a job, `onPing` for each ping of the database. */
    begin(onWrite = () => {}, onPing = () => {}) {
      const engine: Engine = {
        ...here.engine,
        ping: async () => onPing(),
        write(organizationId, fn) {
          onWrite();
          return here.engine.write(organizationId, fn);
        },
      };
      const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
      return startJobs({ engine, jobs, log, timer });
    },
    /** The values of the first row of the query. */
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

function write(file: string, sql: string): void {
  const database = new Database(file, { readwrite: true });
  database.run(sql);
  database.close();
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

const recomputed = "SELECT count(*) FROM accounts WHERE score_stale_at IS NOT 0";
/** Writes of one step. */
const batchSize = 100;

test("scores are recomputed without a request: of new accounts, of changed ones, and when they change with time", async () => {
  const { begin, timer, read, scored, change, pass, second } = await jobsWorld();
  const scores = () => [1, 2].flatMap((id) => read(`SELECT score FROM accounts WHERE id = ${id}`));
  await scored(100);
  await scored(80, {}, { key: second.key });
  expect(scores()).toEqual([null, null]);
  const stop = begin();
  await timer.roundEnd();
  expect(scores()).toEqual([100, 80]);
  await change({ status: "churned" });
  await timer.nextRound();
  expect(scores()).toEqual([null, 80]);
  pass(27 * day);
  await timer.nextRound();
  expect(scores()).toEqual([null, 20]);
  await stop();
});

test("a failure is logged once until it ends, and again when it recurs; the jobs continue after it", async () => {
  const { begin, timer, read, file, failures, change, scored, pass } = await jobsWorld();
  const score = () => read("SELECT score FROM accounts")[0];
  await scored(100);
  const stop = begin();
  await timer.roundEnd();
  expect(score()).toBe(100);
  for (const [index, wanted] of [40, 20].entries()) {
    renameSync(file, `${file}.away`);
    pass(15 * day);
    for (let round = 0; round < 3; round += 1) await timer.nextRound();
    expect(failures).toEqual(new Array(index + 1).fill("jobs_failed"));
    renameSync(`${file}.away`, file);
    await timer.nextRound();
    expect(score()).toBe(wanted);
  }
  await change({ contactActivityAt: null });
  await timer.nextRound();
  expect(score()).toBeNull();
  await stop();
  expect(failures).toHaveLength(2);
});

test("a job that fails in one organization does not stop other jobs, those of other organizations, or deletions", async () => {
  const { begin, timer, read, file, failedSteps, scored, change, second, newOrganization, call, pass } =
    await jobsWorld();
  const third = await newOrganization("Third");
  await scored(100);
  await scored(80, {}, { key: second.key });
  const pending = { events: [{ event: "read", externalId: "nobody" }] };
  await call("POST", "/api/v1/events", pending);
  await call("POST", "/api/v1/events", pending, { key: third.key });
  // As after a kill during the deletion.
  write(file, `UPDATE organizations SET deleted_at = 1 WHERE id = ${third.id}`);
  write(
    file,
    "CREATE TRIGGER fail BEFORE UPDATE OF score ON accounts WHEN NEW.organization_id = 1 BEGIN SELECT RAISE(ABORT, 'scores fail'); END",
  );
  pass(30 * day);
  const stop = begin();
  await timer.roundEnd();
  const state = () => [
    ...read("SELECT count(*) FROM accounts WHERE score IS NOT NULL"),
    ...read("SELECT count(*) FROM unmatched_ids"),
    ...read("SELECT count(*) FROM organizations"),
  ];
  expect(state()).toEqual([1, 0, 2]);
  await timer.nextRound();
  const stack = expect.stringContaining("scores fail");
  expect(failedSteps).toEqual([{ job: "scores", organizationId: 1, stack }]);
  write(file, "DROP TRIGGER fail");
  await change({ mrr: 1 });
  await timer.nextRound();
  expect(state()).toEqual([2, 0, 2]);
  expect(failedSteps).toHaveLength(1);
  await stop();
});

test("between two rounds the scheduler stops at once", async () => {
  const { begin, timer, read, scored, change } = await jobsWorld();
  await scored(100);
  const stop = begin();
  await timer.roundEnd();
  expect(read(recomputed)).toEqual([1]);
  await stop();
  await change({ contactActivityAt: null });
  timer.endInterval();
  for (let turn = 0; turn < 10; turn += 1) await yieldToEventLoop();
  expect(read(recomputed)).toEqual([0]);
});

test("during a round the scheduler stops after the running step", async () => {
  const { begin, read, file, failures } = await jobsWorld();
  addAccounts(file, 10 * batchSize);
  const stopped = Promise.withResolvers<void>();
  let writeCount = 0;
  const stop = begin(() => {
    writeCount += 1;
    if (writeCount === 3) stop().then(stopped.resolve, stopped.reject);
  });
  await stopped.promise;
  expect(read(recomputed)).toEqual([3 * batchSize]);
  expect(failures).toEqual([]);
});

test("a round ends after five seconds, and the next one continues", async () => {
  const { begin, timer, read, file } = await jobsWorld();
  addAccounts(file, 10 * batchSize);
  const stop = begin(() => timer.pass(1_700));
  await timer.roundEnd();
  expect(read(recomputed)).toEqual([3 * batchSize]);
  await timer.nextRound();
  expect(read(recomputed)).toEqual([6 * batchSize]);
  await stop();
});

test("the scheduler pauses after each step, and longer if requests are waiting", async () => {
  const { begin, timer, file } = await jobsWorld();
  addAccounts(file, 4 * batchSize);
  const pauses: number[] = [];
  timer.onSleep = (milliseconds) => {
    if (milliseconds > 0) pauses.push(milliseconds);
  };
  const steps = [
    { duration: 10, delay: 0 },
    { duration: 10, delay: 1 },
    { duration: 10, delay: 2 },
    { duration: 500, delay: 2 },
  ];
  const stop = begin(() => {
    const { duration, delay } = steps.shift() ?? { duration: 0, delay: 0 };
    timer.pass(duration);
    timer.delay = delay;
  });
  await timer.roundEnd();
  await stop();
  expect(pauses).toEqual([5, 5, 5, 90, 5, 500]);
});

test("the scheduler pauses longer if the database is slow to reply", async () => {
  const { begin, timer, file } = await jobsWorld();
  addAccounts(file, 2 * batchSize);
  const pauses: number[] = [];
  timer.onSleep = (milliseconds) => {
    if (milliseconds > 0) pauses.push(milliseconds);
  };
  const stop = begin(
    () => timer.pass(10),
    () => timer.pass(3),
  );
  await timer.roundEnd();
  await stop();
  expect(pauses).toEqual([5, 90, 5, 90]);
});

test("an organization with many steps does not delay the others", async () => {
  const { begin, timer, read, file, scored, second } = await jobsWorld();
  addAccounts(file, 20 * batchSize);
  const theirs = await scored(80, {}, { key: second.key });
  let doneBefore: unknown;
  timer.onSleep = () => {
    if (read(`SELECT score FROM accounts WHERE id = ${theirs}`)[0] === 80) doneBefore ??= read(recomputed)[0];
  };
  const stop = begin();
  await timer.roundEnd();
  await stop();
  expect(read(recomputed)).toEqual([20 * batchSize + 1]);
  expect(Number(doneBefore)).toBeLessThanOrEqual(batchSize + 1);
});

test("the scheduler can be stopped before its first round, and twice", async () => {
  const { begin, read, scored } = await jobsWorld();
  await scored(100);
  const stop = begin();
  await Promise.all([stop(), stop()]);
  await stop();
  expect(read(recomputed)).toEqual([0]);
});

async function waitUntil(condition: () => boolean, maxWaitMilliseconds = 5_000): Promise<boolean> {
  for (const deadline = Date.now() + maxWaitMilliseconds; Date.now() < deadline; await Bun.sleep(5))
    if (condition()) return true;
  return condition();
}

test("serve runs the jobs, and stops them before it closes the file: no job fails", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  const file = join(cwd, "data/accountd.db");
  addAccounts(file, 20_000);
  const server = await start(["serve", "--port", "0"], { cwd });
  expect(await waitUntil(() => Number(read(file, recomputed)[0]) > 0)).toBe(true);
  expect(await server.stop()).toBe(0);
  expect(Number(read(file, recomputed)[0])).toBeLessThan(20_000);
  const events = server.stderr().trim().split("\n");
  expect(events.map((line) => JSON.parse(line).event)).toEqual(["started", "stopping", "stopped"]);
});
