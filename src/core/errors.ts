import { type ProblemCode, problemCodes, problemTypes, type Status } from "./problem-types.ts";

/** The codes of an invalid value, in the request itself or in one of its items. */
export const valueCodes = [
  "required",
  "wrong_type",
  "not_allowed",
  "too_short",
  "too_long",
  "blank",
  "out_of_range",
  "invalid_timestamp",
  "invalid_date",
  "invalid_email",
  "invalid_url",
  "ill_formed_text",
  "in_future",
  "too_many",
] as const;

export const violationCodes = [
  ...valueCodes,
  "in_past",
  "repeated",
  "before_start",
  "after_end",
  "after_resolved",
  "after_to",
  "range_too_long",
  "external_id_conflict",
  "contact_email_conflict",
  "user_id_conflict",
  "attribute_type_conflict",
  "attributes_too_large",
  // Of an operation in a batch.
  "insufficient_scope",
  "not_found",
  "method_not_allowed",
  "no_valid_fields",
  "unknown_member",
  "malformed_url",
] as const;
export type ViolationCode = (typeof violationCodes)[number];

/** A code that `errors` and `items` share. */
export type ValueCode = (typeof valueCodes)[number];

/** The most violations of a problem. */
export const maxListedViolations = 20;

/** One invalid field, parameter or header, and what its value must be. Never the value itself. */
export type FieldViolation = ({ pointer: string } | { parameter: string } | { header: string }) & {
  detail: string;
  code: ViolationCode;
};

/** An error for the caller. Its message is sent; the messages of all other errors are only logged. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: Status;
  readonly title: string;
  readonly errors: readonly FieldViolation[];
  readonly headers: Readonly<Record<string, string>>;
  /** Of `changes_expired`: the first sequence number that is stored. */
  readonly firstSequence: number | undefined;

  constructor(
    code: ProblemCode,
    more: {
      detail?: string;
      errors?: readonly FieldViolation[];
      headers?: Record<string, string>;
      firstSequence?: number;
    } = {},
  ) {
    const [status, title, detail] = problemTypes[code];
    super(more.detail ?? detail);
    this.code = code;
    this.status = status;
    this.title = title;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
    this.firstSequence = more.firstSequence;
  }

  /** Returns a copy of the problem with longer pointers: `/name` becomes `${prefix}/name`. */
  withPrefix(prefix: string): Problem {
    const { code, message: detail, headers } = this;
    const errors = this.errors.map(
      (violation): FieldViolation =>
        "pointer" in violation ? { ...violation, pointer: prefix + violation.pointer } : violation,
    );
    return new Problem(code, { detail, errors, headers });
  }
}

/** The problem of a request for which too many others wait. */
export function tooBusy(): Problem {
  return new Problem("too_busy", { headers: { "retry-after": "1" } });
}

/** Returns what `run` returns. The pointers of the problem that it throws, or rejects with, begin with `prefix`. */
export function withPrefix<T>(prefix: string, run: () => T): T {
  const fail = (error: unknown): never => {
    throw error instanceof Problem ? error.withPrefix(prefix) : error;
  };
  try {
    const result = run();
    // Safe: the same promise with other errors.
    return result instanceof Promise ? (result.catch(fail) as T) : result;
  } catch (error) {
    return fail(error);
  }
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

/** The problem of one invalid member of the body, at a JSON pointer such as `/name`. */
export function invalidField(pointer: string, code: ViolationCode, detail: string): Problem {
  return new Problem("invalid_request", { errors: [{ pointer, code, detail }] });
}

export function invalidParameter(parameter: string, code: ViolationCode, detail: string): Problem {
  return new Problem("invalid_request", { errors: [{ parameter, code, detail }] });
}

/** Without a detail, the same problem whether the key is missing, unknown, expired, revoked or deleted with its organization. */
export function unauthorized(detail?: string): Problem {
  const headers = { "www-authenticate": 'ApiKey realm="accountd"' };
  return new Problem("unauthorized", { headers, ...(detail !== undefined && { detail }) });
}

export function codesOf(status: number): ProblemCode[] {
  return problemCodes.filter((code) => problemTypes[code][0] === status);
}

export function statusOf(code: ProblemCode): Status {
  return problemTypes[code][0];
}
