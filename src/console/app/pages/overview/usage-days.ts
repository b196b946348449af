import { daysBetween } from "../../days.ts";

/** Sums of the organization's events by UTC day, from pages of `GET /api/v1/usage`. */
export type EventCountPage = { rows: readonly { day: string; count: number }[]; nextCursor: string | null };
type DaySpan = { from: string; to: string };
export type UsageDays = {
  days: string[];
  counts: number[];
  /** Whether the first days are missing, because they have too many different events. */
  isCut: boolean;
};

/**
 * Reads ranges that follow each other, oldest first. Each takes at most `maxPages` pages; a range that has more is left
 * out, and so are those before it.
 */
export async function readUsageDays(
  readPage: (range: DaySpan, cursor: string) => Promise<EventCountPage>,
  ranges: readonly DaySpan[],
  maxPages: number,
): Promise<UsageDays> {
  const sums = await Promise.all(ranges.map((range) => sumRange(readPage, range, maxPages)));
  const first = sums.lastIndexOf(undefined) + 1;
  const complete = ranges.slice(first);
  const days = complete.flatMap(({ from, to }) => daysBetween(from, to));
  const counts = days.map((day) =>
    sums.slice(first).reduce((sum, counted) => sum + (counted?.get(day) ?? 0), 0),
  );
  return { days, counts, isCut: first > 0 };
}

/** The days from the first one with events on, and at least the last `minDays` days. */
export function withoutEmptyStart({ days, counts, isCut }: UsageDays, minDays = 7): UsageDays {
  const first = counts.findIndex((count) => count > 0);
  const start = Math.max(0, Math.min(first === -1 ? days.length : first, days.length - minDays));
  return { days: days.slice(start), counts: counts.slice(start), isCut };
}

/** Undefined if the range has more pages. */
async function sumRange(
  readPage: (range: DaySpan, cursor: string) => Promise<EventCountPage>,
  range: DaySpan,
  maxPages: number,
): Promise<Map<string, number> | undefined> {
  const counts = new Map<string, number>();
  let cursor: string | null = "";
  for (let page = 0; cursor !== null; page += 1) {
    if (page === maxPages) return undefined;
    const { rows, nextCursor }: EventCountPage = await readPage(range, cursor);
    for (const { day, count } of rows) counts.set(day, (counts.get(day) ?? 0) + count);
    cursor = nextCursor;
  }
  return counts;
}
