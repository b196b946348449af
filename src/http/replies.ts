import { type TSchema, Type } from "@sinclair/typebox";
import {
  codesOf,
  itemCodes,
  type ProblemCode,
  problemCodes,
  type Status,
  type StatusOf,
  statusOf,
  violationCodes,
} from "../core/errors.ts";
import { choice, integer, text } from "./shapes.ts";

const Violation = Type.Object(
  {
    pointer: Type.Optional(
      text({ description: "JSON pointer to the field of the body", examples: ["/name"] }),
    ),
    parameter: Type.Optional(text({ description: "The path or query parameter", examples: ["page"] })),
    header: Type.Optional(text({ description: "The header" })),
    code: choice(violationCodes, { description: "Stable, for programs", examples: ["required"] }),
    detail: text({ description: "What it must be", examples: ["is required"] }),
  },
  { $id: "Violation", description: "One field, parameter or header that is to blame" },
);

const ProblemDetails = Type.Object(
  {
    type: text({
      description: "`urn:accountd:problem:` and the code",
      examples: ["urn:accountd:problem:invalid_request"],
    }),
    title: text({ description: "The same for every problem of this code", examples: ["Invalid request"] }),
    status: integer({ minimum: 400, maximum: 599, description: "As in the status line", examples: [400] }),
    detail: text({
      description: "A sentence that says what to do",
      examples: ["Correct the fields or parameters listed in errors."],
    }),
    code: choice(problemCodes, { description: "Stable, for programs", examples: ["invalid_request"] }),
    errors: Type.Optional(
      Type.Array(Violation, {
        maxItems: 20,
        description:
          "What is to blame, the first 20 at most; what depends on the present moment or on what is stored is judged once all else is right",
      }),
    ),
    requestId: Type.Optional(text({ description: "In a 5xx answer, as in the x-request-id header" })),
  },
  { $id: "Problem", description: "RFC 9457 problem details" },
);

/** What became of one item of a request that has many. */
export const ItemOutcome = Type.Object(
  {
    index: integer({ minimum: 0, description: "The item's place in the request, from 0", examples: [1] }),
    code: choice(itemCodes, { description: "Stable, for programs", examples: ["duplicate"] }),
    detail: text({ description: "Why", examples: ["an event with this messageId was received before"] }),
  },
  { $id: "ItemOutcome", description: "Why an item is not among those accepted" },
);

/** A success that has nothing to say. */
export const NoContent = Type.Undefined();

/**
 * What an operation answers: its success, and the statuses of the problems that can occur. A status that has
 * more problems than the operation meets is given next to the success, by `problemReplies`.
 */
export function replies<Shapes extends Record<number, TSchema>, const Statuses extends readonly Status[]>(
  shapes: Shapes,
  ...statuses: Statuses
): Shapes & Record<Statuses[number], typeof ProblemDetails> {
  const all: Record<number, TSchema> = { ...shapes };
  for (const status of statuses) all[status] = problems(...codesOf(status));
  const answers = Object.entries(all).map(([status, shape]) => [status, withoutValidation(shape)]);
  // Safe: one shape for each that is given, and the problem's for each status.
  return Object.fromEntries(answers);
}

/** The replies for these problems alone, by status; none where there are no codes. */
export function problemReplies<const Code extends ProblemCode>(
  codes: readonly Code[],
): Record<StatusOf<Code>, typeof ProblemDetails> {
  const answers = [...Map.groupBy(codes, statusOf)].map(([status, group]) => [status, problems(...group)]);
  // Safe: one reply for the status of each code.
  return Object.fromEntries(answers);
}

function problems(...codes: ProblemCode[]): typeof ProblemDetails {
  return { ...ProblemDetails, codes };
}

/**
 * Replies are made from named columns; tests check every one against the document. Checking them again in
 * the running service would cost more than reading them.
 */
function withoutValidation(shape: TSchema): TSchema {
  return { ...shape, noValidate: true };
}
