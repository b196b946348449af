import { type TSchema, Type } from "@sinclair/typebox";
import { codesOf, type Status } from "../errors.ts";
import { integer, text } from "./shapes.ts";

const Violation = Type.Object(
  {
    pointer: Type.Optional(
      text({ description: "JSON pointer to the field of the body", examples: ["/name"] }),
    ),
    parameter: Type.Optional(text({ description: "The path or query parameter" })),
    header: Type.Optional(text({ description: "The header" })),
    code: text({ description: "Stable, for programs", examples: ["required"] }),
    detail: text({ examples: ["is required"] }),
  },
  { $id: "Violation", description: "One field, parameter or header that is to blame" },
);

const ProblemDetails = Type.Object(
  {
    type: text({
      description: "`urn:accountd:problem:` and the code",
      examples: ["urn:accountd:problem:invalid_request"],
    }),
    title: text({ examples: ["Invalid request"] }),
    status: integer({ minimum: 400, maximum: 599, examples: [400] }),
    detail: text({ description: "A sentence that says what to do" }),
    code: text({ description: "Stable, for programs", examples: ["invalid_request"] }),
    errors: Type.Optional(Type.Array(Violation, { maxItems: 20 })),
    requestId: Type.Optional(text({ description: "In a 5xx answer, as in the x-request-id header" })),
  },
  { $id: "Problem", description: "RFC 9457 problem details" },
);

/** What became of one item of a request that has many. */
export const ItemOutcome = Type.Object(
  {
    index: integer({ minimum: 0, description: "The item's place in the request, from 0" }),
    code: text({ description: "Stable, for programs", examples: ["duplicate"] }),
    detail: text({ examples: ["an event with this messageId was received before"] }),
  },
  { $id: "ItemOutcome", description: "Why an item is not among those accepted" },
);

/** A success that has nothing to say. */
export const NoContent = Type.Undefined();

/** What an operation answers: its success, and the statuses of the problems that can occur. */
export function replies<Success extends Record<number, TSchema>>(
  successes: Success,
  ...statuses: Status[]
): Success & Record<Status, typeof ProblemDetails> {
  const shapes: Record<number, TSchema> = {};
  for (const [status, shape] of Object.entries(successes))
    shapes[Number(status)] = described(shape, "Success");
  for (const status of statuses) shapes[status] = described(ProblemDetails, codesOf(status).join(", "));
  // Safe: one shape for each success, and the problem's for each status.
  return shapes as Success & Record<Status, typeof ProblemDetails>;
}

/**
 * Replies are made from named columns; tests check every one against the document. Checking them again in
 * the running service would cost more than reading them.
 */
function described(shape: TSchema, description: string): TSchema {
  return { ...shape, description, noValidate: true };
}
