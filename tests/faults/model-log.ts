import { differingAttributes } from "./model-attributes.ts";
import { type Body, iso, type Kind, type Row } from "./model-rows.ts";

export type Actor = { type: "key"; id: number; name: string };

/** A change as in a reply, without its sequence number. */
export type LogEntry = {
  org: number;
  type: string;
  time: string;
  resourceId: number;
  accountId: number;
  requestId: string | null;
  actor: Actor;
  before: Body | null;
  after: Body | null;
};

export const nouns: Record<Kind, string> = {
  accounts: "account",
  contacts: "contact",
  meetings: "meeting",
  requests: "request",
};

export type RowChange =
  | { action: "created"; before: null; after: Row }
  | { action: "updated"; before: Row; after: Row }
  | { action: "deleted"; before: Row; after: null };

type Circumstances = { now: number } & Pick<LogEntry, "requestId" | "actor">;

export function entryOf(change: RowChange, { now, requestId, actor }: Circumstances): LogEntry {
  const { before, after } = change;
  // The accountId of a row that moved is that of its new account.
  const row = change.action === "deleted" ? change.before : change.after;
  const { org, kind, id } = row;
  return {
    org,
    type: `${nouns[kind]}.${change.action}`,
    time: iso(now),
    resourceId: id,
    accountId: Number(kind === "accounts" ? id : row.accountId),
    requestId,
    actor,
    ...differing(before && membersOf(before), after && membersOf(after)),
  };
}

/** The members that an update changed. */
function differing(before: Body | null, after: Body | null): { before: Body | null; after: Body | null } {
  if (!before || !after) return { before, after };
  const names = Object.keys(after).filter((name) => !Bun.deepEquals(before[name], after[name]));
  const valueIn = (name: string, own: Body, other: Body) =>
    name === "attributes" ? differingAttributes(own.attributes, other.attributes) : own[name];
  const valuesIn = (own: Body, other: Body) =>
    Object.fromEntries(names.map((name) => [name, valueIn(name, own, other)]));
  return { before: valuesIn(before, after), after: valuesIn(after, before) };
}

/** All members of a row. An account has its status also as three flags. */
function membersOf({ org: _, kind, ...members }: Row): Body {
  if (kind !== "accounts") return members;
  const flags = ["active", "churned", "onboarding"].map((flag) => [flag, members.status === flag]);
  return { ...members, ...Object.fromEntries(flags) };
}

/** The change as in a reply. */
export function shownEntry({ org: _, ...entry }: LogEntry): Body {
  return entry;
}
