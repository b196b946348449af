/**
 * The usage event of a message of Segment's SDKs, unvalidated: a `track` call, with the group as the account's
 * externalId and perhaps an anonymous user. "ignored" for every other call (`identify`, `page`, `group` …).
 */
export function usageEventOf(message: Record<string, unknown>): Record<string, unknown> | "ignored" {
  if (message.type !== "track") return "ignored";
  const { event, messageId, timestamp, properties, context, groupId, userId, anonymousId } = message;
  const group = typeof context === "object" && context !== null && "groupId" in context && context.groupId;
  return {
    event,
    messageId,
    timestamp: timestamp ?? undefined,
    properties,
    externalId: identityOf(group) ?? identityOf(groupId),
    userId: identityOf(userId) ?? identityOf(anonymousId),
  };
}

/** An identity as text. The SDKs pass numbers through: safe integers are converted. Undefined for an empty one. */
function identityOf(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value || undefined;
}
