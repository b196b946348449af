import { expect, test } from "bun:test";
import { progressLine } from "../../src/cli/output.ts";

test("a progress bar has the part that is done, the rate and the remaining time", () => {
  const line = (done: number, total: number, seconds: number) =>
    progressLine({ done, total, seconds, unit: "rows" });
  expect(line(0, 1_000, 0)).toBe("[..............................] 0 %, 0 of 1000 rows, 0/s");
  expect(line(500, 1_000, 10)).toBe(
    "[###############...............] 50 %, 500 of 1000 rows, 50/s, 10 s left",
  );
  expect(line(10, 10_000, 1)).toContain("10/s, 16 min 39 s left");
  expect(line(0, 0, 1)).toContain("100 %");
});
