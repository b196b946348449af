/** An event as it comes in; the same on both engines. */
export type UsualEvent = {
  event: string;
  externalId: string;
  messageId?: string;
  timestamp?: string;
  userId?: string;
  properties?: Record<string, unknown>;
};

export const rejectionDetails = {
  duplicate: "an event with this messageId was received before",
  unknown_account: "there is no such account",
  in_future: "timestamp is over 5 minutes ahead",
  too_old: "timestamp is over 35 days ago",
};
