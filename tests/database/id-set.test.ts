import { expect, test } from "bun:test";
import { idSet } from "../../db/sqlite/reads/id-set.ts";
import { Random } from "../support/random.ts";

test.each([
  ["near each other", 200],
  ["far from each other", 2 ** 40],
])("a set of ids that are %s has these and no others", (_, range) => {
  const random = new Random(range);
  const ids = new Set(Array.from({ length: 100 }, () => 1_000 + random.below(range)));
  const list = [...ids];
  const includes = idSet(list, (id) => id, { first: 999, last: 1_000 + range });
  const tried = [...list, ...list.map((id) => id + 1), ...list.map((id) => id - 1), 0, -1, 2 ** 53 - 1];
  expect(tried.filter(includes)).toEqual(tried.filter((id) => ids.has(id)));
});

test("an empty set has no id", () => {
  const range = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
  expect([0, 1, -1].filter(idSet([], (id) => id, range))).toEqual([]);
});
