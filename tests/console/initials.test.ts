import { expect, test } from "bun:test";
import { hueOf, initialsOf } from "../../src/console/app/components/initials.ts";

test("a name has the initials of its first two words", () => {
  expect(
    ["American Water Works", "AbbVie", "3M", "jbl gmbh & co", "\u{20000}x 株式会社", "(A) b", "–"].map(
      initialsOf,
    ),
  ).toEqual(["AW", "A", "3", "JG", "\u{20000}株", "AB", ""]);
});

test("a name has always the same colour, one of six", () => {
  const hues = ["A", "B", "C", "D", "E", "F", "Acme"].map(hueOf);
  expect(new Set(hues)).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  expect(hueOf("Acme")).toBe(hueOf("Acme"));
});
