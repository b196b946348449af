import type { ValueCode } from "../core/errors.ts";
import { parseTimestamp } from "../core/timestamps.ts";

/** The JSON Schema keywords by which one value is judged and, in the OpenAPI document, described. */
export type Constraints = {
  type: JsonType | readonly [JsonType, "null"];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  enum?: readonly string[];
  /** `uri` is http or https; `iso-8601`, a date or date-time, is no registered format: those take one of the two. */
  format?: "email" | "uri" | "date" | "date-time" | "iso-8601";
  /** `\S`: not blank. */
  pattern?: "\\S";
  default?: string | number;
  description?: string;
  examples?: readonly unknown[];
};
type JsonType = "string" | "number" | "integer";

/** Why a value is refused: a stable code, and what it must be. It never holds the value. */
export type Violation = { code: ValueCode; detail: string };

/** What is wrong with a JSON value, or undefined when nothing is. Lengths count Unicode characters. */
export function validate(rules: Constraints, value: unknown): Violation | undefined {
  const isNullable = typeof rules.type !== "string";
  if (value === null && isNullable) return undefined;
  const type = isNullable ? rules.type[0] : rules.type;
  if (type === "string") return typeof value === "string" ? validateText(rules, value) : wrongType(rules);
  if (typeof value !== "number" || !Number.isFinite(value)) return wrongType(rules);
  if (type === "integer" && !Number.isInteger(value)) return wrongType(rules);
  return validateNumber(rules, value);
}

/** The same for a path or query parameter, which arrives as text: a number is plain decimal digits. */
export function validateParameter(rules: Constraints, value: unknown): Violation | undefined {
  if (rules.type !== "integer") return validate(rules, value);
  // A default stands for the parameter that was left out; it is of the right kind already.
  if (value === rules.default) return undefined;
  if (typeof value !== "string" || !plainDigits.test(value)) return notPlainDigits;
  return validateNumber(rules, Number(value));
}

const notPlainDigits: Violation = { code: "wrong_type", detail: "must be a whole number in plain digits" };
const plainDigits = /^(?:0|[1-9][0-9]{0,15})$/;

function validateText(rules: Constraints, value: string): Violation | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = rules;
  if (rules.enum && !rules.enum.includes(value))
    return { code: "not_allowed", detail: `must be one of ${rules.enum.join(", ")}` };
  if (value.length < minLength) return { code: "too_short", detail: "must not be empty" };
  if (isLongerThan(value, maxLength))
    return { code: "too_long", detail: `must be at most ${maxLength} characters` };
  if (rules.pattern && !/\S/.test(value)) return { code: "blank", detail: "must not be blank" };
  return rules.format && !formats[rules.format].test(value) ? formats[rules.format].refusal : undefined;
}

/** Counts characters, each of one or two units, and none of a text that must be longer: it may be a megabyte. */
function isLongerThan(value: string, most: number): boolean {
  if (value.length <= most || value.length > 2 * most) return value.length > most;
  return [...value].length > most;
}

function validateNumber(rules: Constraints, value: number): Violation | undefined {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = rules;
  if (value >= minimum && value <= maximum) return undefined;
  return { code: "out_of_range", detail: `must be from ${minimum} to ${maximum}` };
}

const timestamp: Format = {
  test: (value: string) => parseTimestamp(value) !== undefined,
  refusal: { code: "invalid_timestamp", detail: "must be an ISO 8601 date or date-time" },
};

type Format = { test(value: string): boolean; refusal: Violation };

const formats: Record<NonNullable<Constraints["format"]>, Format> = {
  email: {
    test: (value: string) => /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/u.test(value),
    refusal: { code: "invalid_email", detail: "must be an e-mail address" },
  },
  uri: {
    test: (value: string) => /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value),
    refusal: { code: "invalid_url", detail: "must be an http or https URL" },
  },
  date: {
    test: (value: string) => value.length === "2026-01-02".length && parseTimestamp(value) !== undefined,
    refusal: { code: "invalid_date", detail: "must be a date such as 2026-01-02" },
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

/** That a value is of another type than it must be. */
export function wrongType({ type }: Pick<Constraints, "type">): Violation {
  return {
    code: "wrong_type",
    detail: `must be ${[type]
      .flat()
      .map((one) => typeNames[one])
      .join(" or ")}`,
  };
}
