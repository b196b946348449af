import { subResourceList } from "../shared/resources.ts";

/** Every problem: its status, its title, and the detail where the code that throws it has none of its own. */
export const problemTypes = {
  invalid_request: [400, "Invalid request", "Correct the fields or parameters listed in errors."],
  unknown_parameter: [400, "Unknown query parameter", "This operation has no query parameters."],
  invalid_cursor: [
    400,
    "Invalid cursor",
    "Begin with an empty cursor, or send nextCursor of the same list with the same filters and order, without page.",
  ],
  unknown_member: [400, "Unknown field", "Remove the fields that this operation does not have."],
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
    "Send at least one of the fields that /docs lists for this operation. With Prefer: handling=strict, the response names the valid ones.",
  ],
  attribute_type_conflict: [
    400,
    "Attribute type conflict",
    "Send values of the types in errors, or use other names. A name without a declared type can get another one when no row has it any more.",
  ],
  attributes_too_large: [
    400,
    "Attributes too large",
    "Send shorter or fewer attributes: all attributes of a row are at most 32 KiB of JSON together.",
  ],
  response_too_large: [
    400,
    "Response too large",
    "The page would be over 8 MiB of JSON. Send a smaller pageSize, fields, fewer fields in include, or an empty cursor instead of page.",
  ],
  too_many: [
    400,
    "Too many rows",
    `The account has more than 1,000 ${subResourceList}. Delete it in its own request, outside a batch.`,
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
  user_id_conflict: [409, "User id in use", "Use another userId, or update the contact that has this one."],
  idempotency_key_in_use: [
    409,
    "Idempotency key in use",
    "The first request with this Idempotency-Key is still running. Send the request again after the time in Retry-After.",
  ],
  attribute_values_conflict: [
    409,
    "Attribute values in conflict",
    "Change these values, or declare another type. With convert: true, texts are converted to the type.",
  ],
  too_many_webhooks: [
    409,
    "Too many webhooks",
    "Your organization has 20 webhooks. Delete or change a webhook that is not used any more.",
  ],
  webhook_inactive: [
    409,
    "Webhook inactive",
    "The webhook gets no deliveries. Set its active to true, then retry the delivery.",
  ],
  changes_expired: [
    410,
    "Changes expired",
    "The changes after this sequence number were deleted. Read the resources again, and continue from firstSequence - 1.",
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
  too_many_streams: [
    429,
    "Too many streams",
    "Your organization has 250 open streams and waiting requests at this server. Close one of them.",
  ],
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
