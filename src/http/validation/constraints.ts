import type { TSchema } from "@sinclair/typebox";
import { jsonNumber } from "../../core/attributes/filters.ts";
import type { ValueCode } from "../../core/errors.ts";
import { splitList } from "../../core/lists/fields.ts";
import { parseTimestampOrDay, relativeDayText } from "../../core/relative-days.ts";
import { isCalendarDate, parseTimestamp } from "../../core/timestamps.ts";
import { describeUnknownNames } from "./unknown-names.ts";

/** The JSON Schema keywords that validate one value and describe it in the OpenAPI document. */
export type Constraints = {
  /** The name of the schema in the OpenAPI document. */
  $id?: string;
  type: JsonType | readonly [JsonType, "null"];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  /** 1: a whole number, written as any number in JSON. */
  multipleOf?: 1;
  enum?: readonly string[];
  /** Of a parameter: a text that is valid for one of them. Each has an `enum` or `examples`. */
  anyOf?: readonly Constraints[];
  /** Of a list in a parameter: its values, separated by commas, with `\\,` for a comma in a value. */
  items?: Constraints;
  /** Of such a list. Without it, the list has names of members, and each counts once. */
  maxItems?: number;
  /** Whether a parameter also takes `none`, for rows without a value. */
  hasNone?: boolean;
  /** `email`: also an empty text, unless `minLength` excludes it. `uri`: http or https. `iso-8601`, which is no registered format: a date or a date-time; `iso-8601-or-day`: also a relative day. */
  format?: "email" | "uri" | "date" | "date-time" | "iso-8601" | "iso-8601-or-day";
  /** `\S`: not blank. Any other pattern is an alternative in `anyOf`. */
  pattern?: string;
  default?: string | number;
  description?: string;
  examples?: readonly unknown[];
};
type JsonType = "string" | "number" | "integer" | "boolean" | "array";

/** Why a value is invalid: a stable code, and what the value must be. Never the value itself. */
export type Violation = { code: ValueCode; detail: string };

/** The constraints of a shape of one value. */
export function asConstraints(schema: TSchema): Constraints {
  // Safe: the members of our schemas are Constraints; any other schema is read for its `type` only.
  return schema as unknown as Constraints;
}

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
 * Validates a path or query parameter, which is text: an integer is plain decimal digits, and its schema has a
 * maximum of at most 2^53 - 1.
 */
export function validateParameter(constraints: Constraints, value: unknown): Violation | undefined {
  if (constraints.hasNone && value === "none") return undefined;
  if (constraints.type === "array") return validateList(constraints, value);
  if (constraints.type === "number") return validateNumberText(constraints, value);
  if (constraints.type === "boolean")
    return value === "true" || value === "false" ? undefined : wrongType(constraints);
  if (constraints.type !== "integer") return withHints(constraints, value, validate(constraints, value));
  // The default of a parameter that was left out is a number already.
  if (value === constraints.default) return undefined;
  if (typeof value !== "string" || !plainDigits.test(value)) return notPlainDigits;
  return validateNumber(constraints, Number(value));
}

/** Adds hints for parameters to a violation: `+` was decoded as a space; `none` is allowed. */
function withHints({ hasNone }: Constraints, value: unknown, violation: Violation | undefined) {
  if (violation?.code !== "invalid_timestamp") return violation;
  const isDecodedPlus = typeof value === "string" && /[0-9] [0-9]{2}:?[0-9]{2}$/.test(value);
  const hints = [hasNone && ", or none", isDecodedPlus && "; write + as %2B in a URL"];
  return { ...violation, detail: [violation.detail, ...hints.filter(Boolean)].join("") };
}

function validateNames(valid: readonly string[], names: readonly string[]): Violation | undefined {
  const unknown = names.filter((name) => !valid.includes(name));
  if (unknown.length === 0) return undefined;
  return { code: "not_allowed", detail: describeUnknownNames("field", unknown, valid) };
}

function validateNumberText(constraints: Constraints, value: unknown): Violation | undefined {
  if (typeof value !== "string" || !jsonNumber.test(value)) return notJsonNumber;
  const number = Number(value);
  if (!Number.isFinite(number)) return notJsonNumber;
  if (constraints.multipleOf === 1 && !Number.isInteger(number)) return wrongType({ type: "integer" });
  return validateNumber(constraints, number);
}

function validateList({ items, maxItems }: Constraints, value: unknown): Violation | undefined {
  if (typeof value !== "string" || !items) return wrongType({ type: "string" });
  if (maxItems === undefined) return validateNames(items.enum ?? [], value.split(","));
  const values = splitList(value);
  if (values.length > maxItems) return { code: "too_many", detail: `must have at most ${maxItems} values` };
  return values.map((item) => validateParameter(items, item)).find((violation) => violation !== undefined);
}

const notJsonNumber: Violation = { code: "wrong_type", detail: "must be a number as in JSON" };
const notPlainDigits: Violation = { code: "wrong_type", detail: "must be a whole number in plain digits" };
const plainDigits = /^(?:0|[1-9][0-9]*)$/;

function validateText(constraints: Constraints, value: string): Violation | undefined {
  const { anyOf } = constraints;
  if (anyOf) {
    if (anyOf.some((alternative) => !validateText(alternative, value))) return undefined;
    const names = anyOf.flatMap((alternative) => alternative.enum ?? alternative.examples ?? []).join(", ");
    return { code: "not_allowed", detail: `must be one of ${names}` };
  }
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = constraints;
  if (constraints.enum && !constraints.enum.includes(value))
    return { code: "not_allowed", detail: `must be one of ${constraints.enum.join(", ")}` };
  if (value.length < minLength) return { code: "too_short", detail: "must not be empty" };
  if (isLongerThan(value, maxLength))
    return { code: "too_long", detail: `must be at most ${maxLength} characters` };
  if (constraints.pattern === "\\S" && !/\S/.test(value))
    return { code: "blank", detail: "must not be blank" };
  if (constraints.pattern && !new RegExp(constraints.pattern, "u").test(value))
    return { code: "not_allowed", detail: `must match ${constraints.pattern}` };
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
  violation: {
    code: "invalid_timestamp",
    detail: "must be an RFC 3339 date-time such as 2026-01-02T03:04:05Z, or a date such as 2026-01-02",
  },
};

type Format = { test(value: string): boolean; violation: Violation };

const formats: Record<NonNullable<Constraints["format"]>, Format> = {
  email: {
    test: (value: string) => value === "" || /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/u.test(value),
    violation: { code: "invalid_email", detail: "must be an e-mail address" },
  },
  uri: {
    test: (value: string) => /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value),
    violation: { code: "invalid_url", detail: "must be an http or https URL" },
  },
  date: {
    test: isCalendarDate,
    violation: { code: "invalid_date", detail: "must be a date such as 2026-01-02" },
  },
  "iso-8601": timestamp,
  "iso-8601-or-day": {
    test: (value: string) => parseTimestampOrDay(value, 0) !== undefined,
    violation: {
      code: "invalid_timestamp",
      detail: `must be an RFC 3339 date-time such as 2026-01-02T03:04:05Z, a date such as 2026-01-02, or ${relativeDayText}`,
    },
  },
  "date-time": timestamp,
};

const typeNames = {
  string: "a string",
  number: "a finite number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

export function wrongType({ type }: Pick<Constraints, "type">): Violation {
  return {
    code: "wrong_type",
    detail: `must be ${[type]
      .flat()
      .map((name) => typeNames[name])
      .join(" or ")}`,
  };
}
