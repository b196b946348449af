import { expect, test } from "bun:test";
import { countRows } from "../../src/http/resource/count-rows.ts";

test("each row counts, and ten attributes count as one more; other values have none", () => {
  const attributes = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`a${i}`, i]));
  expect(countRows([{ name: "A", attributes }, { name: "B" }])).toBe(7);
  expect(countRows([])).toBe(0);
  expect(countRows([null, undefined, 5, { attributes: [1] }, { attributes: null }])).toBe(5);
});
