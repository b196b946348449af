import { expect, test } from "bun:test";
import { type Measured, rowsOf } from "./results.ts";
import { failedMeasurement, failing, measured, names, workOf } from "./sample.ts";
import type { Requirement, Work } from "./work.ts";

/** The verdicts of the requirements of one work. */
function verdictsOf(requirements: Requirement[], all: Measured[], more: Partial<Work> = {}) {
  return rowsOf([workOf("get", requirements, more)], all, names)[0]?.verdicts;
}

const accountd = measured("accountd", "get", 100, 200, 300);
test.each<[string, Requirement, boolean, number, string]>([
  ["as fast as required", { atLeast: 2, of: "floor" }, true, 2, "≥ 2×"],
  ["not as fast", { atLeast: 2.01, of: "floor" }, false, 2, "≥ 2.01×"],
  ["as many a second", { perSecond: 200 }, true, 200, "≥ 200/s"],
  ["not as many", { perSecond: 20_100 }, false, 200, "≥ 20,100/s"],
  ["a p99 within the limit", { p99: 50 }, true, 50, "p99 ≤ 50 ms"],
  ["not in time", { p99: 49.9 }, false, 50, "p99 ≤ 49.9 ms"],
  ["a p99.9 within the limit", { p999: 100 }, true, 100, "p99.9 ≤ 100 ms"],
  ["of no more than so many times the cost", { within: 4, ofWork: "list" }, true, 4, "cost ≤ 4× list"],
  ["of more", { within: 3.9, ofWork: "list" }, false, 4, "cost ≤ 3.9× list"],
])("%s: %j is met %p", (_, requirement, isMet, value, text) => {
  const others = [
    ...measured("floor", "get", 50, 100, 300),
    ...measured("accountd", "list", 400, 1_000, 900),
  ];
  const of = "of" in requirement ? { of: requirement.of } : {};
  expect(verdictsOf([requirement], [...accountd, ...others])).toEqual([{ text, value, isMet, ...of }]);
});

test("every requirement has a verdict", () => {
  const verdicts = verdictsOf([{ p99: 10 }, { perSecond: 100 }, { atLeast: 1, of: "nobody" }], accountd);
  expect(verdicts?.map(({ isMet }) => isMet)).toEqual([false, true]);
});

test.each<[string, Requirement, Measured[]]>([
  ["accountd was not measured", { p99: 1_000 }, measured("floor", "get", 100)],
  ["the other one was not measured", { atLeast: 1, of: "floor" }, accountd],
  ["the other one failed", { atLeast: 1, of: "floor" }, [...accountd, failedMeasurement("floor", "get", 1)]],
  ["the other work was not measured", { within: 1, ofWork: "list" }, accountd],
  [
    "the other one has the figure in other rounds alone",
    { atLeast: 1, of: "floor" },
    [...accountd.slice(1), ...measured("floor", "get", 1)],
  ],
])("there is no verdict if %s", (_, requirement, all) => {
  expect(verdictsOf([requirement], all)).toEqual([]);
});

test.each([
  ["has a failure", failing("accountd", "get", 2, { 500: 1 })],
  ["has no figures", [failedMeasurement("accountd", "get", 2)]],
])("every requirement is missed if accountd %s in a round", (_, failed) => {
  const all = [
    ...measured("accountd", "get", 9_999),
    ...failed,
    ...measured("floor", "get", 1, 1),
    ...measured("accountd", "list", 1, 1),
  ];
  const requirements = [
    { p99: 1_000 },
    { perSecond: 1 },
    { atLeast: 1, of: "floor" },
    { within: 1, ofWork: "list" },
    { atLeast: 1, of: "nobody" },
  ];
  expect(verdictsOf(requirements, all)).toEqual([
    { text: "p99 ≤ 1000 ms", isMet: false },
    { text: "≥ 1/s", isMet: false },
    { text: "≥ 1×", of: "floor", isMet: false },
    { text: "cost ≤ 1× list", isMet: false },
  ]);
});

test("a cost is missed also if accountd failed in the compared work", () => {
  const all = [...accountd, ...measured("accountd", "list", 1), failedMeasurement("accountd", "list", 2)];
  const verdicts = verdictsOf([{ within: 9, ofWork: "list" }, { perSecond: 1 }], all);
  expect(verdicts).toEqual([
    { text: "cost ≤ 9× list", isMet: false },
    { text: "≥ 1/s", value: 200, isMet: true },
  ]);
});
