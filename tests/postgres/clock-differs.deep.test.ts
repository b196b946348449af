import { expect, test } from "bun:test";
import { join } from "node:path";
import { trustClock } from "../../src/core/clock-trust.ts";
import { run, start } from "../binary/binary.ts";
import { logOf } from "../binary/service.ts";
import { main } from "../support/bash.ts";
import { createOrganizationWithKey } from "../support/template.ts";
import { connection, emptyDatabase, engineOn, migratedDatabase } from "./database.ts";
import { copyOn } from "./service-copy.ts";

const day = 24 * 3_600_000;

test("retention follows the clock of the server while that of the process is more than an hour ahead", async () => {
  const url = await migratedDatabase();
  for (const [ahead, retentionAhead, reportCount] of [
    [40 * day, 0, 1],
    [1_800_000, 1_800_000, 0],
    [-40 * day, -40 * day, 1],
  ] as const) {
    const reports: [number, number][] = [];
    const { clock } = await engineOn(url, {
      clock: () => Date.now() + ahead,
      onClockDiffers: (...times) => void reports.push(times),
    });
    expect(Math.abs(clock.wallTime() - ahead - Date.now())).toBeLessThan(60_000);
    expect(Math.abs(clock.retentionTime() - retentionAhead - Date.now())).toBeLessThan(60_000);
    expect(reports).toHaveLength(reportCount);
    for (const [time, serverTime] of reports) {
      expect(Math.abs(time - ahead - Date.now())).toBeLessThan(60_000);
      expect(Math.abs(serverTime - Date.now())).toBeLessThan(60_000);
    }
    clock.trust();
    expect(Math.abs(clock.retentionTime() - ahead - Date.now())).toBeLessThan(60_000);
  }
});

/** The program in a process whose clock is 40 days ahead. */
const program = [process.execPath, "--preload", join(import.meta.dir, "clock-ahead.ts"), main];
const runJobs = (url: string, ...words: string[]) =>
  run(["jobs", "run", ...words, "--database", url], { program });

test("jobs run with a clock far ahead deletes no events, says so, and deletes them with --now", async () => {
  const url = await emptyDatabase();
  const { engine, send } = await copyOn(url);
  const { key } = await createOrganizationWithKey(engine, "Acme");
  await send(key, "POST", "/accounts", { name: "Acme" });
  expect((await send(key, "POST", "/events", { event: "login", accountId: 1 })).status).toBe(200);
  const countEvents = async () => (await connection(url)`select 1 from events`).length;
  expect(await countEvents()).toBe(1);
  const today = new Date().toISOString().slice(0, 10);
  const first = await runJobs(url);
  expect(first).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Retention counts from ${today}`),
    stderr: expect.stringMatching(/^The clock of this machine is .*, the clock of the database .*\.\n$/),
  });
  expect(await countEvents()).toBe(1);
  expect(await runJobs(url, "--now")).toMatchObject({ code: 0 });
  expect(await countEvents()).toBe(0);
});

test("serve with a clock far ahead logs clock_differs once, with both times", async () => {
  const words = ["serve", "--port", "0", "--database", await emptyDatabase()];
  const server = await start(words, { program });
  await Bun.sleep(1_500);
  await server.stop();
  const differing = logOf(server).filter(({ event }) => event === "clock_differs");
  expect(differing).toEqual([
    {
      time: expect.any(String),
      level: "error",
      event: "clock_differs",
      clock: expect.any(String),
      databaseClock: expect.any(String),
      detail: expect.stringMatching(/^Retention follows the clock of the database for 24 hours\./),
    },
  ]);
  const [{ clock, databaseClock }] = differing;
  expect(Math.abs(Date.parse(databaseClock) - Date.now())).toBeLessThan(60_000);
  expect(Math.abs(Date.parse(clock) - 40 * day - Date.now())).toBeLessThan(60_000);
});

test("retention waits while the clocks of the process and the server are far ahead of the stored times", async () => {
  const url = await emptyDatabase();
  const { engine } = await copyOn(url);
  await createOrganizationWithKey(engine, "Acme");
  // As if both clocks had jumped: the stored times are behind them.
  const sql = connection(url);
  await sql`update organizations set created_at = created_at - ${40 * day}`;
  await sql`update api_keys set created_at = created_at - ${40 * day}`;
  for (let start = 1; start <= 2; start += 1) {
    const reports: [number, number][] = [];
    const { clock } = await engineOn(url, { onClockAhead: (...times) => void reports.push(times) });
    expect(Math.abs(clock.retentionTime() + 40 * day - Date.now())).toBeLessThan(60_000);
    expect(reports).toHaveLength(1);
    // A restart, after something was stored.
    await sql`update api_keys set last_used_at = ${Date.now()}`;
  }
  await trustClock(engine);
  const { clock } = await engineOn(url, { onClockAhead: () => {} });
  expect(Math.abs(clock.retentionTime() - Date.now())).toBeLessThan(60_000);
});
