import { Problem } from "../core/errors.ts";
import type { TimedMembers } from "../core/resource/member-times.ts";
import type { PendingTraits } from "./pending-traits.ts";

/**
 * The traits of a `group` or `identify` call of Segment's SDKs, valid. A group is an account, with the group's id as its
 * externalId. `time` is the time of the call, `index` its place in the request.
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

/** What became of a call. `ignored`: it has nothing to store. A problem: it conflicts with stored rows. */
export type TraitsOutcome =
  | "stored"
  | "superseded"
  | "pending"
  | "duplicate"
  | "no_account"
  | "ignored"
  | Problem;

/** The members that were stored, with the problem of others, or the problem alone. */
export type StoredTraits = { newer: TimedMembers; problem?: Problem } | Problem;

/** The outcome of one of the calls whose members were merged and stored. */
export function outcomeOf({ members }: TraitsCall, stored: StoredTraits): TraitsOutcome {
  if (stored instanceof Problem) return stored;
  const isStored = Object.entries(members).some(([name, value]) => stored.newer[name] === value);
  return isStored ? "stored" : (stored.problem ?? "superseded");
}

export function groupOfCall({ groupId, time }: TraitsCall): PendingTraits["group"] {
  return groupId === undefined ? undefined : { id: groupId, time };
}
