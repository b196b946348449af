import { Type } from "@sinclair/typebox";
import { millisecondsOfDay, parseTimestamp } from "../core/timestamps.ts";
import { depthOf, type SentObject, takeBody } from "../http/body.ts";
import type { Rules } from "../http/constraints.ts";
import { itemsAt, membersOf, type Outcome, refuseMembers } from "../http/items.ts";
import { described, externalId, integer, listQuery, text } from "../http/shapes.ts";
import { usageOf } from "./segment.ts";
import type { Candidate } from "./store.ts";

/** What one request and one event may hold. */
export const mostEvents = 1_000;
const largestEvent = 32_768;
const deepestEvent = 32;
/** How far, in milliseconds, a sender's clock may be ahead, and how old an event may be. */
const mostAhead = 5 * 60_000;
const oldest = 35 * millisecondsOfDay;

const rules = {
  event: { type: "string", minLength: 1, maxLength: 128, pattern: "\\S" },
  externalId: { type: "string", minLength: 1, maxLength: 255 },
  accountId: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  messageId: { type: ["string", "null"], maxLength: 255 },
  timestamp: { type: "string", format: "iso-8601" },
  userId: { type: ["string", "null"], maxLength: 255 },
} as const satisfies Record<string, Rules>;

const event = {
  event: "report.exported",
  externalId: "acme",
  messageId: "01JGFJJZ000000000000000000",
  timestamp: "2026-01-02T03:04:05.000Z",
  userId: "u7",
  properties: { rows: 12 },
};
export const Event = Type.Object(
  {
    event: text({ ...rules.event, description: "What was done", examples: ["report.exported"] }),
    externalId: Type.Optional(text({ ...externalId, minLength: 1, description: "The account's externalId" })),
    accountId: Type.Optional(
      integer({ ...rules.accountId, description: "Or the account's id; it wins over externalId" }),
    ),
    messageId: Type.Optional(
      text({ maxLength: 255, description: "A second event with it within 35 days is a duplicate" }),
    ),
    timestamp: Type.Optional(
      text({
        format: "iso-8601",
        description: "When it was done; now if left out. At most 35 days ago, and 5 minutes ahead",
        examples: [event.timestamp],
      }),
    ),
    userId: Type.Optional(text({ maxLength: 255, description: "Who did it", examples: ["u7"] })),
    properties: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { $id: "Event", additionalProperties: true, description: "Something that a customer did with the product" },
);
const EventBatch = Type.Object(
  { events: Type.Array(Event, { maxItems: mostEvents }) },
  { $id: "EventBatch", additionalProperties: true },
);
const SegmentBatch = Type.Object(
  { batch: Type.Array(Type.Object({}, { additionalProperties: true }), { maxItems: mostEvents }) },
  {
    $id: "SegmentBatch",
    additionalProperties: true,
    description: "What Segment's SDKs send. `track` calls with `context.groupId`, or `groupId`, count",
  },
);

export const EventsBody = described(
  Type.Union([EventBatch, Event, SegmentBatch], { $id: "Events", examples: [{ events: [event] }] }),
);

export const UnmatchedListQuery = listQuery(["externalId", "count", "firstAt", "lastAt"], {
  search: Type.Optional(text({ maxLength: 255, description: "Substring of the id, byte for byte" })),
});

/** The events of a body, each as it is to be stored, or refused. Throws `invalid_request` when it has no list of them. */
export function readEvents(sent: SentObject, now: number): Candidate[] {
  const { events, event, batch }: Record<string, unknown> = { ...sent.body };
  if (events === undefined && batch !== undefined) return readSegmentBatch(sent, now);
  const body = takeBody(sent);
  const isOne = events === undefined && event !== undefined;
  const items = isOne ? [body] : itemsAt({ events }, "events", mostEvents);
  const read = readerOf(sent, now);
  return items.map((item) => read(membersOf(item), item));
}

/** The same of what Segment's SDKs send. */
export function readSegmentBatch(sent: SentObject, now: number): Candidate[] {
  const read = readerOf(sent, now);
  return itemsAt({ ...takeBody(sent) }, "batch", mostEvents).map((message) => {
    const members = membersOf(message);
    const usage = members && usageOf(members);
    if (usage === "ignored") return usage;
    const candidate = read(usage, message);
    return candidate === noAccount ? noGroup : candidate;
  });
}

function readerOf({ size, depth }: SentObject, now: number) {
  // No part is larger, or deeper, than the whole.
  const isSmall = size <= largestEvent && depth <= deepestEvent;
  return (members: Record<string, unknown> | undefined, sent: unknown): Candidate =>
    (isSmall ? undefined : refuseSize(sent)) ?? readEvent(members, now);
}

function readEvent(members: Record<string, unknown> | undefined, now: number): Candidate {
  if (!members) return { code: "wrong_type", detail: "an event must be an object" };
  const refusal = refuseMembers(rules, ["event"], members);
  if (refusal) return refusal;
  // Safe: the members have passed their rules, or are not there.
  const { event, accountId, externalId, messageId, userId, timestamp } = members as Checked;
  const { properties = null } = members;
  if (properties !== null && !membersOf(properties)) return wrongProperties;
  if (accountId === undefined && externalId === undefined) return noAccount;
  const at = timestamp === undefined ? now : (parseTimestamp(timestamp) ?? now);
  if (at > now + mostAhead) return { code: "in_future", detail: "timestamp is over 5 minutes ahead" };
  if (at < now - oldest) return { code: "too_old", detail: "timestamp is over 35 days ago" };
  return {
    event,
    accountId,
    externalId,
    messageId: messageId || null,
    // Within the tolerance, a clock that is ahead says no more than: now.
    timestamp: Math.min(at, now),
    userId: userId || null,
    properties: properties === null ? null : JSON.stringify(properties),
  };
}

type Checked = Record<"event", string> &
  Partial<Record<"externalId" | "messageId" | "userId" | "timestamp", string> & Record<"accountId", number>>;
const noAccount = { code: "no_account", detail: "externalId or accountId is required" };
const noGroup = { code: "no_account", detail: "context.groupId, or groupId, is required" };
const wrongProperties = { code: "wrong_type", detail: "properties must be an object" };

/** Measures what the caller sent of an event, members that mean nothing here among it. */
function refuseSize(sent: unknown): Outcome | undefined {
  const json = JSON.stringify(sent);
  if (json.length > largestEvent / 3 && Buffer.byteLength(json) > largestEvent)
    return { code: "too_large", detail: "an event must be at most 32 KiB" };
  if (depthOf(json) > deepestEvent)
    return { code: "too_deep", detail: `an event must be nested at most ${deepestEvent} deep` };
  return undefined;
}
