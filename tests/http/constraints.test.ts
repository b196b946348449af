import { expect, test } from "bun:test";
import {
  type Constraints,
  type Violation,
  validate,
  validateParameter,
} from "../../src/http/validation/constraints.ts";

const text = { type: "string" } as const;
const short = { type: "string", minLength: 1, maxLength: 3 } as const;
const word = { type: "string", enum: ["one", "two"] } as const;
const range = { type: "number", minimum: -1.5, maximum: 2 } as const;
const whole = { type: "integer", minimum: 1, maximum: 100, default: 25 } as const;

/** Constraints, a value, and the code and the detail of the expected violation. */
type Case = [constraints: Constraints, value: unknown, code: Violation["code"] | undefined, detail?: string];

function nameOf([constraints, value, code]: Case): string {
  return `${JSON.stringify(constraints)} validates ${String(JSON.stringify(value)).slice(0, 40)}: ${code}`;
}

const cases: Case[] = [
  [text, "", undefined],
  [text, "x".repeat(100_000), undefined],
  [text, 1, "wrong_type", "must be a string"],
  [text, null, "wrong_type", "must be a string"],
  [text, undefined, "wrong_type"],
  [{ type: ["string", "null"] }, null, undefined],
  [{ type: ["string", "null"] }, "x", undefined],
  [{ type: ["string", "null"] }, 1, "wrong_type", "must be a string or null"],
  [{ type: ["integer", "null"] }, 1.5, "wrong_type", "must be a whole number or null"],
  [{ type: ["integer", "null"] }, null, undefined],
  [short, "", "too_short", "must not be empty"],
  [short, "a", undefined],
  [short, "abc", undefined],
  [short, "abcd", "too_long", "must be at most 3 characters"],
  // Lengths count characters, of one or two UTF-16 units.
  [short, "😀😀😀", undefined],
  [short, "😀😀😀😀", "too_long"],
  [short, "😀😀bc", "too_long"],
  [short, "😀bc", undefined],
  [short, "abcdef", "too_long"],
  [short, "abcdefg", "too_long"],
  [{ ...text, pattern: "\\S" }, " \t\n\u00a0", "blank", "must not be blank"],
  [{ ...text, pattern: "\\S" }, " x ", undefined],
  [text, " ", undefined],
  [word, "two", undefined],
  [word, "Two", "not_allowed", "must be one of one, two"],
  [range, -1.5, undefined],
  [range, 2, undefined],
  [range, -1.6, "out_of_range", "must be from -1.5 to 2"],
  [range, 2.1, "out_of_range"],
  [range, "1", "wrong_type", "must be a finite number"],
  [range, Number.NaN, "wrong_type"],
  [{ type: "number" }, Number.POSITIVE_INFINITY, "wrong_type"],
  [{ type: "number" }, -1e300, undefined],
  [{ type: "number" }, 1e300, undefined],
  [{ type: "number", minimum: 0 }, 1e300, undefined],
  [{ type: "number", maximum: 0 }, -1e300, undefined],
  [whole, 25.5, "wrong_type", "must be a whole number"],
  [whole, 100, undefined],
  [whole, 101, "out_of_range"],
];

for (const testCase of cases)
  test(nameOf(testCase), () => {
    const [constraints, value, code, detail] = testCase;
    const violation = validate(constraints, value);
    expect(violation?.code).toBe(code);
    if (detail !== undefined) expect(violation?.detail).toBe(detail);
  });

const digits = "must be a whole number in plain digits";
const numbers = { type: "array", items: { type: "number" }, maxItems: 2 } as const;
const members = { type: "array", items: word } as const;
const time = { type: "string", format: "date-time" } as const;
const timeDetail = "must be an RFC 3339 date-time such as 2026-01-02T03:04:05Z, or a date such as 2026-01-02";

const parameters: Case[] = [
  [whole, "1", undefined],
  [whole, "100", undefined],
  [whole, "0", "out_of_range", "must be from 1 to 100"],
  [whole, "101", "out_of_range"],
  // The default of a parameter that was left out.
  [whole, 25, undefined],
  [whole, 26, "wrong_type", digits],
  [{ type: "integer" }, "1234567890123456", undefined],
  [{ type: "integer" }, "9", undefined],
  [whole, "9".repeat(19), "out_of_range", "must be from 1 to 100"],
  [whole, "9".repeat(400), "out_of_range"],
  [{ type: "integer", maximum: Number.MAX_SAFE_INTEGER }, "9007199254740991", undefined],
  [{ type: "integer", maximum: Number.MAX_SAFE_INTEGER }, "9007199254740993", "out_of_range"],
  ...["", "-1", "+1", "1.0", "1e1", "0x1", " 1", "1 ", "01", "00", "١", "1\n", "a1", "1a"].map(
    (value): Case => [{ type: "integer" }, value, "wrong_type"],
  ),
  [{ type: "integer" }, ["1"], "wrong_type"],
  [short, "abcd", "too_long"],
  [short, "abc", undefined],
  [numbers, "1.5,2", undefined],
  [numbers, "1,2,3", "too_many", "must have at most 2 values"],
  [numbers, "1,x", "wrong_type", "must be a number as in JSON"],
  [numbers, ["1"], "wrong_type"],
  [{ ...numbers, items: { type: "number", multipleOf: 1 } }, "2.5", "wrong_type", "must be a whole number"],
  [{ ...numbers, items: { type: "number", multipleOf: 1 } }, "2", undefined],
  [members, "one,two", undefined],
  [members, "one,three", "not_allowed", "Unknown field. The valid names are `one`, `two`."],
  [time, "2026-01-02T03:04:05+01:00", undefined],
  [time, "2026-01-02T03:04:05 01:00", "invalid_timestamp", `${timeDetail}; write + as %2B in a URL`],
  [time, "2026-01-02 03", "invalid_timestamp", timeDetail],
  [{ ...time, hasNone: true }, "none", undefined],
  [{ ...time, hasNone: true }, "never", "invalid_timestamp", `${timeDetail}, or none`],
];

for (const testCase of parameters)
  test(`as a parameter, ${nameOf(testCase)}`, () => {
    const [constraints, value, code, detail] = testCase;
    const violation = validateParameter(constraints, value);
    expect(violation?.code).toBe(code);
    if (detail !== undefined) expect(violation?.detail).toBe(detail);
  });

const forms: Record<string, Violation & { good: string[]; bad: string[] }> = {
  email: {
    code: "invalid_email",
    detail: "must be an e-mail address",
    good: ["a@b", "ada.lovelace+tag@example.com", "é@exämple.org", "😀@😀", "^@b", "a@^"],
    bad: [
      "a",
      "@",
      "a@",
      "@b",
      "a@b@c",
      "a b@c",
      "a@b c",
      "x a@b",
      "a@b,c",
      "a@b c@d",
      ...'"(),:;<>[]\\',
    ].map((value) => (value.length === 1 && value !== "a" && value !== "@" ? `${value}@b` : value)),
  },
  uri: {
    code: "invalid_url",
    detail: "must be an http or https URL",
    good: ["http://a", "https://example.com/x.png?y#z", "HTTPS://EXAMPLE.COM"],
    bad: [
      "",
      "http:",
      "http://",
      "http:///a",
      "http:// a",
      "ftp://a",
      "httpss://a",
      "xhttp://a",
      "https://[::1",
      "//a",
    ],
  },
  date: {
    code: "invalid_date",
    detail: "must be a date such as 2026-01-02",
    good: ["2026-01-02", "2024-02-29"],
    bad: ["", "2026-02-29", "2026-01-02T03:04", "2026-1-002", "2026-01-0", "10 letters"],
  },
};
for (const format of ["iso-8601", "date-time"])
  forms[format] = {
    code: "invalid_timestamp",
    detail: "must be an RFC 3339 date-time such as 2026-01-02T03:04:05Z, or a date such as 2026-01-02",
    good: ["2026-01-02", "2026-01-02T03:04:05.678Z"],
    bad: ["", "2026", "yesterday"],
  };

forms["iso-8601-or-day"] = {
  code: "invalid_timestamp",
  detail:
    "must be an RFC 3339 date-time such as 2026-01-02T03:04:05Z, a date such as 2026-01-02, or a day such as today, 7d (in 7 days) or -30d (30 days ago)",
  good: ["2026-01-02", "2026-01-02T03:04:05.678Z", "today", "0d", "7d", "-30d", "99999d"],
  bad: ["", "2026", "yesterday", "d", "007d", "100000d", "1.5d", "+1d", "TODAY"],
};

test("An empty text is a valid email, unless it has a minimum length", () => {
  const constraints = { type: "string", format: "email" } as const;
  expect(validate(constraints, "")).toBeUndefined();
  expect(validate({ ...constraints, minLength: 1 }, "")?.code).toBe("too_short");
});

test.each(Object.entries(forms))("the format %s", (name, { code, detail, good, bad }) => {
  // Safe: the keys of `forms` are formats.
  const constraints = { type: "string", format: name as "date" } as const;
  for (const value of good) expect([value, validate(constraints, value)]).toEqual([value, undefined]);
  for (const value of bad) expect([value, validate(constraints, value)]).toEqual([value, { code, detail }]);
});
