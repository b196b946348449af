import { expect, test } from "bun:test";
import { type Measured, rowsOf } from "./results.ts";
import { failing, measured, names, refused, workOf } from "./sample.ts";
import type { Demand, Work } from "./work.ts";

/** What is said of one work's demands. */
function verdictsOf(demands: Demand[], all: Measured[], more: Partial<Work> = {}) {
  return rowsOf([workOf("get", demands, more)], all, names)[0]?.verdicts;
}

const accountd = measured("accountd", "get", 100, 200, 300);
test.each<[string, Demand, boolean, number, string]>([
  ["as fast as demanded", { atLeast: 2, of: "floor" }, true, 2, "≥ 2×"],
  ["not as fast", { atLeast: 2.01, of: "floor" }, false, 2, "≥ 2.01×"],
  ["as many a second", { perSecond: 200 }, true, 200, "≥ 200/s"],
  ["not as many", { perSecond: 20_100 }, false, 200, "≥ 20,100/s"],
  ["answered in time", { p99: 50 }, true, 50, "p99 ≤ 50 ms"],
  ["not in time", { p99: 49.9 }, false, 50, "p99 ≤ 49.9 ms"],
  ["of no more than so many times the cost", { within: 4, ofWork: "list" }, true, 4, "cost ≤ 4× list"],
  ["of more", { within: 3.9, ofWork: "list" }, false, 4, "cost ≤ 3.9× list"],
])("%s: %j is met %p", (_, demand, isMet, value, text) => {
  const others = [
    ...measured("floor", "get", 50, 100, 300),
    ...measured("accountd", "list", 400, 1_000, 900),
  ];
  const of = "of" in demand ? { of: demand.of } : {};
  expect(verdictsOf([demand], [...accountd, ...others])).toEqual([{ text, value, isMet, ...of }]);
});

test("every requirement has a verdict", () => {
  const said = verdictsOf([{ p99: 10 }, { perSecond: 100 }, { atLeast: 1, of: "nobody" }], accountd);
  expect(said?.map(({ isMet }) => isMet)).toEqual([false, true]);
});

test.each<[string, Demand, Measured[]]>([
  ["accountd was not measured", { p99: 1_000 }, measured("floor", "get", 100)],
  ["the other one was not measured", { atLeast: 1, of: "floor" }, accountd],
  ["the other one failed", { atLeast: 1, of: "floor" }, [...accountd, refused("floor", "get", 1)]],
  ["the other work was not measured", { within: 1, ofWork: "list" }, accountd],
  [
    "the other one has the figure in other rounds alone",
    { atLeast: 1, of: "floor" },
    [...accountd.slice(1), ...measured("floor", "get", 1)],
  ],
])("nothing is said of a demand where %s", (_, demand, all) => {
  expect(verdictsOf([demand], all)).toEqual([]);
});

test.each([
  ["answered with a failure", failing("accountd", "get", 2, { 500: 1 })],
  ["has no figures", [refused("accountd", "get", 2)]],
])("where accountd %s in a round all that is demanded of it is missed", (_, failed) => {
  const all = [
    ...measured("accountd", "get", 9_999),
    ...failed,
    ...measured("floor", "get", 1, 1),
    ...measured("accountd", "list", 1, 1),
  ];
  const demands = [
    { p99: 1_000 },
    { perSecond: 1 },
    { atLeast: 1, of: "floor" },
    { within: 1, ofWork: "list" },
    { atLeast: 1, of: "nobody" },
  ];
  expect(verdictsOf(demands, all)).toEqual([
    { text: "p99 ≤ 1000 ms", isMet: false },
    { text: "≥ 1/s", isMet: false },
    { text: "≥ 1×", of: "floor", isMet: false },
    { text: "cost ≤ 1× list", isMet: false },
  ]);
});

test("a cost is missed also if accountd failed in the compared work", () => {
  const all = [...accountd, ...measured("accountd", "list", 1), refused("accountd", "list", 2)];
  const said = verdictsOf([{ within: 9, ofWork: "list" }, { perSecond: 1 }], all);
  expect(said).toEqual([
    { text: "cost ≤ 9× list", isMet: false },
    { text: "≥ 1/s", value: 200, isMet: true },
  ]);
});
