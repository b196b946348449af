/** A call of Segment's SDKs, unvalidated. */
type Call = Record<string, unknown>;

/**
 * The usage event of a call of Segment's SDKs, unvalidated: a `track` call, with the group as the account's
 * externalId and perhaps an anonymous user. "ignored" for every other call (`identify`, `page`, `group` …).
 */
export function usageEventOf(call: Call): Call | "ignored" {
  if (call.type !== "track") return "ignored";
  const { event, messageId, timestamp, originalTimestamp, properties, userId, anonymousId } = call;
  return {
    event,
    messageId,
    // RudderStack's SDK sends `originalTimestamp` alone.
    timestamp: timestamp ?? originalTimestamp ?? undefined,
    properties,
    externalId: groupOf(call),
    userId: identityOf(userId) ?? identityOf(anonymousId),
  };
}

/** The group of a call, which is the externalId of an account: that of its context, or its own. */
export function groupOf({ context, groupId }: Call): unknown {
  const group = typeof context === "object" && context !== null && "groupId" in context && context.groupId;
  return identityOf(group) ?? identityOf(groupId);
}

/** An identity as text. The SDKs pass numbers through: safe integers are converted. Undefined for an empty one. */
export function identityOf(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value || undefined;
}

/** The traits of a call. RudderStack's SDK for browsers sends them in the context. */
export function traitsOf({ traits, context }: Call): unknown {
  const isInContext = typeof context === "object" && context !== null && "traits" in context;
  return traits ?? (isInContext ? context.traits : undefined);
}
