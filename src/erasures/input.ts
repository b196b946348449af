import { type Static, Type } from "@sinclair/typebox";
import { constraints } from "../contacts/model.ts";
import { invalidField } from "../core/errors.ts";
import { text } from "../http/validation/shapes.ts";

export const ErasureBody = Type.Object(
  {
    email: Type.Optional(
      text({
        ...constraints.email,
        minLength: 1,
        description: "The person's e-mail address, in any letter case",
      }),
    ),
    userId: Type.Optional(
      text({ minLength: 1, maxLength: 255, description: "The person's user id", examples: ["u7"] }),
    ),
  },
  {
    $id: "NewErasure",
    additionalProperties: true,
    description: "The address, the user id, or both",
    examples: [{ email: "ada@example.com" }],
  },
);

/** Throws `invalid_request` when the body names no person. */
export function checkErasure({ email, userId }: Static<typeof ErasureBody>): void {
  if (email === undefined && userId === undefined)
    throw invalidField("/email", "required", "or userId is required");
}
