import { expect, test } from "bun:test";
import { closestName } from "../../src/core/did-you-mean.ts";

const parameters = [
  "page",
  "pageSize",
  "search",
  "status",
  "sortBy",
  "sortOrder",
  "minMrr",
  "maxMrr",
  "tier",
];

test.each([
  ["teir", "tier"],
  ["minMRR", "minMrr"],
  ["min_mrr", "minMrr"],
  ["minMr", "minMrr"],
  ["pagesize", "pageSize"],
  ["page-size", "pageSize"],
  ["sort", "sortBy"],
  ["serach", "search"],
  ["stat", "status"],
  ["Status", "status"],
  ["sortby", "sortBy"],
])("%s is a misspelling of %s", (name, closest) => {
  expect(closestName(name, parameters)).toBe(closest);
});

test.each(["", "x", "createdAfter", "limit", "statusOfTheAccount", "tierstatus", "é"])(
  "nothing is suggested for %p",
  (name) => {
    expect(closestName(name, parameters)).toBeUndefined();
  },
);

test("the closest candidate is returned, and the first of equally close ones", () => {
  expect(closestName("maxMr", ["minMrr", "maxMrr"])).toBe("maxMrr");
  expect(closestName("cat", ["bat", "hat"])).toBe("bat");
  expect(closestName("port", new Set(["sort", "port"]))).toBe("port");
  expect(closestName("serve", [])).toBeUndefined();
});

test("a name of more than 64 characters gets no suggestion", () => {
  expect(closestName("a".repeat(64), ["a".repeat(63)])).toBe("a".repeat(63));
  expect(closestName("a".repeat(65), ["a".repeat(64)])).toBeUndefined();
});
