import { expect, test } from "bun:test";
import { type EventCountPage, readUsageDays } from "../../src/console/app/pages/overview/usage-days.ts";

const ranges = [
  { from: "2026-02-27", to: "2026-02-28" },
  { from: "2026-03-01", to: "2026-03-02" },
];

test("the events of a day are added up over all pages, and days without events are 0", async () => {
  const pages: Record<string, EventCountPage> = {
    "2026-02-27 ": { rows: [{ day: "2026-02-27", count: 2 }], nextCursor: "more" },
    "2026-02-27 more": { rows: [{ day: "2026-02-27", count: 3 }], nextCursor: null },
    "2026-03-01 ": { rows: [{ day: "2026-03-02", count: 7 }], nextCursor: null },
  };
  const read = async ({ from }: { from: string }, cursor: string) =>
    pages[`${from} ${cursor}`] ?? { rows: [], nextCursor: null };
  expect(await readUsageDays(read, ranges, 2)).toEqual({
    days: ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"],
    counts: [5, 0, 0, 7],
    isCut: false,
  });
});

test("a range with too many pages is left out, and so are those before it", async () => {
  const read = async ({ from }: { from: string }) => ({
    rows: [{ day: from, count: 1 }],
    nextCursor: from === "2026-02-27" ? "more" : null,
  });
  expect(await readUsageDays(read, ranges, 3)).toEqual({
    days: ["2026-03-01", "2026-03-02"],
    counts: [1, 0],
    isCut: true,
  });
});
