import { expect, test } from "bun:test";
import { median, type Single, singleRowsOf } from "./results.ts";

test.each([
  [[3], 3],
  [[10, 9, 100], 10],
  [[4, 1], 2.5],
  [[1, 100, 20, 3], 11.5],
  [[], Number.NaN],
])("the median of %p is %d", (values, wanted) => {
  const given = [...values];
  expect(median(values)).toBe(wanted);
  expect(values).toEqual(given);
});

const single = (name: Single["name"], contestant: string, ...values: number[]): Single[] =>
  values.map((value) => ({ name, contestant, value }));

test("single figures are medians, and a value at its limit is met", () => {
  const all = [
    ...single("after", "accountd", 190, 230, 201),
    ...single("start", "floor", 500),
    ...single("start", "accountd", 300, 100, 20),
    ...single("idle", "floor", 40, 60),
    ...single("start", "nobody", 1),
  ];
  expect(singleRowsOf(all, ["accountd", "floor"])).toEqual([
    {
      name: "start",
      values: { accountd: 100, floor: 500 },
      verdicts: [{ text: "≤ 100 ms", value: 100, isMet: true }],
    },
    { name: "idle", values: { floor: 50 }, verdicts: [] },
    { name: "after", values: { accountd: 201 }, verdicts: [{ text: "≤ 200 MB", value: 201, isMet: false }] },
  ]);
});

test("without a figure of accountd the requirement has no verdict", () => {
  expect(singleRowsOf(single("start", "floor", 500), ["accountd", "floor"])).toEqual([
    { name: "start", values: { floor: 500 }, verdicts: [] },
  ]);
});
