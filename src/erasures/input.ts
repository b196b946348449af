import { type Static, Type } from "@sinclair/typebox";
import { invalidField } from "../core/errors.ts";
import { inputConstraints } from "../http/resource/field-shapes.ts";
import { text } from "../http/validation/shapes.ts";
import { contactFields } from "../shared/fields/contacts.ts";

export const ErasureBody = Type.Object(
  {
    email: Type.Optional(
      text({
        ...inputConstraints(contactFields.email),
        minLength: 1,
        description: "The person's e-mail address, in any letter case",
        examples: [contactFields.email.example],
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
