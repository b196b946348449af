import type { ValueCode } from "../core/errors.ts";
import { parseTimestamp } from "../core/timestamps.ts";

/** The JSON Schema keywords that validate one value and describe it in the OpenAPI document. */
export type Constraints = {
  type: JsonType | readonly [JsonType, "null"];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  enum?: readonly string[];
  /** `uri`: http or https. `iso-8601`, which is no registered format: a date or a date-time. */
  format?: "email" | "uri" | "date" | "date-time" | "iso-8601";
  /** `\S`: not blank. */
  pattern?: "\\S";
  default?: string | number;
  description?: string;
  examples?: readonly unknown[];
};
type JsonType = "string" | "number" | "integer";

/** Why a value is invalid: a stable code, and what the value must be. Never the value itself. */
export type Violation = { code: ValueCode; detail: string };

/** The violation of a JSON value, or undefined when it is valid. Lengths count Unicode characters. */
export function validate(constraints: Constraints, value: unknown): Violation | undefined {
  const isNullable = typeof constraints.type !== "string";
  if (value === null && isNullable) return undefined;
  const type = isNullable ? constraints.type[0] : constraints.type;
  if (type === "string")
    return typeof value === "string" ? validateText(constraints, value) : wrongType(constraints);
  if (typeof value !== "number" || !Number.isFinite(value)) return wrongType(constraints);
  if (type === "integer" && !Number.isInteger(value)) return wrongType(constraints);
  return validateNumber(constraints, value);
}

/**
 * The same for a path or query parameter, which is text: an integer is plain decimal digits, and its schema has a
 * maximum of at most 2^53 - 1.
 */
export function validateParameter(constraints: Constraints, value: unknown): Violation | undefined {
  if (constraints.type !== "integer") return validate(constraints, value);
  // The default of a parameter that was left out is a number already.
  if (value === constraints.default) return undefined;
  if (typeof value !== "string" || !plainDigits.test(value)) return notPlainDigits;
  return validateNumber(constraints, Number(value));
}

const notPlainDigits: Violation = { code: "wrong_type", detail: "must be a whole number in plain digits" };
const plainDigits = /^(?:0|[1-9][0-9]*)$/;

function validateText(constraints: Constraints, value: string): Violation | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = constraints;
  if (constraints.enum && !constraints.enum.includes(value))
    return { code: "not_allowed", detail: `must be one of ${constraints.enum.join(", ")}` };
  if (value.length < minLength) return { code: "too_short", detail: "must not be empty" };
  if (isLongerThan(value, maxLength))
    return { code: "too_long", detail: `must be at most ${maxLength} characters` };
  if (constraints.pattern && !/\S/.test(value)) return { code: "blank", detail: "must not be blank" };
  return constraints.format && !formats[constraints.format].test(value)
    ? formats[constraints.format].violation
    : undefined;
}

/** Counts characters, of one or two UTF-16 units each, only where the units do not decide: a text may be a megabyte. */
function isLongerThan(value: string, maxLength: number): boolean {
  if (value.length <= maxLength || value.length > 2 * maxLength) return value.length > maxLength;
  return [...value].length > maxLength;
}

function validateNumber(constraints: Constraints, value: number): Violation | undefined {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = constraints;
  if (value >= minimum && value <= maximum) return undefined;
  return { code: "out_of_range", detail: `must be from ${minimum} to ${maximum}` };
}

const timestamp: Format = {
  test: (value: string) => parseTimestamp(value) !== undefined,
  violation: { code: "invalid_timestamp", detail: "must be an ISO 8601 date or date-time" },
};

type Format = { test(value: string): boolean; violation: Violation };

const formats: Record<NonNullable<Constraints["format"]>, Format> = {
  email: {
    test: (value: string) => /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/u.test(value),
    violation: { code: "invalid_email", detail: "must be an e-mail address" },
  },
  uri: {
    test: (value: string) => /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value),
    violation: { code: "invalid_url", detail: "must be an http or https URL" },
  },
  date: {
    test: (value: string) => value.length === "2026-01-02".length && parseTimestamp(value) !== undefined,
    violation: { code: "invalid_date", detail: "must be a date such as 2026-01-02" },
  },
  "iso-8601": timestamp,
  "date-time": timestamp,
};

const typeNames = {
  string: "a string",
  number: "a finite number",
  integer: "a whole number",
  null: "null",
};

/** The violation of a value that has the wrong type. */
export function wrongType({ type }: Pick<Constraints, "type">): Violation {
  return {
    code: "wrong_type",
    detail: `must be ${[type]
      .flat()
      .map((name) => typeNames[name])
      .join(" or ")}`,
  };
}
