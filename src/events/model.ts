import { type Static, Type } from "@sinclair/typebox";
import { parseStoredJson } from "../core/stored-json.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { ItemOutcome } from "../http/replies/replies.ts";
import { cursorListOf, listOf } from "../http/validation/list-shapes.ts";
import {
  dataOf,
  integer,
  nullable,
  nullableInteger,
  nullableText,
  openObject,
  text,
  timestamp,
} from "../http/validation/shapes.ts";
import type { UnmatchedId } from "./pending.ts";
import type { ReceivedEventRow } from "./received.ts";

const count = (description: string, example = 0) => integer({ minimum: 0, description, examples: [example] });
const Receipt = Type.Object(
  {
    accepted: count("Events that were stored and counted", 1),
    duplicates: count("Events, and calls with traits, that were received before", 1),
    parked: count("Pending events, and pending traits: there is no account for them yet"),
    rejected: count("Events that were not stored; `items` has the reasons"),
    ignored: count("Segment calls that are no usage events"),
    undeduplicated: count("Accepted and pending events without a messageId"),
    traits: Type.Optional(
      count("Of the ignored calls, the ones with a stored trait; absent when traits are off", 1),
    ),
    items: Type.Array(ItemOutcome, {
      description: "The events that were not accepted, and the calls whose traits were not stored",
    }),
  },
  {
    $id: "EventReceipt",
    description:
      "The outcome of a request's events and calls. The first five counts add up to the number of events and calls",
  },
);
export const ReceiptReply = dataOf(Receipt, "EventReceiptReply");

const Unmatched = Type.Object(
  {
    externalId: text({ description: "The externalId of the events", examples: ["acme"] }),
    count: count("Number of pending events", 3),
    firstAt: timestamp("The timestamp of the earliest event"),
    lastAt: timestamp("The timestamp of the latest event", "2026-01-02T09:10:11.012Z"),
  },
  { $id: "UnmatchedId", description: "An unmatched id: an externalId of pending events that no account has" },
);
export const UnmatchedPage = listOf(Unmatched, "UnmatchedPage");

export function presentUnmatched(row: UnmatchedId): Static<typeof Unmatched> {
  const { externalId, count, firstAt, lastAt } = row;
  return { externalId, count, firstAt: formatTimestamp(firstAt), lastAt: formatTimestamp(lastAt) };
}

const ReceivedEvent = Type.Object(
  {
    id: integer({
      minimum: 1,
      description: "Assigned by the service, in the order of receipt",
      examples: [42],
    }),
    accountId: nullableInteger({
      description: "The event's account; null when no account had its externalId",
      examples: [7],
    }),
    externalId: nullableText({
      description: "Of a pending event, the externalId that no account has; null for other events",
      examples: ["acme"],
    }),
    messageId: nullableText({
      description:
        "The event's messageId; `erased-` and a hash when it had an identifier of an erased person",
      examples: ["01JGFJJZ000000000000000000"],
    }),
    event: text({ description: "The name of the event", examples: ["report.exported"] }),
    timestamp: timestamp("When the event occurred"),
    userId: nullableText({ description: "The user's id; null for an erased person", examples: ["u7"] }),
    properties: nullable(
      openObject({ description: "As they were sent; null for an erased person", examples: [{ rows: 12 }] }),
    ),
    receivedAt: timestamp("When the event was received, by the clock of the server; order events by `id`"),
  },
  { $id: "ReceivedEvent", description: "A product-usage event as it is stored" },
);
export const EventPage = cursorListOf(ReceivedEvent, "EventPage");

export function presentEvent(row: ReceivedEventRow): Static<typeof ReceivedEvent> {
  const { timestamp, properties, receivedAt } = row;
  return {
    ...row,
    timestamp: formatTimestamp(timestamp),
    // Safe: `input.ts` stores an object or null.
    properties: properties === null ? null : (parseStoredJson(properties) as Record<string, unknown>),
    receivedAt: formatTimestamp(receivedAt),
  };
}
