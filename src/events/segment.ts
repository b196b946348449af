/**
 * The usage event in a message of Segment's SDKs: a `track` call, whose group is the account's externalId and
 * whose user may be anonymous. Every other call (`identify`, `page`, `group` …) is "ignored".
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

/** An identity as text: the SDKs let numbers through, of which only whole ones are exact; an empty one is none. */
function identityOf(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value || undefined;
}
