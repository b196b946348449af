import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { differingNames, type MemberValue, membersOf, type RowMembers } from "../../editing/members.ts";
import { account, fields as fieldTexts } from "../../messages/messages.ts";

const text = account.history;

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
  if (actor.type === "key") return actor.name === "" ? text.key(actor.id) : actor.name;
  return actor.type === "cli" ? text.cli : text.system;
}

/** The names of rows by resource and id, as `keyOfRow` returns them. */
export type RowNames = ReadonlyMap<string, string>;

export function keyOfRow(noun: string, id: number | null): string {
  return `${noun} ${id}`;
}

/** The names of rows that changes have: an update has only the fields that differ. The latest change comes first. */
export function namesIn(changes: readonly HistoryEntry[]): RowNames {
  const names = changes.flatMap(({ type, resourceId, before, after }) => {
    const row: RowMembers = membersOf(after ?? before ?? {});
    const name = row.name ?? row.title;
    return name == null ? [] : [[keyOfRow(type.split(".")[0] ?? "", resourceId), String(name)] as const];
  });
  return new Map(names.reverse());
}

/** Such as "Request created: Single sign-on". A row whose name is not known has its id. */
export function titleOf({ type, resourceId }: HistoryEntry, names: RowNames): string {
  const [noun = "", action = ""] = type.split(".");
  if (action === "health_changed") return text.tierChanged;
  const nouns: Readonly<Record<string, string>> = fieldTexts.nouns;
  const title = nouns[noun] ?? noun;
  const actions: Readonly<Record<string, string>> = text.actions;
  const done = actions[action] ?? action;
  if (noun === "account") return text.changeOfAccount(title, done);
  return text.change(title, done, names.get(keyOfRow(noun, resourceId)) ?? String(resourceId));
}

/** What differs. Of a new or deleted row, only the members with a value. */
export function memberChanges({ before, after }: Pick<HistoryEntry, "before" | "after">): MemberChange[] {
  const [from, to] = [membersOf(before ?? {}), membersOf(after ?? {})];
  return differingNames(from, to)
    .filter((name) => !hidden.has(name))
    .map((name) => ({ name, from: from[name] ?? null, to: to[name] ?? null }));
}
