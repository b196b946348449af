import { expect, test } from "bun:test";
import { tokenFinder } from "../../src/erasures/person.ts";

test.each([
  ["u1", ["u1", "u1-2026-3", "sent:u1", "U1", "a u1.", "_u1_", "xu1 u1", "u1\u{1f600}"]],
  ["7", ["7", "a-7-b", "77-7"]],
  ["ada@x.io", ["ada@x.io", "sent ADA@X.IO 3", "<ada@x.io>"]],
  ["straße", ["STRASSE-1"]],
  ["a.b", ["x a.b"]],
  ["u 1", ["for u 1!"]],
])("%j is a token of texts without a letter or digit before or after it", (identifier, texts) => {
  const hasToken = tokenFinder([identifier, "another identifier"]);
  expect(texts.filter((text) => !hasToken(text))).toEqual([]);
});

test.each([
  ["u1", ["au1b", "u12", "au1", "u1é", "яu1", "u1\u0664", "u1\u{1d7d9}", "\u{10428}u1", ""]],
  ["7", ["8f14e45f-ceea-467f-a8b7-77aa7b1d1c27", "17", "7a"]],
  ["ada@x.io", ["bada@x.io", "ada@x.iot", "ada@xyio"]],
  ["a.b", ["axb"]],
])("%j is no token of texts that have it within a word or number", (identifier, texts) => {
  const hasToken = tokenFinder([identifier, "another identifier"]);
  expect(texts.filter(hasToken)).toEqual([]);
});

test("no identifier is a token of no text", () => {
  expect(tokenFinder([])("u1")).toBe(false);
});
