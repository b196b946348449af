/** Every problem: its status, its title, and the detail where the code that throws it has none of its own. */
const problemTypes = {
  invalid_request: [400, "Invalid request", "Correct the fields or parameters listed in errors."],
  unknown_parameter: [400, "Unknown query parameter", "This operation has no query parameters."],
  invalid_cursor: [
    400,
    "Invalid cursor",
    "Begin with an empty cursor, or send nextCursor of the same list with the same filters and order, without page.",
  ],
  unknown_member: [400, "Unknown member", "Remove the members that this operation does not have."],
  malformed_json: [400, "Malformed JSON", "Send one JSON object in UTF-8."],
  malformed_url: [
    400,
    "Malformed URL",
    "Percent-encode the path and the query as UTF-8, without NUL characters.",
  ],
  invalid_host: [400, "Invalid Host header", "Send the name or address of this server as in its URL."],
  no_valid_fields: [
    400,
    "No valid fields",
    "Send at least one of the fields that /docs lists for this operation. With Prefer: handling=strict, the reply names the valid ones.",
  ],
  attribute_type_conflict: [
    400,
    "Attribute type conflict",
    "Send values of the types in errors, or use other names. A name can get another type when no row has it any more.",
  ],
  unauthorized: [401, "Unauthorized", "Send a valid key of your organization in the x-api-key header."],
  insufficient_scope: [
    403,
    "Insufficient scope",
    "Use a key that has the scope of this operation, or add it to a new key.",
  ],
  not_found: [404, "Not found", "There is nothing at this path. The paths are listed at /docs."],
  method_not_allowed: [405, "Method not allowed", "Use one of the methods in the Allow header."],
  external_id_conflict: [
    409,
    "External id in use",
    "Use another externalId, or update the account that has this one.",
  ],
  contact_email_conflict: [
    409,
    "E-mail address in use",
    "Use another address, or update the contact of this account that has this one.",
  ],
  idempotency_key_in_use: [
    409,
    "Idempotency key in use",
    "The first request with this Idempotency-Key is still running. Send the request again after the time in Retry-After.",
  ],
  precondition_failed: [
    412,
    "Precondition failed",
    "The row changed since this ETag, or does not exist. Get it, and send the request with its ETag.",
  ],
  payload_too_large: [
    413,
    "Payload too large",
    "Send a body of at most 1 MiB, also after decompression. A list can be sent in several requests.",
  ],
  too_many_values: [
    413,
    "Too many values",
    "Send a body of at most 65,536 objects, arrays and scalars. A list can be sent in several requests.",
  ],
  unsupported_media_type: [
    415,
    "Unsupported media type",
    "Send content-type: application/json, with content-encoding gzip or none.",
  ],
  idempotency_key_reused: [
    422,
    "Idempotency key reused",
    "Another request was sent with this Idempotency-Key. Use a new key for each request.",
  ],
  batch_failed: [
    422,
    "Batch failed",
    "Nothing was stored. Correct the operations listed in errors and send the batch again.",
  ],
  rate_limited: [429, "Too many requests", "Send the request again after the time in Retry-After."],
  internal_error: [
    500,
    "Internal error",
    "This is a fault of the server. Report the requestId to the operator.",
  ],
  store_busy: [
    503,
    "Store busy",
    "Nothing was stored. Send the request again after the time in Retry-After, a large batch in smaller parts.",
  ],
  too_busy: [
    503,
    "Too busy",
    "Too many slow reads of your organization, or too many bodies, are waiting. Send the request again after the time in Retry-After.",
  ],
  query_timeout: [
    503,
    "Query timeout",
    "The request took longer than 5 seconds. Use more filters or a page nearer to the beginning.",
  ],
  outcome_unknown: [
    503,
    "Outcome unknown",
    "The connection to the database was lost while the change was committed. It may be stored. Read it before you send it again.",
  ],
  store_failed: [
    503,
    "Store failed",
    "The disk is full, failing or read-only, or the database file is damaged, removed or replaced. No change was stored. The operator must fix it.",
  ],
} as const satisfies Record<string, readonly [status: number, title: string, detail: string]>;

export type ProblemCode = keyof typeof problemTypes;
export type Status = (typeof problemTypes)[ProblemCode][0];
// Safe: the table has these keys and no others.
export const problemCodes = Object.keys(problemTypes) as readonly ProblemCode[];

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

/** The codes of `errors` in a problem. */
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
  "attribute_type_conflict",
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

  constructor(
    code: ProblemCode,
    more: { detail?: string; errors?: FieldViolation[]; headers?: Record<string, string> } = {},
  ) {
    const [status, title, detail] = problemTypes[code];
    super(more.detail ?? detail);
    this.code = code;
    this.status = status;
    this.title = title;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
  }
}

/** The same problem with longer pointers: `/name` becomes `${prefix}/name`. */
function prefixed(problem: Problem, prefix: string): Problem {
  const { code, message: detail, headers } = problem;
  const errors = problem.errors.map(
    (violation): FieldViolation =>
      "pointer" in violation ? { ...violation, pointer: prefix + violation.pointer } : violation,
  );
  return new Problem(code, { detail, errors, headers });
}

/** Returns what `run` returns. The pointers of the problem that it throws, or rejects with, begin with `prefix`. */
export function withPrefix<T>(prefix: string, run: () => T): T {
  const fail = (error: unknown): never => {
    throw error instanceof Problem ? prefixed(error, prefix) : error;
  };
  try {
    const result = run();
    // Safe: the same promise with other errors.
    return result instanceof Promise ? (result.catch(fail) as T) : result;
  } catch (error) {
    return fail(error);
  }
}

/** Returns `error` if it is a problem, and throws it otherwise. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

/** The problem of one invalid member of the body, at a JSON pointer such as `/name`. */
export function invalidField(pointer: string, code: ViolationCode, detail: string): Problem {
  return new Problem("invalid_request", { errors: [{ pointer, code, detail }] });
}

/** The problem of one invalid parameter of the query. */
export function invalidParameter(parameter: string, code: ViolationCode, detail: string): Problem {
  return new Problem("invalid_request", { errors: [{ parameter, code, detail }] });
}

/** Without a detail, the same problem whether the key is missing, unknown, expired, revoked or deleted with its organization. */
export function unauthorized(detail?: string): Problem {
  const headers = { "www-authenticate": 'ApiKey realm="accountd"' };
  return new Problem("unauthorized", { headers, ...(detail !== undefined && { detail }) });
}

/** The codes of the problems with this status. */
export function codesOf(status: number): ProblemCode[] {
  return problemCodes.filter((code) => problemTypes[code][0] === status);
}

/** The status of a problem with this code. */
export function statusOf(code: ProblemCode): Status {
  return problemTypes[code][0];
}
