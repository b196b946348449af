import { Type } from "@sinclair/typebox";
import { ProblemDetails } from "../http/replies/replies.ts";
import { choice, dataOf, integer } from "../http/validation/shapes.ts";

const outcomes = ["created", "updated", "unchanged", "failed"] as const;
const count = (description: string, example: number) =>
  integer({ minimum: 0, description, examples: [example] });

const UpsertedAccount = Type.Object(
  {
    result: choice(outcomes, {
      description:
        "`updated`: the account or one of its sub-resources was created or changed. `failed`: nothing of it was stored",
      examples: ["created"],
    }),
    id: Type.Optional(integer({ description: "The account's id, unless it failed", examples: [42] })),
    problem: Type.Optional(ProblemDetails),
  },
  { $id: "AccountUpsertResult" },
);
const AccountBatchOutcome = Type.Object(
  {
    results: Type.Array(UpsertedAccount, { description: "One for each account, in order" }),
    created: count("Number of accounts that were created", 1),
    updated: count("Number of accounts that were updated, or whose sub-resources were", 0),
    unchanged: count("Number of accounts that were as sent already", 0),
    failed: count("Number of accounts that failed", 0),
  },
  { $id: "AccountBatchOutcome" },
);
export const AccountBatchReply = dataOf(AccountBatchOutcome, "AccountBatchReply");
