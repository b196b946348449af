import { expect, test } from "bun:test";
import { expiryOf, stateOf } from "../../src/console/app/pages/keys/key-state.ts";

const now = Date.parse("2026-11-23T12:00:00.000Z");

test.each([
  [{ expiresAt: null, revokedAt: null }, "active"],
  [{ expiresAt: "2026-11-23T12:00:00.001Z", revokedAt: null }, "active"],
  [{ expiresAt: "2026-11-23T12:00:00.000Z", revokedAt: null }, "expired"],
  [{ expiresAt: "2026-01-01T00:00:00.000Z", revokedAt: "2026-11-01T00:00:00.000Z" }, "revoked"],
] as const)("the state of %o is %s", (key, state) => {
  expect(stateOf(key, now)).toBe(state);
});

test("a number of days is from now, and never is null", () => {
  expect(expiryOf("30", "", now)).toBe("2026-12-23T12:00:00.000Z");
  expect(expiryOf("never", "2026-12-01", now)).toBeNull();
});

test("a key expires at the beginning of the day in the local time zone", () => {
  const expiry = new Date(expiryOf("date", "2026-12-31", now) ?? "");
  expect([expiry.getMonth(), expiry.getDate(), expiry.getHours()]).toEqual([11, 31, 0]);
});

test("a missing day gives no key that never expires", () => {
  expect(() => expiryOf("date", "", now)).toThrow(RangeError);
});
