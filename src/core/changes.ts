import { desc } from "drizzle-orm";
import { inputs } from "../../db/expressions.ts";
import {
  type accounts,
  changes,
  type contacts,
  type featureRequests,
  type meetings,
} from "../../db/schema.ts";
import type { Caller } from "./caller.ts";
import { insert, select, type TenantWriter } from "./tenant-statements.ts";

/** The resources whose changes are recorded. */
export const resourceTypes = ["account", "contact", "meeting", "request"] as const;
export type ResourceType = (typeof resourceTypes)[number];

export const changeActions = ["created", "updated", "deleted", "health_changed"] as const;
export type ChangeAction = (typeof changeActions)[number];

/** The columns that callers see; the others are derived or internal. */
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
/** The rows of each resource, as its store reads them. */
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
  | { action: "updated"; before: ResourceRows[T]; after: ResourceRows[T] }
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
/** The end of an organization's change log. */
export type LastChange = { sequence: number; changedAt: number };

const last = select("changes.last", {
  fields: { sequence: changes.sequence, changedAt: changes.changedAt },
  from: changes,
  orderBy: [desc(changes.sequence)],
  paged: true,
});
const insertChange = insert("changes.insert", {
  into: changes,
  values: inputs(
    changes,
    "sequence",
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
});

/** The newest change of the organization; `sequence` 0 when there is none. */
export async function readLastChange(tx: TenantWriter): Promise<LastChange> {
  const [newest] = await tx.all(last, { limit: 1, offset: 0 });
  return newest ?? { sequence: 0, changedAt: 0 };
}

/**
 * Inserts a change after `previous`, the newest one, which the transaction has read: a rollback leaves no gap.
 * `changedAt` never goes back within an organization.
 */
export async function insertChangeAfter(
  tx: TenantWriter & { now: number; caller: Caller },
  previous: LastChange,
  change: AnyChange,
): Promise<LastChange> {
  const { actor, requestId } = tx.caller;
  const next = { sequence: previous.sequence + 1, changedAt: Math.max(tx.now, previous.changedAt) };
  await tx.run(insertChange, {
    ...next,
    resource: change.resource,
    action: change.action,
    resourceId: change.id,
    accountId: change.accountId,
    actorType: actor.type,
    keyId: actor.type === "key" ? actor.id : null,
    keyName: actor.type === "key" ? actor.name : null,
    requestId,
    ...storedMembers(change),
  });
  return next;
}

/** The JSON of both sides: of an update only the members that differ. */
function storedMembers({ before, after }: AnyChange): { before: string | null; after: string | null } {
  if (before === null || after === null) return { before: stringify(before), after: stringify(after) };
  // Safe: both sides are objects of stored values.
  const [old, updated] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = Object.keys(old).filter((name) => old[name] !== updated[name]);
  return { before: stringify(pick(old, names)), after: stringify(pick(updated, names)) };
}

function pick(row: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function stringify(row: object | null): string | null {
  return row === null ? null : JSON.stringify(row);
}
