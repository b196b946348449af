import { expect, test } from "bun:test";
import type { Cell, Row, Verdict } from "./results.ts";
import { figure, tableOf } from "./table.ts";

function cellOf(contestant: string, perSecond: number, more: Partial<Cell> = {}): Cell {
  return { contestant, perSecond, p50: 1.5, p99: 12.34, p999: 20, rounds: [], ...more };
}

function rowOf(name: string, cells: Cell[], verdicts: Verdict[] = []): Row {
  return { name, title: `the ${name.split("@")[0]}`, cells, verdicts };
}

/** The lines below the heading, without alignment. */
function linesOf(...given: Parameters<typeof tableOf>): string[] {
  return tableOf(...given)
    .split("\n")
    .slice(2)
    .map((line) => line.replaceAll(/ +/g, " "));
}

const met = { text: "p99 ≤ 15 ms", value: 12.34, isMet: true };
const missed = { text: "≥ 40,000/s", value: 32_100, isMet: false };

test("a work has a line for each contestant, with its figures and accountd's ratio", () => {
  const cells = [cellOf("accountd", 14_468), cellOf("floor", 18_734.4, { ratio: 0.766 })];
  expect(linesOf([rowOf("get", cells)], [], [])).toEqual([
    "the get accountd 14,468 1.50 12.3",
    " floor 18,734 1.50 12.3 0.77×",
  ]);
});

test("a met requirement has a tick, and another one is marked as missed", () => {
  expect(linesOf([rowOf("events", [cellOf("accountd", 32_100)], [met, missed])], [], [])).toEqual([
    "the events accountd 32,100 1.50 12.3 p99 ≤ 15 ms ✓, ≥ 40,000/s ✗ missed",
  ]);
});

test("a requirement against another contestant is in that contestant's line", () => {
  const cells = [
    cellOf("accountd", 100),
    cellOf("floor", 50, { ratio: 2 }),
    cellOf("usual", 10, { ratio: 10 }),
  ];
  const verdicts = [
    { text: "≥ 3×", of: "floor", value: 2, isMet: false },
    { text: "≥ 9×", of: "usual", value: 10, isMet: true },
  ];
  expect(linesOf([rowOf("get", cells, verdicts)], [], [])).toEqual([
    "the get accountd 100 1.50 12.3",
    " floor 50.0 1.50 12.3 2.00× ≥ 3× ✗ missed",
    " usual 10.0 1.50 12.3 10.0× ≥ 9× ✓",
  ]);
});

test("a cost is printed with its requirement", () => {
  const verdicts = [{ text: "cost ≤ 2× list", value: 2.345, isMet: false }];
  expect(linesOf([rowOf("far-page", [cellOf("accountd", 100)], verdicts)], [], [])[0]).toEndWith(
    "12.3 cost ≤ 2× list (2.35×) ✗ missed",
  );
});

test("an invalid cell has its reason on one line, and no figures", () => {
  const failure = `it ends:\n  the log\n${"x".repeat(200)}`;
  const cells = [cellOf("accountd", 100), cellOf("usual", 12_345, { ratio: 3, failure })];
  const [, line] = linesOf([rowOf("get", cells)], [], []);
  expect(line).toBe(` usual – it ends: the log ${"x".repeat(90 - "it ends: the log ".length)}`);
});

test("a failure of accountd is in its line", () => {
  const cell = cellOf("accountd", 12_345, { failure: "answered 3 × 503" });
  expect(linesOf([rowOf("get", [cell])], [], [])).toEqual(["the get accountd – answered 3 × 503"]);
});

test("the requirement is printed also for an invalid cell, without a missing value", () => {
  const cells = [
    cellOf("accountd", Number.NaN, { failure: "gone" }),
    cellOf("floor", 50, { failure: "gone" }),
  ];
  const verdicts = [
    { text: "p99 ≤ 15 ms", isMet: false },
    { text: "cost ≤ 2× list", isMet: false },
    { text: "≥ 3×", of: "floor", value: 4, isMet: true },
  ];
  expect(linesOf([rowOf("get", cells, verdicts)], [], [])).toEqual([
    "the get accountd – gone p99 ≤ 15 ms ✗ missed, cost ≤ 2× list ✗ missed",
    " floor – gone ≥ 3× ✓",
  ]);
});

test("single figures have their unit, and the requirement only for accountd", () => {
  const verdicts = [{ text: "≤ 200 MB", value: 333, isMet: false }];
  const rows = [
    { name: "after" as const, values: { floor: 120.5, accountd: 333 }, verdicts },
    {
      name: "start" as const,
      values: { accountd: 61.27 },
      verdicts: [{ text: "≤ 100 ms", value: 61.27, isMet: true }],
    },
  ];
  expect(linesOf([], [], rows)).toEqual([
    "memory after all works floor 121 MB",
    " accountd 333 MB ≤ 200 MB ✗ missed",
    "start to the first reply accountd 61.3 ms ≤ 100 ms ✓",
  ]);
});

test("growth has a column for each size, with the cost relative to the smallest", () => {
  const verdict = { text: "cost ≤ 1.3× list@1000", value: 2, isMet: false };
  const growth = [
    rowOf("list@10000", [cellOf("accountd", 500), cellOf("floor", 40, { failure: "gone" })], [verdict]),
    rowOf("list@1000", [cellOf("accountd", 1_000), cellOf("floor", 80)]),
    rowOf("far@10000", [cellOf("accountd", 7)]),
  ];
  const lines = linesOf([], growth, []);
  expect(lines).toEqual([
    "",
    "per second, and cost, by accounts 1,000 10,000",
    "the list accountd 1,000 (1.00×) 500 (2.00×) cost ≤ 1.3× list@1000 (2.00×) ✗ missed",
    " floor 80.0 (1.00×) failed",
    "the far accountd 7.00 (1.00×)",
  ]);
});

test("growth is relative to the smallest valid measurement", () => {
  const gone = { failure: "gone" };
  const growth = [
    rowOf("list@1000", [cellOf("accountd", 9_999, gone), cellOf("floor", 9, gone)]),
    rowOf("list@10000", [cellOf("accountd", 500), cellOf("floor", Number.NaN, gone)]),
    rowOf("list@100000", [cellOf("accountd", 250)]),
  ];
  expect(linesOf([], growth, []).slice(2)).toEqual([
    "the list accountd failed 500 (1.00×) 250 (2.00×)",
    " floor failed failed",
  ]);
});

test("columns are aligned with their headings, also in the table of growth", () => {
  const rows = [rowOf("get", [cellOf("accountd", 14_468), cellOf("floor", 9, { ratio: 1_234 })])];
  const growth = [
    rowOf("list@1000", [cellOf("accountd", 1)]),
    rowOf("list@10000", [cellOf("accountd", 100)]),
  ];
  const lines = tableOf(rows, growth, []).split("\n");
  const endOf = (line: number, text: string) => (lines[line] ?? "").indexOf(text) + text.length;
  for (const [heading, ...figures] of [
    ["per second", "14,468", "9.00"],
    ["p50 ms", "1.50", "1.50"],
    ["p99 ms", "12.3", "12.3"],
  ] as const)
    expect(figures.map((text, i) => endOf(2 + i, text))).toEqual([endOf(0, heading), endOf(0, heading)]);
  expect(endOf(3, "1,234×")).toBe(endOf(0, "accountd"));
  expect(endOf(6, "(1.00×)")).toBe(endOf(5, "1,000"));
  expect(endOf(6, "(0.01×)")).toBe(endOf(5, "10,000"));
});

test.each([
  [0, "0.00"],
  [0.766, "0.77"],
  [9.994, "9.99"],
  [12.34, "12.3"],
  [123.4, "123"],
  [1_234_567.8, "1,234,568"],
  [Number.NaN, "–"],
  [Number.POSITIVE_INFINITY, "–"],
])("the figure %d is written %p", (value, text) => {
  expect(figure(value)).toBe(text);
});
