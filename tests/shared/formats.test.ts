import { describe, expect, test } from "bun:test";
import { parseTimestamp } from "../../src/core/timestamps.ts";
import { normalizeDate, proposeDateFormat } from "../../src/shared/imports/formats/dates.ts";
import { normalizeNumber, proposeNumberFormat } from "../../src/shared/imports/formats/numbers.ts";
import { parseValueMap, replaceValue } from "../../src/shared/imports/formats/values.ts";
import { seedsUpTo } from "../support/seeds.ts";

describe("numbers", () => {
  test.each([
    ["1250.5", "plain", "1250.5"],
    ["$900", "plain", "900"],
    ["-$900", "plain", "-900"],
    ["$-900", "plain", "-900"],
    ["(900.50)", "plain", "-900.50"],
    ["($1,900.50)", "point", "-1900.50"],
    ["12 %", "plain", "12"],
    ["900 EUR", "plain", "900"],
    ["CHF 1’250.50", "plain", "1250.50"],
    ["1 250", "plain", "1250"],
    ["1\u202f250", "plain", "1250"],
    ["\u22125", "plain", "-5"],
    ["1e3", "plain", "1e3"],
    ["US$5", "plain", "5"],
    ["CHF 5.-", "plain", "5"],
    ["1.250,50-", "comma", "-1250.50"],
    ["5,-", "comma", "5"],
    ["1,250.50", "point", "1250.50"],
    ["1,250", "point", "1250"],
    ["1.250,50", "comma", "1250.50"],
    ["1.250", "comma", "1250"],
    ["1 250,50 €", "comma", "1250.50"],
    ["12,5", "comma", "12.5"],
    ["1250", "comma", "1250"],
    ["1,5e3", "comma", "1.5e3"],
  ] as const)("%j as %s is %s", (text, format, number) => {
    expect(normalizeNumber(text, format)).toBe(number);
  });

  test.each([
    ["1,250", "plain"],
    ["1,250.50", "plain"],
    ["1.250", "plain"],
    ["-$1.250", "plain"],
    ["1.250,50", "point"],
    ["1,25", "point"],
    ["12,50,000", "point"],
    ["1,250 300", "point"],
    ["1250.5", "comma"],
    ["1.25", "comma"],
    ["1,250.50", "comma"],
    ["12-14", "plain"],
    ["5 users", "plain"],
    ["(five)", "plain"],
    ["((5))", "plain"],
    ["-5-", "plain"],
    ["--5", "plain"],
    ["E5", "plain"],
    ["", "comma"],
  ] as const)("%j as %s is no number", (text, format) => {
    expect(normalizeNumber(text, format)).toBeUndefined();
  });

  test.each([
    [["1", "-2"], "plain"],
    [["12.50", "9.99"], "point"],
    [["1.250", "900"], undefined],
    [["0.125", "900"], "point"],
    [["1250,125"], "comma"],
    [["1.250", "2.5"], "point"],
    [["1.250", "900,5"], "comma"],
    [["1.250.000"], "comma"],
    [["€ 1.250,50"], "comma"],
    [["1,250", "3.75"], "point"],
    [["1,250.50"], "point"],
    [["1,250,000"], "point"],
    [["1,250", "2,500"], undefined],
    [["1.5", "1,5"], undefined],
    [[], "plain"],
  ])("%j show the format %p", (texts, format) => {
    expect(proposeNumberFormat(texts)).toBe(format as never);
  });

  test.each(seedsUpTo(5))(
    "a number that was written in a format is the same number again (seed %d)",
    (seed) => {
      for (let i = 0; i < 200; i += 1) {
        const number = ((seed * 7919 + i * 104_729) % 1_000_000_007) / (i % 2 ? 100 : 1);
        const point = number.toLocaleString("en-US", { maximumFractionDigits: 2 });
        const comma = number.toLocaleString("de-DE", { maximumFractionDigits: 2 });
        expect(Number(normalizeNumber(`$${point}`, "point"))).toBe(number);
        expect(Number(normalizeNumber(`${comma} €`, "comma"))).toBe(number);
      }
    },
  );
});

describe("dates", () => {
  test.each([
    ["2026-11-01", "iso", "2026-11-01"],
    ["2019-07-05 20:35:26", "iso", "2019-07-05T20:35:26"],
    ["2019-07-05 20:35:26.123456 UTC", "iso", "2019-07-05T20:35:26.123456Z"],
    ["2019-07-05T20:35:26+02:00", "iso", "2019-07-05T20:35:26+02:00"],
    ["2019-07-05 20:35:26 +0200", "iso", "2019-07-05T20:35:26+0200"],
    ["2019/7/5", "iso", "2019-07-05"],
    ["01.11.2026", "dmy", "2026-11-01"],
    ["1/11/2026 9:05", "dmy", "2026-11-01T09:05:00"],
    ["1/11/2026 9:05 PM", "mdy", "2026-01-11T21:05:00"],
    ["1/11/2026 12:05 a.m.", "mdy", "2026-01-11T00:05:00"],
    ["2026-11-01", "dmy", "2026-11-01"],
    ["12-Mar-98", "iso", "1998-03-12"],
    ["12-Mar-69", "iso", "1969-03-12"],
    ["12-Mar-68", "iso", "2068-03-12"],
    ["09/Oct/25 1:42 PM", "dmy", "2025-10-09T13:42:00"],
    ["October 9, 2025 1:42 PM", "iso", "2025-10-09T13:42:00"],
    ["9 Oct 2025 13:42", "mdy", "2025-10-09T13:42:00"],
    ["09-OCT-2025 13:42", "dmy", "2025-10-09T13:42:00"],
  ] as const)("%j as %s is %s", (text, format, date) => {
    expect(normalizeDate(text, format)).toBe(date);
    expect(parseTimestamp(date)).toBeNumber();
  });

  test.each([
    ["01.11.2026", "iso"],
    ["1.11.26", "dmy"],
    ["01.11-2026", "dmy"],
    ["2026-11-01 noon", "iso"],
    ["2026-11-01 13:00 PM", "iso"],
    ["5 Juli 2019", "dmy"],
    ["9 Okt 2025", "mdy"],
    ["9 J 2025", "iso"],
    ["", "iso"],
  ] as const)("%j as %s is no date", (text, format) => {
    expect(normalizeDate(text, format)).toBeUndefined();
  });

  test("a day that the calendar has not is no timestamp", () => {
    for (const text of ["31.02.2026", "01.13.2026", "00.01.2026"])
      expect(parseTimestamp(normalizeDate(text, "dmy") ?? "")).toBeUndefined();
  });

  test.each([
    [["2026-11-01", "2019-07-05 20:35:26", "never"], "iso"],
    [["01.11.2026", "13.11.2026"], "dmy"],
    [["01/11/2026", "01/13/2026 9:00"], "mdy"],
    [["01/11/2026", "2/3/2026"], undefined],
    [["13/11/2026", "11/13/2026"], undefined],
    [["13.11.2026", "01.32.2026", "32.13.2026", "99.99.2026"], "dmy"],
  ])("%j show the format %p", (texts, format) => {
    expect(proposeDateFormat(texts)).toBe(format as never);
  });
});

describe("values", () => {
  test("a map replaces values without regard to case and blanks", () => {
    const values = parseValueMap(
      'Cancelled=churned, trialing = onboarding,"a, b=c"=active,"say ""hi"""="",Lead=',
    );
    expect([...(values ?? [])]).toEqual([
      ["cancelled", "churned"],
      ["trialing", "onboarding"],
      ["a, b=c", "active"],
      ['say "hi"', ""],
      ["lead", ""],
    ]);
    expect(replaceValue(" CANCELLED ", values)).toBe("churned");
    expect(replaceValue("active", values)).toBe("active");
    expect(replaceValue("active", undefined)).toBe("active");
  });

  test.each(["", "a", "a=b, c", "=b", "a=b, A=c", '"a=b', "a=b=c"])("%j is no map", (text) => {
    expect(parseValueMap(text)).toBeUndefined();
  });
});
