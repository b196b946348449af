import { inputs } from "../../../db/expressions.ts";
import { changes, indexedBlockSize } from "../../../db/schema.ts";
import type { ResourceType } from "../../shared/resources.ts";
import { differingAttributes, NO_ATTRIBUTES, parseAttributes } from "../attributes/attributes.ts";
import type { Tables } from "../resource/tables.ts";
import type { Caller } from "../tenant/caller.ts";
import { insert, type TenantWriter } from "../tenant/statements.ts";
import { addToIndex, indexBlockUpTo } from "./account-changes.ts";

export const changeActions = ["created", "updated", "deleted", "health_changed"] as const;
export type ChangeAction = (typeof changeActions)[number];

/** The columns that callers see. The others are derived or internal. */
type Visible<T extends { $inferSelect: unknown }> = Omit<
  T["$inferSelect"],
  | "organizationId"
  | Extract<keyof T["$inferSelect"], `folded${string}`>
  | "score"
  | "tier"
  | "coverage"
  | "rank"
  | "scoreStaleAt"
  | "activityAt"
  | "scoredAt"
>;
type CommonRow = { id: number; externalId: string | null; updatedAt: number; version: number };
/** The row of each resource, as its store reads it. */
export type ResourceRows = { [T in ResourceType]: Visible<Tables[T]> & CommonRow };

/** A row before and after a change; `before` is null for a created row, `after` for a deleted one. */
export type Sides<T extends ResourceType> = {
  id: number;
  before: ResourceRows[T] | null;
  after: ResourceRows[T] | null;
};
export type Change<T extends ResourceType> = {
  resource: T;
  id: number;
  accountId: number;
} & (
  | { action: "created"; before: null; after: ResourceRows[T] }
  | {
      action: "updated";
      before: ResourceRows[T];
      after: ResourceRows[T];
      /** The members that differ. */
      changed: readonly (keyof ResourceRows[T])[];
    }
  | { action: "deleted"; before: ResourceRows[T]; after: null }
);
/** A change of an account's tier. */
type HealthChange = {
  resource: "account";
  action: "health_changed";
  id: number;
  accountId: number;
  before: { tier: string | null; score: number | null };
  after: { tier: string | null; score: number | null };
};
export type ResourceChange = { [T in ResourceType]: Change<T> }[ResourceType];
/** A change of how the organization computes scores. */
type SettingsChange = {
  resource: "health_settings";
  action: "updated";
  id: number;
  accountId: null;
  before: object;
  after: object;
};
export type AnyChange = ResourceChange | HealthChange | SettingsChange;
/** The `accountId` of stored changes that belong to no account. */
export const NO_ACCOUNT = 0;

const insertChangeRow = insert("changes.insert", {
  into: changes,
  values: {
    ...inputs(changes, "sequence", "resource", "action", "resourceId", "accountId", "changedAt"),
    ...inputs(changes, "actorType", "keyId", "keyName", "requestId", "before", "after"),
  },
});

/**
 * Appends changes with the organization's next sequence numbers. A number belongs to the transaction, so that
 * a rollback leaves no gap. `changedAt` is `tx.now`, which never decreases within a process.
 */
export async function insertChanges(tx: ChangeWriter, changes: readonly AnyChange[]): Promise<void> {
  const { actor, requestId } = tx.caller;
  for (const change of changes) {
    const sequence = await tx.nextSequence();
    await tx.run(insertChangeRow, {
      sequence,
      resource: change.resource,
      action: change.action,
      resourceId: change.id,
      accountId: change.accountId ?? NO_ACCOUNT,
      changedAt: tx.now,
      actorType: actor.type,
      keyId: actor.type === "key" ? actor.id : null,
      keyName: actor.type === "key" ? actor.name : null,
      requestId,
      ...storedMembers(change),
    });
    const left = accountLeftBy(change);
    if (left !== undefined) await tx.run(addToIndex, { accountId: left, sequence });
    if (sequence % indexedBlockSize === 0) await indexBlockUpTo(tx, sequence);
  }
}

/** The account that a row left, whose history has the change, too. */
function accountLeftBy({ action, accountId, before }: AnyChange): number | undefined {
  if (action !== "updated" || !("accountId" in before)) return undefined;
  return before.accountId === accountId ? undefined : before.accountId;
}

type ChangeWriter = TenantWriter & { now: number; caller: Caller };

/** `before` and `after` as JSON; of an update, only the members and the attributes that differ. */
function storedMembers(change: AnyChange): { before: string | null; after: string | null } {
  const { before, after } = change;
  if (change.action !== "updated" || change.resource === "health_settings")
    return { before: before && allMembers(before), after: after && allMembers(after) };
  const [old, updated] = [change.before, change.after];
  if (!("attributes" in old && "attributes" in updated) || old.attributes === updated.attributes)
    return { before: changedMembers(old, change), after: changedMembers(updated, change) };
  const attributes = differingAttributes(old.attributes, updated.attributes);
  return {
    before: changedMembers({ ...old, attributes: attributes.before }, change),
    after: changedMembers({ ...updated, attributes: attributes.after }, change),
  };
}

/** Without `attributes` if there are none: stored changes of such rows may have none. */
function allMembers(row: object & { attributes?: string; memberTimes?: string | null }): string {
  const { attributes, memberTimes: _, ...members } = row;
  if (attributes === undefined || attributes === NO_ATTRIBUTES) return JSON.stringify(members);
  return JSON.stringify({ ...members, attributes: parseAttributes(attributes) });
}

/** Faster than `JSON.stringify` with the names as its replacer. */
function changedMembers(row: Readonly<Record<string, unknown>>, { changed }: { changed: readonly string[] }) {
  const members: Record<string, unknown> = {};
  for (const name of changed) members[name] = row[name];
  return JSON.stringify(members);
}
