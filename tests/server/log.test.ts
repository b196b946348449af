import { expect, test } from "bun:test";
import { createLog, type LogLevel } from "../../src/log.ts";

const clock = () => Date.UTC(2026, 10, 22, 12, 30, 1, 5);

function linesOf(options: { level?: LogLevel; isTerminal?: boolean }): string[] {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line), { clock, ...options });
  log.info("request", { method: "GET", path: "/livez", status: 200, milliseconds: 0.5, client: "::1" });
  log.warn("request", { method: "GET", path: "/…", status: 404, milliseconds: 0.1 });
  log.error("jobs_failed", { job: "scores", stack: "Error: \u001b[31m\n    at x" });
  return lines;
}

test("a line is one JSON object", () => {
  const time = "2026-11-22T12:30:01.005Z";
  expect(linesOf({}).map((line) => JSON.parse(line))).toEqual([
    {
      ...{ time, level: "info", event: "request", method: "GET", path: "/livez", status: 200 },
      ...{ milliseconds: 0.5, client: "::1" },
    },
    {
      ...{ time, level: "warn", event: "request", method: "GET", path: "/…", status: 404 },
      milliseconds: 0.1,
    },
    { time, level: "error", event: "jobs_failed", job: "scores", stack: "Error: \u001b[31m\n    at x" },
  ]);
});

test.each([
  ["info", 3],
  ["warn", 2],
  ["error", 1],
] as const)("lines below the level %s are not written", (level, count) => {
  expect(linesOf({ level })).toHaveLength(count);
});

test("a line on a terminal is short, and has no control characters of its fields", () => {
  expect(linesOf({ isTerminal: true })).toEqual([
    "12:30:01 GET /livez 200 0.5 ms\n",
    "12:30:01 warn GET /… 404 0.1 ms\n",
    "12:30:01 error jobs_failed job=scores stack=Error: \\x1b[31m\n    at x\n",
  ]);
});
