import { Type } from "@sinclair/typebox";
import { dataOf, integer } from "../http/validation/shapes.ts";

const count = (description: string, example: number) =>
  integer({ minimum: 0, description, examples: [example] });

/** What an erasure changed or deleted. */
export const ErasureReply = dataOf(
  Type.Object(
    {
      contacts: count("Contacts of the person, and pending users with its traits, that were deleted", 1),
      events: count(
        "Events that lost their user and their properties; they stay counted and deduplicated",
        12,
      ),
      usageUsers: count("Users of days that were replaced by random ids", 4),
      changes: count("Changes of contacts that lost the person's values, the deletions included", 3),
      idempotentReplies: count("Stored responses to writes that lost the person's values", 1),
      filePending: Type.Optional(
        Type.Literal(true, {
          examples: [true],
          description:
            "Present if another program, such as a backup, reads the database file: what the rows left in it is erased as soon as that program allows it",
        }),
      ),
    },
    { $id: "Erasure", description: "The numbers of rows that an erasure changed or deleted" },
  ),
  "ErasureReply",
);
