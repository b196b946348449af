import { expect, test } from "bun:test";
import { gapAt } from "../../db/clock-gaps.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization } from "../../src/organizations/store.ts";
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
    [102 * day, 10 * day],
  ] as const) {
    const engine = openAt(now);
    expect(engine.clock.retentionTime()).toBe(retentionTime);
    await engine.close();
  }
  expect(reports).toEqual([
    [100 * day, 10 * day],
    [100 * day + 5, 10 * day],
    [102 * day, 10 * day],
  ]);
});
