import { expect, test } from "bun:test";
import { EndpointPace } from "../../src/webhooks/deliver/pace.ts";
import { maxAttempts, retryTime } from "../../src/webhooks/deliver/schedule.ts";

const [minute, hour, day] = [60, 3_600, 86_400];

function secondsBeforeRetries(random: () => number) {
  return Array.from({ length: maxAttempts }, (_, i) => {
    const at = retryTime({ attempts: i + 1, now: 5_000, retryAfterMilliseconds: null }, random);
    return at === undefined ? undefined : (at - 5_000) / 1_000;
  });
}

test("a delivery is attempted 13 times: after 5 s, 1, 5 and 30 min, 2, 5 and 10 h, then daily for five days", () => {
  const seconds = [5, minute, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];
  expect(secondsBeforeRetries(() => 0)).toEqual([...seconds, day, day, day, day, day, undefined]);
});

test("a retry is later by at most a tenth of its delay", () => {
  const latest = secondsBeforeRetries(() => 1).map((delay) => delay && Math.round(delay * 10));
  expect(latest).toEqual(secondsBeforeRetries(() => 0).map((delay) => delay && Math.round(delay * 11)));
});

test("a retry is not before the time that the endpoint requested, nor before its own", () => {
  const after = (retryAfterMilliseconds: number) =>
    retryTime({ attempts: 1, now: 0, retryAfterMilliseconds }, () => 0);
  expect([after(90_000), after(1)]).toEqual([90_000, 5_000]);
  expect(retryTime({ attempts: maxAttempts, now: 0, retryAfterMilliseconds: 90_000 })).toBeUndefined();
});

test("four attempts run at once after a success, one before it and after a failure", () => {
  const pace = new EndpointPace();
  const [success, failure] = [true, false].map((isSuccess) => ({ isSuccess, retryAfterMilliseconds: null }));
  if (!(success && failure)) throw new Error("two results");
  const counts = [success, failure, failure, success].map((result) => {
    const before = pace.maxRunning;
    pace.record(result, 0);
    return before;
  });
  expect([...counts, pace.maxRunning]).toEqual([1, 4, 1, 1, 4]);
});

test("after the second failure in a row, first attempts come after 1 s, doubled up to 60 s; a success ends this", () => {
  const pace = new EndpointPace();
  const spacings = Array.from({ length: 8 }, () => {
    pace.record({ isSuccess: false, retryAfterMilliseconds: null }, 1_000);
    return (pace.firstAttemptAt(1_000) - 1_000) / 1_000;
  });
  expect(spacings).toEqual([0, 1, 2, 4, 8, 16, 32, 60]);
  pace.record({ isSuccess: true, retryAfterMilliseconds: null }, 1_000);
  expect(pace.firstAttemptAt(1_000)).toBe(1_000);
});

test("when the clock is set back, an endpoint does not wait for the times before that", () => {
  const pace = new EndpointPace();
  for (const now of [day, day]) pace.record({ isSuccess: false, retryAfterMilliseconds: 40 }, now);
  expect([day, 1_000].map((now) => pace.isOpen(now))).toEqual([false, true]);
  expect([day, 1_000].map((now) => pace.firstAttemptAt(now))).toEqual([day + 1_000, 1_000]);
  pace.record({ isSuccess: true, retryAfterMilliseconds: null }, 1_000);
  expect([pace.isOpen(1_001), pace.firstAttemptAt(1_001)]).toEqual([true, 1_000]);
});
