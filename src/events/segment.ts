import { parseTimestamp } from "../core/timestamps.ts";

/** Texts that applications send in place of an id. As ids, they would join persons of different customers. */
const placeholders = new Set([
  "",
  "undefined",
  "null",
  "nan",
  "[object object]",
  "0",
  "-1",
  "true",
  "false",
  "none",
  "anonymous",
  "guest",
  "distinct_id",
  "id",
]);

/** Whether a text identifies a user. A placeholder does not, in any letter case, also with blanks around it. */
export function isUserId(text: string): boolean {
  return !placeholders.has(text.trim().toLowerCase());
}

/** A call of Segment's SDKs, unvalidated. */
type Call = Record<string, unknown>;

/** Returns the time of a call: milliseconds since 1970 UTC. `timestamp` is the time that the call states. */
export type CallTime = (timestamp: number, call: Call) => number;

/** A difference between `sentAt` and the receipt up to this is the time of the transfer, not a wrong clock. */
const maxTransferMilliseconds = 60_000;

/**
 * The usage event of a call of Segment's SDKs, unvalidated: a `track` call, with the group as the account's
 * externalId and perhaps an anonymous user. "ignored" for every other call (`identify`, `page`, `group` …).
 */
export function usageEventOf(call: Call): Call | "ignored" {
  if (call.type !== "track") return "ignored";
  const { event, messageId, properties, userId, anonymousId } = call;
  return {
    event,
    messageId,
    timestamp: timestampOf(call),
    properties,
    externalId: groupOf(call),
    userId: userIdOf(userId) ?? userIdOf(anonymousId),
  };
}

/** The time that a call states, unvalidated. RudderStack's SDK sends `originalTimestamp` alone. */
export function timestampOf({ timestamp, originalTimestamp }: Call): unknown {
  return timestamp ?? originalTimestamp ?? undefined;
}

/**
 * Corrects the clock of the sender as Segment's servers do: with a `sentAt` of the call or of its body that differs from
 * the receipt by more than a minute, the time is receipt - (sentAt - timestamp). A time after the receipt counts as the
 * receipt. Source: Segment, Common Fields, "Timestamps".
 */
export function clockCorrection(bodySentAt: unknown, receivedAt: number): CallTime {
  return (timestamp, call) => {
    const text = call.sentAt ?? bodySentAt;
    const sentAt = typeof text === "string" ? parseTimestamp(text) : undefined;
    const skew = sentAt === undefined ? 0 : receivedAt - sentAt;
    return Math.min(receivedAt, Math.abs(skew) > maxTransferMilliseconds ? timestamp + skew : timestamp);
  };
}

/**
 * The group of a call, which is the externalId of an account. A `group` call names it itself; its context can have the
 * group before it. Another call has it in its context, or itself.
 */
export function groupOf({ type, context, groupId }: Call): unknown {
  const isInContext = typeof context === "object" && context !== null && "groupId" in context;
  const groups = [identityOf(isInContext ? context.groupId : undefined), identityOf(groupId)];
  return (type === "group" ? groups.reverse() : groups).find((group) => group !== undefined);
}

/** A user's id as text, unvalidated. Undefined for an empty one and for a placeholder. */
export function userIdOf(value: unknown): unknown {
  const id = identityOf(value);
  return typeof id === "string" && !isUserId(id) ? undefined : id;
}

/** An identity as text. The SDKs pass numbers through: safe integers are converted. Undefined for an empty one. */
function identityOf(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value || undefined;
}

/**
 * The traits of an `identify` or `group` call, unvalidated. RudderStack's SDK for browsers sends the traits of
 * `identify` in the context. In every other call, `context.traits` describe the signed-in person.
 */
export function traitsOf({ type, traits, context }: Call): unknown {
  const isEmpty = typeof traits === "object" && Object.keys(traits ?? {}).length === 0;
  if (traits !== undefined && !isEmpty) return traits;
  const isInContext = typeof context === "object" && context !== null && "traits" in context;
  return type === "identify" && isInContext ? context.traits : undefined;
}
