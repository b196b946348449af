import { expect, test } from "bun:test";
import fc from "fast-check";
import { closestName, editDistance } from "../../src/core/did-you-mean.ts";

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

test.each([
  ["", "", 0],
  ["", "abc", 3],
  ["abc", "", 3],
  ["kitten", "sitting", 3],
  ["teir", "tier", 1],
  ["ab", "ba", 1],
  ["ca", "abc", 3],
  ["serve", "serve", 0],
])("%p and %p differ by %p edits", (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits);
});

test("the distance is symmetric, zero only for equal texts, and bounded by the lengths", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const distance = editDistance(a, b);
      expect(distance).toBe(editDistance(b, a));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});
