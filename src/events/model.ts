import { type Static, Type } from "@sinclair/typebox";
import { formatTimestamp } from "../core/timestamps.ts";
import { listOf } from "../http/list-shapes.ts";
import { ItemOutcome } from "../http/replies.ts";
import {
  dataOf,
  documentedOnly,
  integer,
  nullable,
  nullableText,
  nullableTimestamp,
  openObject,
  text,
  timestamp,
} from "../http/shapes.ts";
import { maxEvents } from "./input.ts";
import type { UnmatchedId } from "./pending.ts";

const count = (description: string, example = 0) => integer({ minimum: 0, description, examples: [example] });
const Receipt = Type.Object(
  {
    accepted: count("Events that were stored and counted", 1),
    duplicates: count("Events that were received before", 1),
    parked: count("Pending events: no account has their externalId yet"),
    rejected: count("Events that were not stored; `items` has the reasons"),
    ignored: count("Segment calls that are no usage events"),
    undeduplicated: count("Accepted and pending events without a messageId"),
    items: Type.Array(ItemOutcome, { description: "The events that were not accepted" }),
  },
  {
    $id: "EventReceipt",
    description: "The outcome of a request's events. The first five counts add up to the number of events",
  },
);
export const ReceiptReply = dataOf(Receipt, "EventReceiptReply");

const SegmentCall = Type.Object(
  {
    type: text({ description: "`track`; every other call is ignored", examples: ["track"] }),
    event: Type.Optional(text({ description: "The name of the event", examples: ["report.exported"] })),
    context: Type.Optional(
      nullable(
        Type.Object(
          { groupId: Type.Optional(text({ examples: ["acme"] })) },
          {
            additionalProperties: true,
            description:
              "Its `groupId` is the account's externalId; a `groupId` next to `context` is accepted too",
          },
        ),
      ),
    ),
    userId: Type.Optional(
      nullableText({ description: "The user's id. Default: `anonymousId`", examples: ["u7"] }),
    ),
    messageId: Type.Optional(
      nullableText({
        description: "A second event with this messageId within 35 days is a duplicate",
        examples: ["01JGFJJZ000000000000000000"],
      }),
    ),
    timestamp: Type.Optional(nullableTimestamp("When the event occurred. Default: now")),
    properties: Type.Optional(nullable(openObject({ examples: [{ rows: 12 }] }))),
  },
  { $id: "SegmentCall", additionalProperties: true, description: "A call as Segment's SDKs send it" },
);
export const SegmentBody = documentedOnly(
  Type.Object(
    {
      batch: Type.Array(SegmentCall, { maxItems: maxEvents }),
      writeKey: Type.Optional(text({ description: "The API key, if no header has it" })),
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
    externalId: text({ description: "The externalId of the events", examples: ["acme"] }),
    count: count("Number of pending events", 3),
    firstAt: timestamp("The timestamp of the earliest event"),
    lastAt: timestamp("The timestamp of the latest event", "2026-01-02T09:10:11.012Z"),
  },
  { $id: "UnmatchedId", description: "An externalId of pending events that no account has" },
);
export const UnmatchedPage = listOf(Unmatched, "UnmatchedPage");

export function presentUnmatched(row: UnmatchedId): Static<typeof Unmatched> {
  const { externalId, count, firstAt, lastAt } = row;
  return { externalId, count, firstAt: formatTimestamp(firstAt), lastAt: formatTimestamp(lastAt) };
}
