/**
 * The usage event in a message of Segment's SDKs: a `track` call, whose group is the account's externalId and
 * whose user may be anonymous. Every other call (`identify`, `page`, `group` …) is "ignored".
 */
export function usageOf(message: Record<string, unknown>): Record<string, unknown> | "ignored" {
  if (message.type !== "track") return "ignored";
  const { event, messageId, timestamp, properties, context, groupId, userId, anonymousId } = message;
  const hasGroup = typeof context === "object" && context !== null && "groupId" in context;
  return {
    event,
    messageId,
    timestamp,
    properties,
    externalId: (hasGroup ? context.groupId : undefined) ?? groupId ?? undefined,
    userId: userId ?? anonymousId,
  };
}
