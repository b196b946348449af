import { expect, test } from "bun:test";
import { readUsageDays, withoutEmptyStart } from "../../src/console/app/pages/overview/usage-days.ts";

const ranges = [
  { from: "2026-02-27", to: "2026-02-28" },
  { from: "2026-03-01", to: "2026-03-02" },
];

test("the events of a day are added up over all rows, and days without events are 0", async () => {
  async function* read({ from }: { from: string }) {
    if (from === "2026-02-27") yield* [2, 3].map((count) => ({ day: from, count }));
    else yield { day: "2026-03-02", count: 7 };
  }
  expect(await readUsageDays(read, ranges, 2)).toEqual({
    days: ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"],
    counts: [5, 0, 0, 7],
    isCut: false,
  });
});

test("a range with too many rows is left out, and so are those before it", async () => {
  async function* read({ from, to }: { from: string; to: string }) {
    yield { day: from, count: 1 };
    if (from === "2026-02-27") yield { day: to, count: 1 };
  }
  expect(await readUsageDays(read, ranges, 1)).toEqual({
    days: ["2026-03-01", "2026-03-02"],
    counts: [1, 0],
    isCut: true,
  });
});

test("empty days at the beginning are left out, but at least the last days stay", () => {
  const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"];
  const usage = (counts: number[]) => ({ days, counts, isCut: false });
  expect(withoutEmptyStart(usage([0, 2, 0, 1]), 2).counts).toEqual([2, 0, 1]);
  expect(withoutEmptyStart(usage([0, 0, 0, 1]), 2)).toEqual({
    days: days.slice(2),
    counts: [0, 1],
    isCut: false,
  });
  expect(withoutEmptyStart(usage([0, 0, 0, 0]), 2).days).toEqual(days.slice(2));
  expect(withoutEmptyStart(usage([1, 0, 0, 0]), 9).days).toEqual(days);
});
