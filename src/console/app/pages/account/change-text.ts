import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { differingNames, type MemberValue, membersOf, type RowMembers } from "../../editing/members.ts";

export type HistoryEntry = components["schemas"]["Change"];

type MemberChange = { name: string; from: MemberValue; to: MemberValue };

/** Members that say nothing to a reader: ids of the row, flags that repeat the status, times of the write. */
const hidden = new Set([
  "id",
  "accountId",
  "active",
  "churned",
  "onboarding",
  "createdAt",
  "updatedAt",
  "lastSeenAt",
]);

/** Who made a change. */
export function actorName({ actor }: Pick<HistoryEntry, "actor">): string {
  if (actor.type === "key") return actor.name === "" ? `Key ${actor.id}` : actor.name;
  return actor.type === "cli" ? "Command line" : "accountd";
}

/** Such as "Request created: Single sign-on". A change that has no name of its row has its id. */
export function titleOf({ type, resourceId, before, after }: HistoryEntry): string {
  const [resource = "", action = ""] = type.split(".");
  const noun = resource.slice(0, 1).toUpperCase() + resource.slice(1);
  if (action === "health_changed") return "Tier changed";
  if (resource === "account") return `${noun} ${action}`;
  const row: RowMembers = membersOf(after ?? before ?? {});
  const name = row.name ?? row.title;
  return name == null ? `${noun} ${resourceId} ${action}` : `${noun} ${action}: ${name}`;
}

/** What differs. Of a new or deleted row, only the members with a value. */
export function memberChanges({ before, after }: Pick<HistoryEntry, "before" | "after">): MemberChange[] {
  const [from, to] = [membersOf(before ?? {}), membersOf(after ?? {})];
  return differingNames(from, to)
    .filter((name) => !hidden.has(name))
    .map((name) => ({ name, from: from[name] ?? null, to: to[name] ?? null }));
}
