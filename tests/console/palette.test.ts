import { expect, test } from "bun:test";
import { entryAfter, matchingEntries } from "../../src/console/app/palette/entries.ts";

const entries = ["Overview", "Health score", "Theme: dark"].map((label) => ({
  key: label,
  label,
  run: () => {},
}));

test("an entry matches by the beginning of one of its words, in any letter case", () => {
  const labels = (search: string) => matchingEntries(entries, search).map(({ label }) => label);
  expect(labels("")).toEqual(["Overview", "Health score", "Theme: dark"]);
  expect(labels("SCO")).toEqual(["Health score"]);
  expect(labels("health s")).toEqual(["Health score"]);
  for (const search of ["dark", "theme dark", "theme: d"]) expect(labels(search)).toEqual(["Theme: dark"]);
  expect(labels("core")).toEqual([]);
});

test("the entry after the last one is the first one, and none follows in an empty list", () => {
  expect(entryAfter(entries, "Theme: dark", 1)?.key).toBe("Overview");
  expect(entryAfter(entries, "Overview", -1)?.key).toBe("Theme: dark");
  expect(entryAfter(entries, "Overview", 1)?.key).toBe("Health score");
  expect(entryAfter([], "Overview", 1)).toBeUndefined();
});
