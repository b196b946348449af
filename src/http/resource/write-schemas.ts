import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { ProblemCode, Status } from "../../core/problem-types.ts";
import { problemReplies, replies } from "../replies/replies.ts";
import { choice } from "../validation/shapes.ts";

export const WriteQuery = Type.Object(
  {
    dryRun: Type.Optional(
      choice(["true", "false"], {
        description:
          "`true` checks the request and responds as usual, with `Dry-Run: true`, but stores nothing. Ids of new rows in the response are not reserved",
      }),
    ),
  },
  { additionalProperties: true },
);
export type WriteQueryValues = Static<typeof WriteQuery>;

/** The statuses of the problems of a request without a body, with one, and with one on a row with a version. */
export const readProblems = [400, 401, 404, 500, 503] as const;
export const bodyProblems = [...readProblems, 413, 415] as const;
export const writeProblems = [...bodyProblems, 412] as const;

/** For DELETE, whose body is not read. */
export const ignoredBody = { parse: "none" } as const;

const idempotencyCodes = ["idempotency_key_in_use", "idempotency_key_reused"] as const;

/** `replies` of a write. `conflicts` are further problems of the write. */
export function writeReplies<Shapes extends Record<number, TSchema>>(
  shapes: Shapes,
  conflicts: readonly ProblemCode[],
  ...statuses: readonly Status[]
): Shapes {
  return replies({ ...shapes, ...problemReplies([...conflicts, ...idempotencyCodes]) }, ...statuses);
}
