import { Kind, type TSchema, Type } from "@sinclair/typebox";
import { codesOf, maxListedViolations, statusOf, violationCodes } from "../../core/errors.ts";
import { itemCodes } from "../../core/item-codes.ts";
import { type ProblemCode, problemCodes, type Status } from "../../core/problem-types.ts";
import { choice, integer, text } from "../validation/shapes.ts";

const ViolationShape = Type.Object(
  {
    pointer: Type.Optional(
      text({ description: "JSON pointer to the field of the body", examples: ["/name"] }),
    ),
    parameter: Type.Optional(text({ description: "The path or query parameter", examples: ["page"] })),
    header: Type.Optional(text({ description: "The header" })),
    code: choice(violationCodes, { description: "Stable, for programs", examples: ["required"] }),
    detail: text({ description: "What the value must be", examples: ["is required"] }),
  },
  { $id: "Violation", description: "One invalid field, parameter or header" },
);

export const ProblemDetails = Type.Object(
  {
    type: text({
      description: "`urn:accountd:problem:` followed by the code",
      examples: ["urn:accountd:problem:invalid_request"],
    }),
    title: text({ description: "Constant for a code", examples: ["Invalid request"] }),
    status: integer({ minimum: 400, maximum: 599, description: "The HTTP status", examples: [400] }),
    detail: text({
      description: "What to do, in a sentence",
      examples: ["Correct the fields or parameters listed in errors."],
    }),
    code: choice(problemCodes, { description: "Stable, for programs", examples: ["invalid_request"] }),
    errors: Type.Optional(
      Type.Array(ViolationShape, {
        maxItems: maxListedViolations,
        description:
          "The invalid fields, parameters and headers, at most 20. Rules that depend on the time or on stored data are checked after all others",
      }),
    ),
    firstSequence: Type.Optional(
      integer({
        minimum: 1,
        description: "Only with `changes_expired`: the `sequence` of the first change that is stored",
        examples: [17],
      }),
    ),
    requestId: Type.Optional(text({ description: "Only in 5xx responses; equals the x-request-id header" })),
  },
  { $id: "Problem", description: "RFC 9457 problem details" },
);

/** The outcome of one item of a request with many items. */
export const ItemOutcome = Type.Object(
  {
    index: integer({
      minimum: 0,
      description: "The index of the item in the request, from 0",
      examples: [1],
    }),
    code: choice(itemCodes, { description: "Stable, for programs", examples: ["duplicate"] }),
    detail: text({
      description: "The reason",
      examples: ["an event with this messageId was received before"],
    }),
  },
  { $id: "ItemOutcome", description: "Why an item was not accepted" },
);

/** A member of a reply about an account. */
export const PendingEvents = Type.Optional(
  integer({
    minimum: 1,
    description:
      "Number of events that were received before an account had their externalId, and are not counted yet: more than 2,000 are attached in steps. Absent when there are none",
    examples: [250_000],
  }),
);

/** A success without a body. */
export const NoContent = Type.Undefined();

/** The reply to a GET whose If-None-Match has the entity tag of the reply. */
export const NotModified = Type.Undefined();
/**
 * The replies of an operation: its successes, and every problem of the statuses; with 401 also the problems of scopes and
 * limits of keys. Where an operation can have only some problems of a status, add them to the successes
 * with `problemReplies`.
 */
export function replies<Shapes extends Record<number, TSchema>>(
  shapes: Shapes,
  ...statuses: readonly Status[]
): Shapes {
  const keyProblems = statuses.includes(401) ? problemReplies(["insufficient_scope", "rate_limited"]) : {};
  const problemShapes = statuses.map((status) => [status, problems(...codesOf(status))] as const);
  const entries = [...Object.entries({ ...shapes, ...keyProblems }), ...problemShapes].map(
    ([status, shape]) => [status, withoutValidation(shape as TSchema)],
  );
  // Safe: one schema for each success and for each status. Handlers throw problems.
  return Object.fromEntries(entries);
}

export function problemReplies(codes: readonly ProblemCode[]): Record<never, TSchema> {
  return Object.fromEntries(
    [...Map.groupBy(codes, statusOf)].map(([status, group]) => [status, problems(...group)]),
  );
}

function problems(...codes: ProblemCode[]): TSchema {
  return { ...ProblemDetails, codes };
}

/**
 * Replies consist of named columns, and tests validate every reply against the document. Validating them in the
 * service would cost more than reading the rows. Elysia compiles a validator all the same: the one for `Any` is empty.
 */
function withoutValidation(shape: TSchema): TSchema {
  return { ...shape, [Kind]: "Any", noValidate: true };
}
