import { expect, test } from "bun:test";
import { formatDay, formatMrr, setCurrency } from "../../src/console/app/format.ts";
import { currencies } from "../../src/shared/currencies.ts";

test("an amount has the currency of the organization and its decimals; without one it is a plain number", () => {
  const plain = formatMrr(1234.5);
  expect(plain).toBe(new Intl.NumberFormat(undefined, { minimumFractionDigits: 2 }).format(1234.5));
  for (const [currency, text] of [
    ["EUR", /(?=.*(?:€|EUR)).*1.?234.50/],
    ["JPY", /(?=.*(?:¥|JPY)).*1.?23[45](?!.\d)/],
  ] as const) {
    setCurrency(currency);
    expect(formatMrr(1234.5)).toMatch(text);
  }
  setCurrency(null);
  expect(formatMrr(1234.5)).toBe(plain);
});

test("every currency can be formatted, and there is none twice", () => {
  expect(new Set(currencies).size).toBe(currencies.length);
  const known = Intl.supportedValuesOf("currency");
  expect(currencies.filter((currency) => !known.includes(currency))).toEqual([]);
  for (const currency of currencies) {
    expect(currency).toMatch(/^[A-Z]{3}$/);
    setCurrency(currency);
    expect(formatMrr(1)).toContain("1");
  }
  setCurrency(null);
});

test("a text that is no day stays as it is", () => {
  expect(formatDay("2026-05-01")).toContain("2026");
  for (const text of ["", "soon", "2026-99-99"]) expect(formatDay(text)).toBe(text);
});
