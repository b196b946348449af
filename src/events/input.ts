import { type Static, Type } from "@sinclair/typebox";
import { invalidParameter } from "../core/errors.ts";
import { maxClockSkewMilliseconds, maxEventAgeMilliseconds } from "../core/event-limits.ts";
import type { ItemError } from "../core/item-codes.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { type ParsedBody, releaseBody } from "../http/body/body.ts";
import { measureJson } from "../http/body/json-text.ts";
import { asMembers, readItems, validateItems, validateMembers } from "../http/validation/items.ts";
import { accountFilter, listQuerySchema, pageParameters } from "../http/validation/list-shapes.ts";
import {
  documentedOnly,
  externalId,
  nullable,
  nullableInteger,
  nullableText,
  openObject,
  parameter,
  text,
} from "../http/validation/shapes.ts";
import { maxRequestItems } from "../shared/request-limits.ts";
import { unmatchedList } from "./pending.ts";
import type { EventFilters } from "./received.ts";
import { clockCorrection, isUserId, usageEventOf } from "./segment.ts";
import type { EventCandidate } from "./store.ts";

const maxEventBytes = 32_768;
const maxEventDepth = 32;
/** Deeper than an event may be: an event that is too deep is rejected alone, without the rest of the body. */
export const maxBodyDepth = 1_000;

const event = {
  event: "report.exported",
  externalId: "acme",
  messageId: "01JGFJJZ000000000000000000",
  timestamp: "2026-01-02T03:04:05.000Z",
  userId: "u7",
  properties: { rows: 12 },
};
const EventShape = Type.Object(
  {
    event: text({
      minLength: 1,
      maxLength: 128,
      pattern: "\\S",
      description: "The name of the event",
      examples: ["report.exported"],
    }),
    externalId: Type.Optional(nullableText({ ...externalId, description: "The account's externalId" })),
    accountId: Type.Optional(
      nullableInteger({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "The account's id; takes precedence over externalId",
      }),
    ),
    messageId: Type.Optional(
      nullableText({
        maxLength: 255,
        description: "A second event with this messageId within 35 days is a duplicate",
      }),
    ),
    timestamp: Type.Optional(
      nullableText({
        format: "iso-8601",
        description: "When the event occurred. At most 35 days ago and 5 minutes ahead. Default: now",
        examples: [event.timestamp],
      }),
    ),
    userId: Type.Optional(nullableText({ maxLength: 255, description: "The user's id", examples: ["u7"] })),
    properties: Type.Optional(nullable(openObject())),
  },
  {
    $id: "Event",
    additionalProperties: true,
    description: "A product-usage event of an account. A null counts as absent",
  },
);
/** The shapes of single values. */
const { properties: _, ...eventMembers } = EventShape.properties;
const EventBatch = Type.Object(
  { events: Type.Array(EventShape, { maxItems: maxRequestItems }) },
  { $id: "EventBatch", additionalProperties: true },
);
const SegmentBatch = Type.Object(
  { batch: Type.Array(openObject(), { maxItems: maxRequestItems }) },
  {
    $id: "SegmentBatch",
    additionalProperties: true,
    description:
      "A batch as Segment's SDKs send it: `track` calls with `context.groupId` or `groupId` are events",
  },
);

export const EventsBody = documentedOnly(
  Type.Union([EventBatch, EventShape, SegmentBatch], { $id: "Events", examples: [{ events: [event] }] }),
);

export const UnmatchedListQuery = listQuerySchema(unmatchedList.definition, {
  search: Type.Optional(text({ maxLength: 255, description: "Case-sensitive substring of the id" })),
});

const receiptTime = (description: string) =>
  Type.Optional(parameter({ type: "string", format: "iso-8601", description }));
const eventFilters = {
  from: receiptTime("Only events that were received at or after this time"),
  to: receiptTime("Only events that were received before this time"),
  event: Type.Optional(text({ maxLength: 128, description: "Only this event" })),
  accountId: accountFilter("events"),
};
export const EventListQuery = Type.Object(
  { ...eventFilters, cursor: pageParameters.cursor, pageSize: pageParameters.pageSize },
  { additionalProperties: true },
);
export const EventExportQuery = Type.Object(
  { ...eventFilters, end: Type.Optional(parameter({ type: "boolean", description: "Add the end line" })) },
  { additionalProperties: true },
);

/** The filters of a query that was validated. Throws `invalid_request` when `from` is after `to`. */
export function readEventFilters(query: Static<typeof EventListQuery>): EventFilters {
  const [from, to] = [timeOf(query.from), timeOf(query.to)];
  if (from !== null && to !== null && from > to)
    throw invalidParameter("from", "after_to", "must not be after to");
  const { event = null, accountId } = query;
  return { from, to, event, accountId: accountId === undefined ? null : Number(accountId) };
}

function timeOf(text: string | undefined): number | null {
  return text === undefined ? null : (parseTimestamp(text) ?? null);
}

/** The members of a batch of Segment's SDKs. Only `batch` is read. */
const segmentMembers = ["batch", "context", "integrations", "sentAt", "writeKey"];

/** The valid members of a body of events under strict handling. */
export function eventsMembers(body: object): readonly string[] {
  if (Object.hasOwn(body, "events")) return ["events"];
  if (Object.hasOwn(body, "batch")) return segmentMembers;
  return Object.hasOwn(body, "event") ? Object.keys(EventShape.properties) : ["events"];
}

/** Validates the events of a body one by one. Throws `invalid_request` when the body has no list of events. */
export async function readEvents(parsedBody: ParsedBody, now: number): Promise<EventCandidate[]> {
  const { events, event, batch }: Record<string, unknown> = { ...parsedBody.body };
  if (events === undefined && batch !== undefined) return readSegmentEvents(parsedBody, now);
  const body = releaseBody(parsedBody);
  const isSingleEvent = events === undefined && event !== undefined;
  const items = isSingleEvent ? [body] : readItems({ events }, "events", missingEvents);
  const readCandidate = eventReader(parsedBody, now);
  return validateItems(items, (item) => readCandidate(asMembers(item), item));
}

async function readSegmentEvents(parsedBody: ParsedBody, now: number): Promise<EventCandidate[]> {
  const readCall = segmentReader(parsedBody, now);
  const calls = readItems({ ...releaseBody(parsedBody) }, "batch");
  return validateItems(calls, readCall);
}

/** Returns a function that validates one call of Segment's SDKs, which is in this body. */
export function segmentReader(parsedBody: ParsedBody, now: number): (call: unknown) => EventCandidate {
  const { sentAt }: Record<string, unknown> = { ...parsedBody.body };
  const timeOf = clockCorrection(sentAt, now);
  const readCandidate = eventReader(parsedBody, now);
  return (call) => {
    const members = asMembers(call);
    const usage = members && usageEventOf(members);
    if (usage === "ignored") return usage;
    const candidate = readCandidate(usage, call, (timestamp) => timeOf(timestamp, members ?? {}));
    return candidate === missingAccount ? missingGroup : candidate;
  };
}

const missingEvents = "or event, or batch, is required";

function eventReader({ size, depth }: ParsedBody, now: number) {
  // An event is never larger or deeper than the body.
  const isShallow = depth <= maxEventDepth;
  const isSmall = size <= maxEventBytes && isShallow;
  return (
    members: Record<string, unknown> | undefined,
    item: unknown,
    correctTime?: (timestamp: number) => number,
  ): EventCandidate =>
    (isSmall ? undefined : validateSize(item, isShallow)) ?? readEvent(members, now, correctTime);
}

function readEvent(
  members: Record<string, unknown> | undefined,
  now: number,
  correctTime = (timestamp: number) => timestamp,
): EventCandidate {
  if (!members) return { code: "wrong_type", detail: "an event must be an object" };
  const violation = validateMembers(eventMembers, ["event"], members);
  if (violation) return violation;
  // Safe: every member is valid, null or absent.
  const { event, messageId, userId, ...others } = members as Static<typeof EventShape>;
  const [accountId, externalId] = [others.accountId ?? undefined, others.externalId || undefined];
  const properties = isEmptyList(members.properties) ? {} : (members.properties ?? null);
  if (properties !== null && !asMembers(properties)) return invalidProperties;
  if (accountId === undefined && externalId === undefined) return missingAccount;
  const stated = typeof others.timestamp === "string" ? parseTimestamp(others.timestamp) : undefined;
  const at = stated === undefined ? now : correctTime(stated);
  if (at > now + maxClockSkewMilliseconds)
    return { code: "in_future", detail: "timestamp is over 5 minutes ahead" };
  if (at < now - maxEventAgeMilliseconds) return { code: "too_old", detail: "timestamp is over 35 days ago" };
  return {
    event,
    accountId,
    externalId,
    messageId: messageId || null,
    // A timestamp within the tolerance counts as now.
    timestamp: Math.min(at, now),
    userId: userId && isUserId(userId) ? userId : null,
    properties: properties === null ? null : JSON.stringify(properties),
  };
}

/** PHP writes an empty object as an empty list. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const missingAccount: ItemError = { code: "no_account", detail: "externalId or accountId is required" };
const missingGroup: ItemError = { code: "no_account", detail: "context.groupId, or groupId, is required" };
const invalidProperties: ItemError = { code: "wrong_type", detail: "properties must be an object" };

/** Checks the size and the depth of an event with all of its members, unknown ones included. */
function validateSize(item: unknown, isShallow: boolean): ItemError | undefined {
  const json = JSON.stringify(item);
  if (Buffer.byteLength(json) > maxEventBytes)
    return { code: "too_large", detail: "an event must be at most 32 KiB" };
  if (!isShallow && measureJson(Buffer.from(json)).depth > maxEventDepth)
    return { code: "too_deep", detail: `an event must be nested at most ${maxEventDepth} deep` };
  return undefined;
}
