import { Type } from "@sinclair/typebox";
import { millisecondsOfDay, parseTimestamp } from "../core/timestamps.ts";
import { depthOf, type ParsedBody, releaseBody } from "../http/body.ts";
import type { Constraints } from "../http/constraints.ts";
import { asMembers, type ItemError, readItems, validateMembers } from "../http/items.ts";
import { documentedOnly, externalId, integer, listQuerySchema, openObject, text } from "../http/shapes.ts";
import { unmatchedList } from "./pending.ts";
import { usageEventOf } from "./segment.ts";
import type { EventCandidate } from "./store.ts";

/** What one request and one event may hold. */
export const maxEvents = 1_000;
const maxEventBytes = 32_768;
const maxEventDepth = 32;
/** How far, in milliseconds, a sender's clock may be ahead, and how old an event may be. */
const maxClockSkew = 5 * 60_000;
const maxEventAge = 35 * millisecondsOfDay;

const eventConstraints = {
  event: { type: "string", minLength: 1, maxLength: 128, pattern: "\\S" },
  externalId: { type: "string", minLength: 1, maxLength: 255 },
  accountId: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  messageId: { type: ["string", "null"], maxLength: 255 },
  timestamp: { type: "string", format: "iso-8601" },
  userId: { type: ["string", "null"], maxLength: 255 },
} as const satisfies Record<string, Constraints>;

const event = {
  event: "report.exported",
  externalId: "acme",
  messageId: "01JGFJJZ000000000000000000",
  timestamp: "2026-01-02T03:04:05.000Z",
  userId: "u7",
  properties: { rows: 12 },
};
export const EventShape = Type.Object(
  {
    event: text({ ...eventConstraints.event, description: "What was done", examples: ["report.exported"] }),
    externalId: Type.Optional(text({ ...externalId, minLength: 1, description: "The account's externalId" })),
    accountId: Type.Optional(
      integer({ ...eventConstraints.accountId, description: "Or the account's id; it wins over externalId" }),
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
    properties: Type.Optional(openObject()),
  },
  { $id: "Event", additionalProperties: true, description: "Something that a customer did with the product" },
);
const EventBatch = Type.Object(
  { events: Type.Array(EventShape, { maxItems: maxEvents }) },
  { $id: "EventBatch", additionalProperties: true },
);
const SegmentBatch = Type.Object(
  { batch: Type.Array(openObject(), { maxItems: maxEvents }) },
  {
    $id: "SegmentBatch",
    additionalProperties: true,
    description: "What Segment's SDKs send. `track` calls with `context.groupId`, or `groupId`, count",
  },
);

export const EventsBody = documentedOnly(
  Type.Union([EventBatch, EventShape, SegmentBatch], { $id: "Events", examples: [{ events: [event] }] }),
);

export const UnmatchedListQuery = listQuerySchema(unmatchedList, {
  search: Type.Optional(text({ maxLength: 255, description: "Substring of the id, byte for byte" })),
});

/** The members that a body of events may have. Those of a Segment batch are Segment's own, and any may come. */
export function eventsMembers(body: object): readonly string[] | undefined {
  if (Object.hasOwn(body, "events")) return ["events"];
  if (Object.hasOwn(body, "batch")) return undefined;
  return Object.hasOwn(body, "event") ? Object.keys(EventShape.properties) : ["events"];
}

/** The events of a body, each as it is to be stored, or refused. Throws `invalid_request` when it has no list of them. */
export function readEvents(parsedBody: ParsedBody, now: number): EventCandidate[] {
  const { events, event, batch }: Record<string, unknown> = { ...parsedBody.body };
  if (events === undefined && batch !== undefined) return readSegmentBatch(parsedBody, now);
  const body = releaseBody(parsedBody);
  const isSingleEvent = events === undefined && event !== undefined;
  const items = isSingleEvent ? [body] : readItems({ events }, "events", maxEvents);
  const readCandidate = eventReader(parsedBody, now);
  return items.map((item) => readCandidate(asMembers(item), item));
}

/** The same of what Segment's SDKs send. */
export function readSegmentBatch(parsedBody: ParsedBody, now: number): EventCandidate[] {
  const readCandidate = eventReader(parsedBody, now);
  return readItems({ ...releaseBody(parsedBody) }, "batch", maxEvents).map((message) => {
    const members = asMembers(message);
    const usage = members && usageEventOf(members);
    if (usage === "ignored") return usage;
    const candidate = readCandidate(usage, message);
    return candidate === missingAccount ? missingGroup : candidate;
  });
}

function eventReader({ size, depth }: ParsedBody, now: number) {
  // No part is larger, or deeper, than the whole.
  const isSmall = size <= maxEventBytes && depth <= maxEventDepth;
  return (members: Record<string, unknown> | undefined, item: unknown): EventCandidate =>
    (isSmall ? undefined : validateSize(item)) ?? readEvent(members, now);
}

function readEvent(members: Record<string, unknown> | undefined, now: number): EventCandidate {
  if (!members) return { code: "wrong_type", detail: "an event must be an object" };
  const violation = validateMembers(eventConstraints, ["event"], members);
  if (violation) return violation;
  // Safe: the members have passed their rules, or are not there.
  const { event, accountId, externalId, messageId, userId, timestamp } = members as ValidEvent;
  const { properties = null } = members;
  if (properties !== null && !asMembers(properties)) return invalidProperties;
  if (accountId === undefined && externalId === undefined) return missingAccount;
  const at = timestamp === undefined ? now : (parseTimestamp(timestamp) ?? now);
  if (at > now + maxClockSkew) return { code: "in_future", detail: "timestamp is over 5 minutes ahead" };
  if (at < now - maxEventAge) return { code: "too_old", detail: "timestamp is over 35 days ago" };
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

type ValidEvent = Record<"event", string> &
  Partial<Record<"externalId" | "messageId" | "userId" | "timestamp", string> & Record<"accountId", number>>;
const missingAccount: ItemError = { code: "no_account", detail: "externalId or accountId is required" };
const missingGroup: ItemError = { code: "no_account", detail: "context.groupId, or groupId, is required" };
const invalidProperties: ItemError = { code: "wrong_type", detail: "properties must be an object" };

/** Measures what the caller sent of an event, members that mean nothing here among it. */
function validateSize(item: unknown): ItemError | undefined {
  const json = JSON.stringify(item);
  if (json.length > maxEventBytes / 3 && Buffer.byteLength(json) > maxEventBytes)
    return { code: "too_large", detail: "an event must be at most 32 KiB" };
  if (depthOf(json) > maxEventDepth)
    return { code: "too_deep", detail: `an event must be nested at most ${maxEventDepth} deep` };
  return undefined;
}
