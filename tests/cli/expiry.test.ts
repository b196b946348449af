import { expect, test } from "bun:test";
import { parseExpiry } from "../../src/cli/keys.ts";
import { UsageError } from "../../src/core/settings/operator-error.ts";

const now = Date.UTC(2026, 0, 2);
const hour = 3_600_000;

test.each([
  ["1h", hour],
  ["24h", 24 * hour],
  ["90d", 90 * 24 * hour],
  ["12w", 12 * 7 * 24 * hour],
  ["99999w", 99_999 * 7 * 24 * hour],
])("%s is a time after the creation", (text, milliseconds) => {
  expect(parseExpiry(text, now)).toEqual({ expiresAt: null, expiresAfter: milliseconds });
});

test.each([
  ["2026-01-03", now + 24 * hour],
  ["2026-01-02T00:00:00.001Z", now + 1],
  ["2026-01-02T03:00:00+02:00", now + hour],
])("%s is an absolute time", (text, time) => {
  expect(parseExpiry(text, now)).toEqual({ expiresAt: time, expiresAfter: null });
});

test.each(["", "soon", "90", "1y", "15m", "90D", "-1d", "1.5d", "100000d", "2026-02-30", "tomorrow"])(
  "%j is rejected",
  (text) => {
    expect(() => parseExpiry(text, now)).toThrow(UsageError);
  },
);

test.each(["0h", "0d", "2026-01-02", "2020-01-01"])("%s is not in the future", (text) => {
  expect(() => parseExpiry(text, now)).toThrow("--expires must be in the future.");
});
