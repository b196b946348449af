import { expect, test } from "bun:test";
import { dayBefore, daysBetween } from "../../src/console/app/days.ts";

test("the days between two include both, also over the end of a month", () => {
  expect(daysBetween("2026-02-27", "2026-03-01")).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
});

test("days are UTC days, also over a change of the clock", () => {
  expect(daysBetween("2026-03-28", "2026-03-30")).toEqual(["2026-03-28", "2026-03-29", "2026-03-30"]);
  expect(dayBefore(1, Date.parse("2026-03-01T23:59:59Z"))).toBe("2026-02-28");
});
