import { expect, test } from "bun:test";
import { readAttributeFilter } from "../../src/core/attributes/filters.ts";

const last = "\u{10ffff}".repeat(501);

test.each([
  [{ gt: "free" }, { textLow: "free\u0001", textEnd: last, list: [] }],
  [{ gte: "free" }, { textLow: "free", textEnd: last, list: [] }],
  [{ lt: "pro" }, { textLow: "", textEnd: "pro", list: [] }],
  [{ lte: "pro" }, { textLow: "", textEnd: "pro\u0001", list: [] }],
  [{ equal: "pro" }, { textLow: "pro", textEnd: "pro\u0001", list: [] }],
  [
    { gt: "a", gte: "b", lt: "d", lte: "c" },
    { textLow: "b", textEnd: "c\u0001", list: [] },
  ],
  [{ gt: "" }, { textLow: "\u0001", textEnd: last, list: [] }],
  // Bytes of UTF-8 decide, not UTF-16 units.
  [
    { gt: "\uffff", gte: "\u{1f600}" },
    { textLow: "\u{1f600}", textEnd: last, list: [] },
  ],
  [
    { in: "pro,free,team", gt: "free" },
    { textLow: "pro", textEnd: "team\u0001", list: ["pro", "team"] },
  ],
])(
  "the range of texts %j has no entries that do not match, except between the values of a list",
  (values, range) => {
    expect(readAttributeFilter({ name: "plan", values }, "string")).toMatchObject(range);
  },
);

test.each([
  [{ gt: "5" }, { low: 5.000000000000001, high: Number.MAX_VALUE, list: [] }],
  [{ equal: "5" }, { low: 5, high: 5, list: [] }],
  [
    { in: "9,7,5,5", lt: "9" },
    { low: 5, high: 7, list: [5, 7] },
  ],
])("the range of numbers %j", (values, range) => {
  expect(readAttributeFilter({ name: "seats", values }, "number")).toMatchObject(range);
});

test.each([
  [{ gt: "b", lt: "a" }, "string"],
  [{ gt: "a", lt: "a" }, "string"],
  [{ in: "a", gt: "a" }, "string"],
  [{ equal: "none", gt: "a" }, "string"],
  [{ in: "1,2", gt: "2" }, "number"],
  [{ gt: "1", lt: "1" }, "number"],
  [{ equal: "true", in: "false" }, "boolean"],
  [{ equal: "a" }, undefined],
] as const)("%j of a %s matches nothing", (values, type) => {
  const { isNone, ...range } = readAttributeFilter({ name: "a", values }, type);
  const isEmpty = type === "string" ? range.textLow >= range.textEnd : range.low > range.high;
  expect([isNone, isEmpty, range.list]).toEqual([false, true, []]);
});
