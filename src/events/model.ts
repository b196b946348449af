import { type Static, Type } from "@sinclair/typebox";
import { ItemOutcome } from "../http/replies.ts";
import { dataOf, integer, Pagination, text, timestamp } from "../http/shapes.ts";
import { formatTimestamp } from "../timestamps.ts";
import type { UnmatchedId } from "./parked.ts";

const count = (description: string) => integer({ minimum: 0, description });
const Receipt = Type.Object(
  {
    accepted: count("Events stored and counted"),
    duplicates: count("Events that were received before"),
    parked: count("Events that wait for an account to take their externalId"),
    rejected: count("Events that were not stored; items says why"),
    ignored: count("Segment calls that say nothing of usage"),
    undeduplicated: count("Of those accepted and parked, the ones without a messageId"),
    items: Type.Array(ItemOutcome, { description: "The events that were not accepted" }),
  },
  { $id: "EventReceipt", description: "What became of a request's events; the first five counts sum to all" },
);
export const ReceiptReply = dataOf(Receipt, "EventReceiptReply");

const Unmatched = Type.Object(
  {
    externalId: text({ examples: ["acme"] }),
    count: count("Events that wait for it"),
    firstAt: timestamp("The earliest event's time"),
    lastAt: timestamp("The latest event's time"),
  },
  { $id: "UnmatchedId", description: "An externalId that events name and no account has" },
);
export const UnmatchedPage = Type.Object(
  { data: Type.Array(Unmatched), pagination: Pagination },
  { $id: "UnmatchedPage" },
);

export function presentUnmatched(row: UnmatchedId): Static<typeof Unmatched> {
  const { externalId, count, firstAt, lastAt } = row;
  return { externalId, count, firstAt: formatTimestamp(firstAt), lastAt: formatTimestamp(lastAt) };
}
