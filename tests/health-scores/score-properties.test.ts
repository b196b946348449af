import { expect, test } from "bun:test";
import type { HealthFacts } from "../../src/health-scores/score.ts";

import {
  asOf,
  computeHealth,
  day,
  type Facts,
  findNextChange,
  hour,
  never,
  resolvedIn,
  sum,
  usage,
} from "./score-facts.ts";

/** Random data of an account. Only meetings may be in the future. */
type AccountData = Pick<HealthFacts, "status" | "contactActivityAt" | "lastSeen"> &
  Record<"events" | "open" | "resolutions" | "begins", number[]> & { requestedAt: number[] };

function inputsAt(
  { events, open, requestedAt, resolutions, begins: meetingStarts, ...inputs }: AccountData,
  timestamp: number,
): Facts {
  const within = (days: number) => (time: number) => time > timestamp - days * day && time <= timestamp;
  const first = (times: number[]) => (times.length > 0 ? Math.min(...times) : null);
  const dayOf = (time: number) => Math.floor(time / day);
  const counts = Map.groupBy(
    events.filter((time) => dayOf(time) > dayOf(timestamp) - 29),
    dayOf,
  );
  const resolvedRecently = resolutions.filter(within(90));
  const begun = meetingStarts.filter((time) => time <= timestamp);
  const recent = meetingStarts.filter(within(180));
  const nextAt = first(meetingStarts.filter((time) => time > timestamp));
  return {
    ...inputs,
    lastEventAt: events.length > 0 ? Math.max(...events) : null,
    usage: usage(
      Object.fromEntries([...counts].map(([day, { length }]) => [day - dayOf(timestamp), length])),
    ),
    requests: {
      ...resolvedIn(...resolvedRecently.map((time) => time % (40 * day))),
      open: open.length,
      openSeverity: sum(open),
      openTime: sum(open.map((_, i) => timestamp - (requestedAt[i] ?? timestamp))),
      oldestResolvedAt: first(resolvedRecently),
    },
    meetings: {
      lastAt: begun.length > 0 ? Math.max(...begun) : null,
      ...{ recent: recent.length, oldestRecentAt: first(recent), nextAt },
    },
    ...{ hasMeetings: meetingStarts.length > 0, hasRequests: open.length + resolutions.length > 0 },
  };
}

/** Pseudo-random data, determined by the seed. */
function* randomData(count: number, seed: number): Generator<AccountData> {
  let state = seed;
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * limit);
  };
  const list = <T>(maxLength: number, make: () => T) =>
    Array.from({ length: below(2 * maxLength) - maxLength }, make);
  // Half of the times are whole days before asOf, at the limits and the ends of windows.
  const ago = (days: number) => asOf - (below(2) === 0 ? below(days * day) : below(days) * day);
  for (let index = 0; index < count; index += 1)
    yield {
      status: below(5) === 0 ? "churned" : "active",
      contactActivityAt: below(2) === 0 ? ago(40) : null,
      lastSeen: list(3, () => ({ source: String(below(100)), lastSeenAt: ago(40) })),
      events: list(30, () => ago(below(2) === 0 ? 14 : 40)),
      open: list(6, () => below(6)),
      requestedAt: Array.from({ length: 6 }, () => ago(40)),
      resolutions: list(4, () => ago(100)),
      begins: list(8, () => ago(220) + 20 * day),
    };
}

test("contributions sum exactly to the score, and differ by less than a tenth from their shares", () => {
  const tenthsOf = (number: number | null) => Math.round((number ?? Number.NaN) * 10);
  const scored = [...randomData(1000, 1)].map((world) => computeHealth(inputsAt(world, asOf), asOf));
  for (const { score, coverage, factors } of scored.filter((one) => one.score !== null)) {
    const [tenths, contributions] = [tenthsOf(score), factors.map((one) => tenthsOf(one.contribution))];
    const shares = factors.map((one) => one.weight * one.score);
    const points = sum(shares);
    expect(tenths).toBe(Math.floor(points / (10 * coverage) + 0.5));
    expect(sum(contributions)).toBe(tenths);
    expect(factors.map((one) => one.contribution)).toEqual(contributions.map((part) => part / 10));
    for (const [index, share] of shares.entries())
      expect(Math.abs((contributions[index] ?? 0) * points - tenths * share)).toBeLessThan(points);
  }
  expect(scored.filter((one) => one.score !== null).length).toBeGreaterThan(500);
});

test("without resolved requests and later meetings, no later day has a higher score once the last event is 14 days old", () => {
  let falls = 0;
  for (const world of randomData(200, 3)) {
    const silent = { ...world, status: "active" as const, resolutions: [] };
    const lastAt = Math.max(...world.events, ...world.lastSeen.map(({ lastSeenAt }) => lastSeenAt));
    const begins = world.begins.filter((time) => time <= asOf);
    const from = Math.max(asOf, lastAt + 14 * day + 1);
    const scoreAt = (timestamp: number) =>
      computeHealth(inputsAt({ ...silent, begins }, timestamp), timestamp).score ?? 0;
    let last = scoreAt(from);
    for (let timestamp = from + hour; timestamp < from + 50 * day; timestamp += 7 * hour) {
      const next = scoreAt(timestamp);
      expect(next).toBeLessThanOrEqual(last);
      if (next < last) falls += 1;
      last = next;
    }
  }
  expect(falls).toBeGreaterThan(160);
});

test("score, tier and coverage do not change before the time of findNextChange", () => {
  let changes = 0;
  for (const world of randomData(120, 2)) {
    const at = (timestamp: number) => ({
      ...computeHealth(inputsAt(world, timestamp), timestamp),
      factors: [],
    });
    for (let timestamp = asOf, next = asOf; next !== never; timestamp = next) {
      next = findNextChange(inputsAt(world, timestamp), timestamp);
      expect(next).toBeGreaterThan(timestamp);
      const last = Math.min(next - 1, timestamp + 400 * day);
      for (const other of [Math.floor((timestamp + last) / 2), last])
        expect(at(other)).toEqual(at(timestamp));
      if (!Bun.deepEquals(at(next), at(timestamp))) changes += 1;
    }
  }
  expect(changes).toBeGreaterThan(480);
});
