import { Type } from "@sinclair/typebox";
import { ItemOutcome } from "../http/replies/replies.ts";
import { dataOf, integer } from "../http/validation/shapes.ts";

const unknownAccount = {
  index: 1,
  code: "unknown_account",
  detail: "there is no such account, or contact with this address or user id",
};
const LastSeenReceiptShape = Type.Object(
  {
    accepted: integer({ minimum: 0, description: "Number of items that were stored", examples: [1] }),
    rejected: integer({ minimum: 0, description: "Number of items that were not stored", examples: [1] }),
    items: Type.Array(ItemOutcome, {
      description: "The items that were not accepted",
      examples: [[unknownAccount]],
    }),
  },
  {
    $id: "LastSeenReceipt",
    description: "The outcome of a request's items. Both counts add up to the number of items",
  },
);
export const LastSeenReply = dataOf(LastSeenReceiptShape, "LastSeenReceiptReply");
