import { expect, test } from "bun:test";
import { type Measured, rowsOf } from "./results.ts";
import type { Demand, Work } from "./work.ts";

const names = ["accountd", "floor", "usual"];

function workOf(name: string, demands: Demand[] = [], more: Partial<Work> = {}): Work {
  return { name, title: `the ${name}`, streams: [], demands, ...more };
}

/** So many a second in each round; a time of an answer is the reciprocal. */
function measured(contestant: string, work: string, ...speeds: number[]): Measured[] {
  return speeds.map((perSecond, i) => {
    const [p50, p99] = [1_000 / perSecond, 10_000 / perSecond];
    const figures = { perSecond, p50, p99, max: 2 * p99, answered: 100, failed: {} };
    return { round: i + 1, contestant, work, figures };
  });
}

function failing(
  contestant: string,
  work: string,
  round: number,
  failed: Record<string, number>,
): Measured[] {
  return measured(contestant, work, 9_999).map(({ figures, ...rest }) => ({
    ...rest,
    round,
    ...(figures && { figures: { ...figures, failed } }),
  }));
}

const refused = (contestant: string, work: string, round: number): Measured => ({
  round,
  contestant,
  work,
  refused: "gone",
});

/** What is said of one work's demands. */
function verdictsOf(demands: Demand[], all: Measured[], more: Partial<Work> = {}) {
  return rowsOf([workOf("get", demands, more)], all, names)[0]?.verdicts;
}

test("figures are the medians over the rounds, each by itself", () => {
  const [row] = rowsOf([workOf("get")], measured("accountd", "get", 100, 500, 200), names);
  expect(row).toMatchObject({ name: "get", title: "the get", verdicts: [] });
  expect(row?.cells).toMatchObject([{ contestant: "accountd", perSecond: 200, p50: 5, p99: 50 }]);
  expect(row?.cells[0]?.rounds.map(({ perSecond }) => perSecond)).toEqual([100, 500, 200]);
});

test("a request that stands for many counts as so many, in the speed and in no ratio", () => {
  const all = [...measured("accountd", "get", 300), ...measured("floor", "get", 200)];
  const [row] = rowsOf([workOf("get", [{ perSecond: 30_000 }], { each: 100 })], all, names);
  expect(row?.cells).toMatchObject([
    { perSecond: 30_000, p50: 1_000 / 300 },
    { perSecond: 20_000, ratio: 1.5 },
  ]);
  expect(row?.verdicts[0]?.isMet).toBe(true);
});

test("a ratio is of the same round, and then the median: not that of the medians", () => {
  const all = [
    ...measured("floor", "get", 200, 100, 150),
    ...measured("accountd", "get", 100, 200, 600),
    ...measured("usual", "get", 10, 10, 10),
  ];
  const cells = rowsOf([workOf("get")], all, names)[0]?.cells;
  expect(cells?.map(({ ratio }) => ratio)).toEqual([undefined, 2, 20]);
});

test("a round in which either has no figure, or a failure, is of no ratio", () => {
  const all = [
    ...measured("accountd", "get", 100, 100, 100, 500),
    refused("floor", "get", 1),
    ...failing("floor", "get", 2, { 500: 1 }),
    ...measured("floor", "get", 1, 1, 50).slice(2),
  ];
  const [, floor] = rowsOf([workOf("get", [])], all, names)[0]?.cells ?? [];
  expect(floor).toMatchObject({ ratio: 2, refused: "gone" });
  const demand = verdictsOf(
    [{ atLeast: 1, of: "floor" }],
    [...measured("accountd", "get", 5), refused("floor", "get", 1)],
  );
  expect(demand).toEqual([]);
});

test("a measurement with failures is refused, and says how many there were of which status", () => {
  const all = [...measured("floor", "get", 1), ...failing("floor", "get", 2, { 409: 3, 503: 1 })];
  expect(rowsOf([workOf("get")], all, names)[0]?.cells).toMatchObject([
    { contestant: "floor", refused: "answered 3 × 409, 1 × 503" },
  ]);
});

test("works are shown that were measured, by those contestants that did them, in the order given", () => {
  const all = [
    ...measured("usual", "get", 1),
    ...measured("floor", "get", 1),
    ...measured("floor", "list", 1),
  ];
  const rows = rowsOf([workOf("list"), workOf("search"), workOf("get")], all, names);
  expect(rows.map(({ name, cells }) => [name, ...cells.map(({ contestant }) => contestant)])).toEqual([
    ["list", "floor"],
    ["get", "floor", "usual"],
  ]);
});

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

test("of several demands each is judged", () => {
  const said = verdictsOf([{ p99: 10 }, { perSecond: 100 }, { atLeast: 1, of: "nobody" }], accountd);
  expect(said?.map(({ isMet }) => isMet)).toEqual([false, true]);
});

test.each<[string, Demand, Measured[]]>([
  ["accountd was not measured", { p99: 1_000 }, measured("floor", "get", 100)],
  ["accountd failed", { p99: 1_000 }, [...accountd, ...failing("accountd", "get", 4, { 500: 1 })]],
  ["the other one was not measured", { atLeast: 1, of: "floor" }, accountd],
  ["the other work was not measured", { within: 1, ofWork: "list" }, accountd],
  [
    "the other one has the figure in other rounds alone",
    { atLeast: 1, of: "floor" },
    [...accountd.slice(1), ...measured("floor", "get", 1)],
  ],
])("nothing is said of a demand where %s", (_, demand, all) => {
  expect(verdictsOf([demand], all)).toEqual([]);
});
