import { expect, test } from "bun:test";
import type { Tenant } from "../../src/core/tenant/tenant.ts";
import { attachNextEvents } from "../../src/events/attach.ts";
import { expirePendingEvents, removeOldEvents } from "../../src/events/retention.ts";
import { refreshScores } from "../../src/health-scores/recompute.ts";
import { quantileOf } from "../support/quantile.ts";
import type { Body } from "../support/world.ts";
import { day, eventWorld } from "./event-world.ts";

/** Processor time for which a step may delay a write. Elapsed time would depend on other load of the machine. */
const maxStepMilliseconds = 20;
type World = Awaited<ReturnType<typeof eventWorld>>;

/** Sends events in requests of the maximum size. */
async function fill({ send }: World, count: number, event: (index: number) => Body): Promise<void> {
  const perRequest = Math.min(1_000, Math.floor(1_000_000 / JSON.stringify(event(0)).length));
  for (let sent = 0; sent < count; sent += perRequest) {
    const size = Math.min(perRequest, count - sent);
    const { rejected, duplicates } = await send(Array.from({ length: size }, (_, i) => event(sent + i)));
    expect([rejected, duplicates]).toEqual([0, 0]);
  }
}

/** Runs all steps; returns their number and the median of their processor times, in milliseconds. */
async function medianTime({ jobs, first }: World, step: (tenant: Tenant) => Promise<boolean>) {
  const times: number[] = [];
  for (let isMore = true; isMore; ) {
    const before = process.cpuUsage();
    isMore = await step(jobs.tenant(first.id));
    const { user, system } = process.cpuUsage(before);
    if (isMore) times.push((user + system) / 1_000);
  }
  return { steps: times.length, median: quantileOf(times, 0.5) };
}

const properties = { rows: 12, format: "pdf", pages: [1, 2, 3], title: "Annual report" };
const large = { filler: "x".repeat(30_000) };

test.each([
  ["6,000 events of one id", 6_000, properties, () => "unknown"],
  ["6,000 events of an id each", 6_000, properties, (i: number) => `unknown ${i}`],
  ["400 events of 30 kB", 400, large, () => "unknown"],
])(
  "pending events expire in steps of less than 20 ms of processor time: %s",
  async (_what, count, properties, idOf) => {
    const here = await eventWorld();
    await fill(here, count, (i) => ({
      event: "opened",
      externalId: idOf(i),
      messageId: crypto.randomUUID(),
      userId: `u${i % 50}`,
      properties,
    }));
    here.pass(30 * day);
    const { steps, median } = await medianTime(here, expirePendingEvents);
    expect(steps).toBeGreaterThan(1);
    expect(await here.unmatched()).toEqual([]);
    expect(median).toBeLessThan(maxStepMilliseconds);
  },
);

test.each([
  ["6,000 events of one user", 6_000, properties, () => "u"],
  ["6,000 events of a user each", 6_000, properties, (i: number) => `u${i}`],
  ["400 events of 30 kB", 400, large, (i: number) => `u${i}`],
])(
  "old events are deleted in steps of less than 20 ms of processor time: %s",
  async (_what, count, properties, userOf) => {
    const here = await eventWorld();
    await fill(here, count, (i) => ({
      event: `event ${i % 20}`,
      externalId: i % 3 === 0 ? "acme" : "globex",
      messageId: crypto.randomUUID(),
      userId: userOf(i),
      timestamp: here.at(-(i % 30) * day),
      properties,
    }));
    here.pass(36 * day + 1);
    const { steps, median } = await medianTime(here, (tenant) => removeOldEvents(tenant, 35));
    expect(steps).toBeGreaterThan(1);
    expect(await here.rows("SELECT count(*) AS count FROM events")).toEqual([{ count: 0 }]);
    expect(median).toBeLessThan(maxStepMilliseconds);
  },
);

test("scores are recomputed in steps of less than 20 ms of processor time: 200 accounts with 6,000 events", async () => {
  const here = await eventWorld();
  const names = Array.from({ length: 200 }, (_, i) => `account ${i}`);
  await Promise.all(names.map((name) => here.account({ name, externalId: name })));
  await fill(here, 6_000, (i) => ({
    event: `event ${i % 5}`,
    externalId: `account ${i % 200}`,
    timestamp: here.at(-(i % 35) * day),
    userId: `u${i % 50}`,
  }));
  const { steps, median } = await medianTime(
    here,
    async (tenant) => (await refreshScores(tenant)) !== "none",
  );
  expect(steps).toBeGreaterThan(1);
  expect((await here.call("GET", "/api/v1/health?pageSize=1")).body.pagination.total).toBe(202);
  expect(median).toBeLessThan(maxStepMilliseconds);
});

test.each([
  ["6,000 events of one day", 6_000, properties, 1],
  ["6,000 events of 30 days, received in another order", 6_000, properties, 30],
  ["2,010 events of 5 kB", 2_010, { filler: "x".repeat(5_000) }, 1],
])(
  "pending events are attached, or deleted, in steps of less than 20 ms of processor time: %s",
  async (_what, count, properties, days) => {
    const here = await eventWorld();
    for (const externalId of ["unknown", "gone"])
      await fill(here, count, (i) => ({
        event: `event ${i % 20}`,
        externalId,
        userId: `u${i}`,
        timestamp: here.at(-((i * 7_919) % days) * day),
        properties,
      }));
    const gone = await here.account({ name: "Gone", externalId: "gone" });
    await here.call("DELETE", `/api/v1/accounts/${gone.id}`);
    const { id } = await here.account({ name: "New", externalId: "unknown" });
    const { steps, median } = await medianTime(here, attachNextEvents);
    expect(steps).toBeGreaterThan(10);
    expect(median).toBeLessThan(maxStepMilliseconds);
    expect(await here.rows("SELECT account_id, count(*) AS count FROM events GROUP BY 1")).toEqual([
      { account_id: id, count },
    ]);
  },
);

test("requests of others run while 6,000 pending events are attached to an account", async () => {
  const here = await eventWorld();
  const count = 6_000;
  await fill(here, count, (i) => ({ event: "opened", externalId: "unknown", userId: `u${i % 50}` }));
  const others = { key: here.second.key };
  const theirs = await here.account({ name: "Theirs" }, others);
  const { id } = await here.account({ name: "New", externalId: "unknown" });
  let isDone = false;
  const attaching = here.runJobs().finally(() => {
    isDone = true;
  });
  let requestCount = 0;
  for (; !isDone; requestCount += 1) {
    const path = `/api/v1/accounts/${theirs.id}`;
    expect((await here.call("GET", path, undefined, others)).status).toBe(200);
    expect((await here.call("PATCH", path, { mrr: requestCount }, others)).status).toBe(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await attaching;
  expect(requestCount).toBeGreaterThan(20);
  const days = await here.usage(id);
  expect(days.map(([, , uses, users]: unknown[]) => [uses, users])).toEqual([[count, 50]]);
});
