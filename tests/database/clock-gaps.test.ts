import { expect, test } from "bun:test";
import { ServiceClock } from "../../db/clock.ts";
import { gapAt } from "../../db/clock-gaps.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { Tenant } from "../../src/core/tenant/tenant.ts";
import { receiveEvents } from "../../src/events/store.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { reactions } from "../../src/reactions.ts";
import { eventWorld } from "../events/event-world.ts";
import { temporaryFile } from "../support/world.ts";

const day = 86_400_000;

test.each([
  ["no stored time", 100 * day, null, undefined],
  ["a stored time of 30 days ago", 100 * day, 70 * day, undefined],
  ["a stored time of more than 30 days ago", 100 * day, 70 * day - 1, "new"],
  ["a stored time in the future", 100 * day, 200 * day, undefined],
] as const)("With %s, the clock is trusted or a gap begins", (_, now, newestAt, outcome) => {
  const gap = gapAt(now, newestAt, undefined);
  expect(gap).toEqual(outcome === "new" ? { startedAt: now, newestAt: newestAt ?? 0 } : undefined);
});

test("A gap lasts for 24 hours, also if newer times were stored", () => {
  const last = { startedAt: 100 * day, newestAt: 10 * day };
  expect(gapAt(101 * day - 1, 100 * day, last)).toBe(last);
  expect(gapAt(101 * day, 100 * day, last)).toBeUndefined();
});

test("The gap ends 24 hours after its start, also in a server that was started again meanwhile", () => {
  let elapsed = 0;
  const gap = { startedAt: 100 * day, newestAt: 10 * day };
  const clock = new ServiceClock({
    ...{ clock: () => 100 * day + day / 2 + elapsed, elapsed: () => elapsed, gap },
  });
  expect(clock.retentionTime()).toBe(10 * day + day / 2);
  expect(clock.receiptTime()).toBe(100 * day + day / 2);
  elapsed = day / 2;
  expect(clock.retentionTime()).toBe(101 * day);
});

test("Events that are received in a gap stay when the clock is trusted: the gap was no fault of the clock", async () => {
  const here = await eventWorld();
  await here.engine.close();
  const now = here.now() + 40 * day;
  const engine = openDatabase(here.file, { clock: () => now, isExclusive: true, onClockAhead: () => {} });
  const tenant = new Tenant(
    { engine, reactions, runJob: async () => {} },
    { organizationId: here.first.id, actor: { type: "cli" }, requestId: null },
  );
  const event = { event: "a", userId: null, properties: null, timestamp: now };
  await tenant.write((tx) =>
    receiveEvents(tx, [
      { ...event, externalId: "acme", messageId: "1" },
      { ...event, externalId: "nobody", messageId: "2" },
    ]),
  );
  engine.clock.trust();
  await runDueJobs({ engine, jobs: createJobs({ engine, reactions, eventDays: 35, changeDays: 400 }) });
  await engine.close();
  expect(await here.rows("SELECT count(*) AS n, count(external_id) AS pending FROM events")).toEqual([
    { n: 2, pending: 1 },
  ]);
});

test("Retention counts from the newest stored time, and goes on in the gap", async () => {
  const file = temporaryFile("accountd.db");
  const first = openDatabase(file, { clock: () => 10 * day, canCreate: true });
  await createOrganization(first, "Acme");
  await first.close();
  const reports: number[][] = [];
  const openAt = (now: number) =>
    openDatabase(file, {
      clock: () => now,
      isExclusive: true,
      onClockAhead: (...times) => reports.push(times),
    });
  for (const [now, retentionTime] of [
    [100 * day, 10 * day],
    [100 * day + 5, 10 * day + 5],
    [102 * day, 102 * day],
  ] as const) {
    const engine = openAt(now);
    expect(engine.clock.retentionTime()).toBe(retentionTime);
    await engine.close();
  }
  expect(reports).toEqual([
    [100 * day, 10 * day],
    [100 * day + 5, 10 * day],
  ]);
});
