import { expect, test } from "bun:test";
import * as words from "./words.ts";

test.each(Object.entries(words))("the %s are many, none twice and none empty", (_, list) => {
  expect(list.length).toBeGreaterThan(10);
  expect(new Set(list).size).toBe(list.length);
  for (const word of list) expect(word).toMatch(/^\S(.*\S)?$/);
});

test("trades and legal forms may have several words, and names have letters of many scripts", () => {
  expect(words.trades).toContain("Coffee Roasters");
  expect(words.forms).toContain("Sp. z o.o.");
  expect(words.surnames).toContain("Đorđević");
  for (const name of [...words.surnames, ...words.firstNames]) expect(name).toMatch(/^[\p{L}']+$/u);
  for (const code of words.codes) expect(code).toMatch(/^[A-Z]{4}$/);
});
