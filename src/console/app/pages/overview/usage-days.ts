import { daysBetween } from "../../days.ts";
import { readCompleteDays, valuesOf } from "../account/usage-series.ts";

type DaySpan = { from: string; to: string };
/** The organization's events by UTC day. */
export type UsageDays = {
  days: string[];
  counts: number[];
  /** Whether the first days are missing, because they have too many different events. */
  isCut: boolean;
};

/**
 * Reads ranges that follow each other, oldest first. A range that has more than `maxRows` rows is left out, and so are
 * those before it.
 */
export async function readUsageDays(
  readRange: (range: DaySpan) => AsyncIterable<{ day: string; count: number }>,
  ranges: readonly DaySpan[],
  maxRows: number,
): Promise<UsageDays> {
  const read = await Promise.all(ranges.map((range) => readCompleteDays(readRange(range), maxRows)));
  const first = read.findLastIndex(({ isCut }) => isCut) + 1;
  const days = ranges.slice(first).flatMap(({ from, to }) => daysBetween(from, to));
  const rows = read.slice(first).flatMap((part) => part.rows);
  return { days, counts: valuesOf(days, rows, "count"), isCut: first > 0 };
}

/** The days from the first one with events on, and at least the last `minDays` days. */
export function withoutEmptyStart({ days, counts, isCut }: UsageDays, minDays = 7): UsageDays {
  const first = counts.findIndex((count) => count > 0);
  const start = Math.max(0, Math.min(first === -1 ? days.length : first, days.length - minDays));
  return { days: days.slice(start), counts: counts.slice(start), isCut };
}
