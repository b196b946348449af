import { expect, test } from "bun:test";
import {
  type FeedReader,
  type RecordedChange,
  readRecentChanges,
} from "../../src/console/app/pages/overview/recent-changes.ts";

const hour = 3_600_000;
const now = Date.parse("2026-11-23T12:00:00.000Z");
const since = new Date(now - 168 * hour).toISOString();

/** A feed whose changes are `interval` apart, the last one now; sequences from `oldest`. */
function feedOf({ count, interval, oldest = 1 }: { count: number; interval: number; oldest?: number }) {
  const last = oldest + count - 1;
  const requests: number[] = [];
  const change = (sequence: number) =>
    ({ sequence, time: new Date(now - (last - sequence) * interval).toISOString() }) as RecordedChange;
  const reader = (anchor: number): FeedReader => ({
    read: async (after, limit) => {
      requests.push(after);
      const start = Math.max(after + 1, oldest);
      const size = Math.max(0, Math.min(limit, last - start + 1));
      return {
        changes: Array.from({ length: size }, (_, i) => change(start + i)),
        hasNextPage: start + size <= last,
      };
    },
    findAnchor: async () => {
      requests.push(-1, -1);
      return anchor;
    },
  });
  return { reader, requests, last };
}

test("a short feed takes one request, and older changes are left out", async () => {
  const { reader, requests } = feedOf({ count: 200, interval: hour });
  const { changes, isCut } = await readRecentChanges(reader(0), since);
  expect(changes.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 169 }, (_, i) => 32 + i));
  expect(isCut).toBe(false);
  expect(requests).toHaveLength(1);
});

test("an empty feed has no changes", async () => {
  expect(await readRecentChanges(feedOf({ count: 0, interval: hour }).reader(0), since)).toEqual({
    changes: [],
    isCut: false,
  });
});

test.each([
  { count: 5_000, interval: hour, anchor: 4_990, oldest: 1 },
  { count: 5_000, interval: hour / 10, anchor: 4_000, oldest: 1 },
  { count: 3_000, interval: 1, anchor: 0, oldest: 1 },
  { count: 1_001, interval: 1, anchor: 1_001, oldest: 1 },
  { count: 60_000, interval: hour / 10, anchor: 9_010_000, oldest: 9_000_000 },
  { count: 4_000, interval: 1, anchor: 0, oldest: 9_000_000 },
])("every change since the time is read once: %o", async ({ count, interval, anchor, oldest }) => {
  const { reader, requests, last } = feedOf({ count, interval, oldest });
  const { changes, isCut } = await readRecentChanges(reader(anchor), since);
  const expected = Math.min(count, Math.floor((168 * hour) / interval) + 1);
  expect(changes.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: expected }, (_, i) => last - expected + 1 + i),
  );
  expect(isCut).toBe(false);
  expect(requests.length).toBeLessThanOrEqual(20);
});

test("the newest 6,000 of more changes are read, and the list is marked as cut", async () => {
  const { reader, requests, last } = feedOf({ count: 10_000_000, interval: 1 });
  const { changes, isCut } = await readRecentChanges(reader(last - 300), since);
  expect(changes).toHaveLength(6_000);
  expect(changes.at(-1)?.sequence).toBe(last);
  expect(isCut).toBe(true);
  expect(requests.length).toBeLessThanOrEqual(20);
});

test("the requests are bounded where no sequence near the end is known", async () => {
  const { reader, requests } = feedOf({ count: 10_000_000, interval: 1 });
  const { changes, isCut } = await readRecentChanges(reader(0), since);
  expect(requests.length).toBeLessThanOrEqual(20);
  expect(isCut).toBe(true);
  const sequences = changes.map(({ sequence }) => sequence);
  expect(new Set(sequences).size).toBe(sequences.length);
});
