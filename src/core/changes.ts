import { sql } from "drizzle-orm";
import { inputs, integerInput } from "../../db/expressions.ts";
import {
  type accounts,
  changes,
  type contacts,
  type featureRequests,
  type meetings,
} from "../../db/schema.ts";
import type { Caller } from "./caller.ts";
import { insert, type TenantWriter } from "./tenant-statements.ts";

/** The resources whose changes are recorded. */
export const resourceTypes = ["account", "contact", "meeting", "request"] as const;
export type ResourceType = (typeof resourceTypes)[number];

export const changeActions = ["created", "updated", "deleted", "health_changed"] as const;
export type ChangeAction = (typeof changeActions)[number];

/** The columns that callers see. The others are derived or internal. */
type Visible<T extends { $inferSelect: unknown }> = Omit<
  T["$inferSelect"],
  | "organizationId"
  | "foldedName"
  | "foldedExternalId"
  | "foldedEmail"
  | "foldedTitle"
  | "score"
  | "tier"
  | "coverage"
  | "rank"
  | "scoreStaleAt"
>;
/** The row of each resource, as its store reads it. */
export type ResourceRows = {
  account: Visible<typeof accounts>;
  contact: Visible<typeof contacts>;
  meeting: Visible<typeof meetings>;
  request: Visible<typeof featureRequests>;
};

/** One change of one row; `before` is null for a created row, `after` for a deleted one. */
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
export type HealthChange = {
  resource: "account";
  action: "health_changed";
  id: number;
  accountId: number;
  before: { tier: string | null; score: number | null };
  after: { tier: string | null; score: number | null };
};
export type ResourceChange = { [T in ResourceType]: Change<T> }[ResourceType];
export type AnyChange = ResourceChange | HealthChange;

const newest = sql`select ${changes.sequence} from ${changes} where ${changes.organizationId} = ${integerInput("organizationId")} order by ${changes.sequence} desc limit 1`;
const insertChangeRow = insert("changes.insert", {
  into: changes,
  values: {
    sequence: sql`coalesce((${newest}), 0) + 1`,
    ...inputs(
      changes,
      "resource",
      "action",
      "resourceId",
      "accountId",
      "changedAt",
      "actorType",
      "keyId",
      "keyName",
      "requestId",
      "before",
      "after",
    ),
  },
});

/**
 * Appends a change with the organization's next sequence number. The number is read in the transaction, so that a
 * rollback leaves no gap. `changedAt` is `tx.now`, which never decreases within a process.
 */
export async function insertChange(
  tx: TenantWriter & { now: number; caller: Caller },
  change: AnyChange,
): Promise<void> {
  const { actor, requestId } = tx.caller;
  await tx.run(insertChangeRow, {
    resource: change.resource,
    action: change.action,
    resourceId: change.id,
    accountId: change.accountId,
    changedAt: tx.now,
    actorType: actor.type,
    keyId: actor.type === "key" ? actor.id : null,
    keyName: actor.type === "key" ? actor.name : null,
    requestId,
    ...storedMembers(change),
  });
}

/** `before` and `after` as JSON; of an update, only the members that differ. */
function storedMembers(change: AnyChange): { before: string | null; after: string | null } {
  const { before, after } = change;
  const names = change.action === "updated" ? [...change.changed] : undefined;
  // With an array as its replacer, JSON.stringify keeps only the members named in it.
  return {
    before: before === null ? null : JSON.stringify(before, names),
    after: after === null ? null : JSON.stringify(after, names),
  };
}
