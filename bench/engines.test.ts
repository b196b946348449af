import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BenchReport, currentEngines, enginesTable, withEngines } from "./engines.ts";
import type { Cell, Row } from "./results.ts";

const document = readFileSync(join(import.meta.dir, "../docs/performance.md"), "utf8");

function rowOf(name: string, ...cells: (Partial<Cell> & { contestant: string })[]): Row {
  const full = cells.map((cell) => ({ perSecond: 100, p50: 1, p99: 5, p999: 9, rounds: [], ...cell }));
  return { name, title: name, cells: full };
}

function reportOf(...works: Row[]): BenchReport {
  const versions = { bun: "1", node: "2", commit: "abc", date: "2026-11-22T00:00:00.000Z" };
  return { machine: { cpu: "A CPU", cores: 2, memoryGb: 4, system: "linux", ...versions }, works };
}

/** The cells of a line of the table. */
function lineOf(table: string, title: string): string[] | undefined {
  const line = table.split("\n").find((one) => one.startsWith(`| ${title} |`));
  return line
    ?.split("|")
    .map((cell) => cell.trim())
    .slice(1, -1);
}

test("the table of docs/performance.md is that of the saved results", () => {
  expect(withEngines(document, currentEngines())).toBe(document);
});

test("a work has the figures of both engines, and the ratios on each", () => {
  const sqlite = reportOf(rowOf("get", { contestant: "accountd" }, { contestant: "fastify", ratio: 2.034 }));
  const postgres = reportOf(
    rowOf(
      "get",
      { contestant: "accountd", perSecond: 1_234, p99: 12.34 },
      { contestant: "fastify", ratio: 1.2 },
    ),
  );
  const table = enginesTable(sqlite, {
    ...postgres,
    settings: { server_version: "18.4" },
    flush: { usual: 0.5, slow: 1.6 },
  });
  expect(lineOf(table, "get one, with its lists")).toEqual([
    "get one, with its lists",
    "100/s",
    "5.00 ms",
    "2.03",
    "1,234/s",
    "12.3 ms",
    "1.20",
  ]);
  expect(table.split("\n").slice(-3)).toEqual([
    "- SQLite: A CPU, 2 cores, 2026-11-22, commit abc.",
    "- PostgreSQL 18.4: A CPU, 2 cores, 2026-11-22, commit abc.",
    "- The shortest commit on one connection took 0.50 ms, with a slow flush 1.60 ms.",
  ]);
});
