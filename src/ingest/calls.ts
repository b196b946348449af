import type { TimedMembers } from "../core/member-times.ts";

/**
 * The traits of a `group` or `identify` call of Segment's SDKs, valid. A group is an account, with the group's id as its
 * externalId. `time` is that of the call, `index` its place in the request.
 */
export type TraitsCall = {
  index: number;
  type: "group" | "identify";
  groupId: string | undefined;
  userId: string | undefined;
  messageId: string | null;
  time: number;
  members: TimedMembers;
};

/** What became of a call. `stored`: a member was stored; `ignored`: nothing could be stored. */
export type TraitsOutcome =
  | { result: "stored" | "ignored" | "duplicate" | "parked" | "no_account" }
  | { result: "superseded"; isEqual: boolean };
