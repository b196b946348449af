import { Database } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { startJobs } from "../src/jobs/scheduler.ts";
import { endAll, folder, output, start } from "./binary/binary.ts";
import { day, healthWorld } from "./health-scores/health-world.ts";

setDefaultTimeout(60_000);
afterEach(endAll);

/** A health world, the upkeep of which has begun, or begins when it is told to. */
async function upkeepWorld() {
  const here = await healthWorld();
  const failures: string[] = [];
  const log = { info: () => {}, error: (event: string) => void failures.push(event) };
  return {
    ...here,
    failures,
    begin: (store = here.store) => startJobs({ store, clock: here.now, log, eventDays: 35 }),
    /** The values of the file's one row. */
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

/** Adds accounts whose scores are to be worked out. */
function addAccounts(file: string, count: number): void {
  const database = new Database(file, { readwrite: true });
  database.run(
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
     INSERT INTO accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at)
     SELECT 1, 'Acme', 'acme', 1, 'active', 0, 0 FROM n`,
    [count],
  );
  database.run(
    `INSERT INTO account_health
     SELECT organization_id, id, NULL, NULL, 0, 101, mrr, folded_name, 0 FROM accounts`,
  );
  database.close();
}

async function until(isSo: () => boolean, patience = 5_000): Promise<boolean> {
  for (const deadline = Date.now() + patience; Date.now() < deadline; await Bun.sleep(5))
    if (isSo()) return true;
  return isSo();
}

const workedOut = "SELECT count(*) FROM account_health WHERE changes_at > 0";

test("scores are worked out without being asked: of new accounts, of changed ones, and when their time has come", async () => {
  const { begin, read, scored, change, pass, second } = await upkeepWorld();
  const scoreOf = (id: number) => () =>
    read(`SELECT score FROM account_health WHERE account_id = ${id}`)[0] ?? null;
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

test("parked events end after 30 days, and old events are removed, without being asked", async () => {
  const { begin, read, account, call, pass } = await upkeepWorld();
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

test("a failure is logged once while it lasts, and again when it comes again; upkeep goes on after it", async () => {
  const { begin, read, file, failures, change, scored, pass } = await upkeepWorld();
  const score = () => read("SELECT score FROM account_health")[0];
  await scored(100);
  const stop = begin();
  expect(await until(() => score() === 100)).toBe(true);
  for (const [index, wanted] of [40, 20].entries()) {
    renameSync(file, `${file}.away`);
    pass(15 * day);
    expect(await until(() => failures.length > index)).toBe(true);
    // Long enough for another round.
    await Bun.sleep(1_500);
    expect(failures).toEqual(new Array(index + 1).fill("upkeep_failed"));
    renameSync(`${file}.away`, file);
    expect(await until(() => score() === wanted)).toBe(true);
    // Long enough for the round to end well.
    await Bun.sleep(200);
  }
  await change({ contactActivityAt: null });
  expect(await until(() => score() === null)).toBe(true);
  await stop();
  expect(failures).toHaveLength(2);
});

test("it stops at once between two rounds", async () => {
  const { begin, read, scored, change } = await upkeepWorld();
  await scored(100);
  const stop = begin();
  expect(await until(() => read(workedOut)[0] === 1)).toBe(true);
  await Bun.sleep(50);
  const start = performance.now();
  await stop();
  expect(performance.now() - start).toBeLessThan(300);
  await change({ contactActivityAt: null });
  await Bun.sleep(1_500);
  expect(read(workedOut)).toEqual([0]);
});

test("with much to do it stops after the step under way, and nothing is done after that", async () => {
  const { begin, read, file, failures } = await upkeepWorld();
  addAccounts(file, 20_000);
  const stop = begin();
  expect(await until(() => Number(read(workedOut)[0]) > 0)).toBe(true);
  const start = performance.now();
  await stop();
  expect(performance.now() - start).toBeLessThan(500);
  const done = read(workedOut);
  expect(Number(done[0])).toBeLessThan(20_000);
  await Bun.sleep(200);
  expect(read(workedOut)).toEqual(done);
  expect(failures).toEqual([]);
});

test("it stops soon also when its steps waited long for the database", async () => {
  const { begin, read, file, store } = await upkeepWorld();
  addAccounts(file, 20_000);
  const stop = begin({
    ...store,
    async write(work) {
      await Bun.sleep(500);
      return store.write(work);
    },
  });
  expect(await until(() => Number(read(workedOut)[0]) > 0)).toBe(true);
  // It rests now, or waits once more.
  const start = performance.now();
  await stop();
  expect(performance.now() - start).toBeLessThan(1_000);
});

test("one organization with much to do does not keep the others waiting", async () => {
  const { begin, read, file, scored, second } = await upkeepWorld();
  addAccounts(file, 20_000);
  const theirs = await scored(80, {}, { key: second.key });
  const stop = begin();
  const score = `SELECT score FROM account_health WHERE account_id = ${theirs}`;
  expect(await until(() => read(score)[0] === 80, 2_000)).toBe(true);
  expect(Number(read(workedOut)[0])).toBeLessThan(10_000);
  await stop();
});

test("it may be stopped before it has begun, and twice", async () => {
  const { begin, read, scored } = await upkeepWorld();
  await scored(100);
  const stop = begin();
  await Promise.all([stop(), stop()]);
  await stop();
  expect(read(workedOut)).toEqual([0]);
});

test("serve keeps up while it serves, and ends that before it closes the file: nothing fails", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  const file = join(cwd, "data/accountd.db");
  addAccounts(file, 20_000);
  const server = await start(["serve", "--port", "0"], { cwd });
  expect(await until(() => Number(read(file, workedOut)[0]) > 0)).toBe(true);
  expect(await server.stop()).toBe(0);
  expect(Number(read(file, workedOut)[0])).toBeLessThan(20_000);
  const events = server.stderr().trim().split("\n");
  expect(events.map((line) => JSON.parse(line).event)).toEqual(["started", "stopping", "stopped"]);
});
