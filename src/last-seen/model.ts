import { Type } from "@sinclair/typebox";
import { ItemOutcome } from "../http/replies.ts";
import { dataOf, integer } from "../http/shapes.ts";

const unknownAccount = {
  index: 1,
  code: "unknown_account",
  detail: "there is no such account, or contact with this address",
};
const LastSeenReceiptShape = Type.Object(
  {
    accepted: integer({ minimum: 0, description: "Items that were stored", examples: [1] }),
    rejected: integer({ minimum: 0, description: "Items that were not", examples: [1] }),
    items: Type.Array(ItemOutcome, {
      description: "The items that were not accepted",
      examples: [[unknownAccount]],
    }),
  },
  { $id: "LastSeenReceipt", description: "What became of a request's items; both counts sum to all" },
);
export const LastSeenReply = dataOf(LastSeenReceiptShape, "LastSeenReceiptReply");
