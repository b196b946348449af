import { type Static, Type } from "@sinclair/typebox";
import { formatTimestamp } from "../core/timestamps.ts";
import { ItemOutcome } from "../http/replies.ts";
import { dataOf, documentedOnly, integer, listOf, openObject, text, timestamp } from "../http/shapes.ts";
import { maxEvents } from "./input.ts";
import type { UnmatchedId } from "./pending.ts";

const count = (description: string, example = 0) => integer({ minimum: 0, description, examples: [example] });
const Receipt = Type.Object(
  {
    accepted: count("Events stored and counted", 1),
    duplicates: count("Events that were received before", 1),
    parked: count("Events that wait for an account to take their externalId"),
    rejected: count("Events that were not stored; items says why"),
    ignored: count("Segment calls that say nothing of usage"),
    undeduplicated: count("Of those accepted and parked, the ones without a messageId"),
    items: Type.Array(ItemOutcome, { description: "The events that were not accepted" }),
  },
  { $id: "EventReceipt", description: "What became of a request's events; the first five counts sum to all" },
);
export const ReceiptReply = dataOf(Receipt, "EventReceiptReply");

const SegmentCall = Type.Object(
  {
    type: text({ description: "`track`; every other call is ignored", examples: ["track"] }),
    event: Type.Optional(text({ description: "What was done", examples: ["report.exported"] })),
    context: Type.Optional(
      Type.Object(
        { groupId: Type.Optional(text({ examples: ["acme"] })) },
        {
          additionalProperties: true,
          description: "Its `groupId` is the account's externalId; it may also stand beside `context`",
        },
      ),
    ),
    userId: Type.Optional(text({ description: "Who did it; `anonymousId` if left out", examples: ["u7"] })),
    messageId: Type.Optional(
      text({
        description: "A second event with it within 35 days is a duplicate",
        examples: ["01JGFJJZ000000000000000000"],
      }),
    ),
    timestamp: Type.Optional(timestamp("When it was done; now if left out")),
    properties: Type.Optional(openObject({ examples: [{ rows: 12 }] })),
  },
  { $id: "SegmentCall", additionalProperties: true, description: "A call as Segment's SDKs send it" },
);
export const SegmentBody = documentedOnly(
  Type.Object(
    {
      batch: Type.Array(SegmentCall, { maxItems: maxEvents }),
      writeKey: Type.Optional(text({ description: "The key, if no header has it" })),
    },
    {
      $id: "SegmentCalls",
      additionalProperties: true,
      examples: [
        {
          batch: [
            {
              type: "track",
              event: "report.exported",
              context: { groupId: "acme" },
              userId: "u7",
              messageId: "01JGFJJZ000000000000000000",
              timestamp: "2026-01-02T03:04:05.000Z",
              properties: { rows: 12 },
            },
          ],
        },
      ],
    },
  ),
);

const Unmatched = Type.Object(
  {
    externalId: text({ description: "As the events name it", examples: ["acme"] }),
    count: count("Events that wait for it", 3),
    firstAt: timestamp("The earliest event's time"),
    lastAt: timestamp("The latest event's time", "2026-01-02T09:10:11.012Z"),
  },
  { $id: "UnmatchedId", description: "An externalId that events name and no account has" },
);
export const UnmatchedPage = listOf(Unmatched, "UnmatchedPage");

export function presentUnmatched(row: UnmatchedId): Static<typeof Unmatched> {
  const { externalId, count, firstAt, lastAt } = row;
  return { externalId, count, firstAt: formatTimestamp(firstAt), lastAt: formatTimestamp(lastAt) };
}
