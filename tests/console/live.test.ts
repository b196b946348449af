import { expect, test } from "bun:test";
import { intervalAfter } from "../../src/console/app/live/pauses.ts";

test("a page is read again a second after the last time, and less often while changes keep coming", () => {
  const first = intervalAfter(0, Number.POSITIVE_INFINITY);
  expect(first).toBe(1_000);
  let interval = first;
  const intervals = Array.from({ length: 8 }, () => (interval = intervalAfter(interval, interval)));
  expect(intervals.slice(0, 2)).toEqual([1_500, 2_250]);
  expect(intervals.at(-1)).toBe(10_000);
  expect(intervalAfter(10_000, 20_001)).toBe(1_000);
});
