import { afterEach, expect, test } from "bun:test";
import {
  formatCompact,
  formatCount,
  formatDay,
  formatMrr,
  formatNumber,
  formatPercent,
  formatSigned,
  formatWholeMrr,
  setNumberFormats,
} from "../../src/console/app/format.ts";
import {
  currencyOption,
  formatOption,
  suggestedFormats,
} from "../../src/console/app/pages/organization/options.ts";
import { currencies } from "../../src/shared/currencies.ts";

const browsers = { currency: null, numberFormat: null };
afterEach(() => setNumberFormats(browsers));

test("an amount has the currency of the organization and its decimals; without one it is a plain number", () => {
  const plain = formatMrr(1234.5);
  expect(plain).toBe(new Intl.NumberFormat(undefined, { minimumFractionDigits: 2 }).format(1234.5));
  for (const [currency, text] of [
    ["EUR", /(?=.*(?:€|EUR)).*1.?234.50/],
    ["JPY", /(?=.*(?:¥|JPY)).*1.?23[45](?!.\d)/],
  ] as const) {
    setNumberFormats({ currency, numberFormat: null });
    expect(formatMrr(1234.5)).toMatch(text);
  }
  setNumberFormats(browsers);
  expect(formatMrr(1234.5)).toBe(plain);
});

test("every currency can be formatted, and there is none twice", () => {
  expect(new Set(currencies).size).toBe(currencies.length);
  const known = Intl.supportedValuesOf("currency");
  expect(currencies.filter((currency) => !known.includes(currency))).toEqual([]);
  for (const currency of currencies) {
    expect(currency).toMatch(/^[A-Z]{3}$/);
    setNumberFormats({ currency, numberFormat: null });
    expect(formatMrr(1)).toContain("1");
  }
});

test("numbers, amounts and percentages have the number format of the organization", () => {
  const shown = (currency: string | null, numberFormat: string) => {
    setNumberFormats({ currency, numberFormat });
    const texts = [
      formatCount(1234567),
      formatNumber(-1234.567),
      formatSigned(1234.56),
      formatMrr(1234.5),
      formatWholeMrr(1234567.5),
      formatPercent(0.125),
      formatCompact(1200000),
    ];
    return texts.map((text) => text.replace(/[\u00a0\u202f]/g, " ").replaceAll("’", "'"));
  };
  expect(shown("EUR", "de-DE")).toEqual([
    "1.234.567",
    "-1.234,57",
    "+1.234,6",
    "1.234,50 €",
    "1.234.568 €",
    "13 %",
    "1,2 Mio.",
  ]);
  expect(shown("EUR", "en-IN").slice(0, 4)).toEqual(["12,34,567", "-1,234.57", "+1,234.6", "€1,234.50"]);
  expect(shown("CHF", "de-CH").slice(0, 4)).toEqual(["1'234'567", "-1'234.57", "+1'234.6", "CHF 1'234.50"]);
  expect(shown(null, "fr-FR").slice(2, 6)).toEqual(["+1 234,6", "1 234,50", "1 234 568", "13 %"]);
});

test("number formats are shown as examples with their language, currencies by code and name", () => {
  expect(formatOption("de-DE", 1234567.5)).toEqual(["de-DE", "German (Germany): 1.234.567,50"]);
  expect(formatOption("de-DE-u-nu-latn", 1.5)).toEqual(["de-DE-u-nu-latn", "German (Germany): 1,50"]);
  expect(formatOption(null, 1)[0]).toBe("");
  expect(currencyOption("EUR")).toEqual(["EUR", "EUR – Euro"]);
  expect(Intl.getCanonicalLocales([...suggestedFormats])).toEqual([...suggestedFormats]);
});

test("a text that is no day stays as it is", () => {
  expect(formatDay("2026-05-01")).toContain("2026");
  for (const text of ["", "soon", "2026-99-99"]) expect(formatDay(text)).toBe(text);
});
