import { Type } from "@sinclair/typebox";
import { ItemOutcome } from "../http/replies.ts";
import { dataOf, integer } from "../http/shapes.ts";

const SeenReceipt = Type.Object(
  {
    accepted: integer({ minimum: 0, description: "Items that were stored" }),
    rejected: integer({ minimum: 0, description: "Items that were not" }),
    items: Type.Array(ItemOutcome, { description: "The items that were not accepted" }),
  },
  { $id: "LastSeenReceipt" },
);
export const SeenReceiptReply = dataOf(SeenReceipt, "LastSeenReceiptReply");
