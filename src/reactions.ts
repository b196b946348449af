import { countChangedAccount } from "./account-counts/counts.ts";
import { markScoresStale } from "./account-counts/stale-scores.ts";
import { storeAttributeValues } from "./core/attributes/values.ts";
import type { Change, Sides } from "./core/changes/changes.ts";
import { deleterOfAccountRows } from "./core/resource/account-rows.ts";
import type { Reaction, TenantTransaction } from "./core/tenant/transaction.ts";
import { enqueueAccountDeletion } from "./deletions/accounts.ts";
import { attachPendingEvents } from "./events/attach.ts";
import { markFactorKnown } from "./health-scores/settings.ts";
import { attachPendingTraits } from "./ingest/attach-traits.ts";
import { deleteLastSeenOfAccount } from "./last-seen/store.ts";
import { subResources } from "./resources.ts";
import { type ResourceType, subResourceNames } from "./shared/resources.ts";

/** A reaction to changes of one resource, or to one action. Reactions to a delete run before the row is deleted. */
function defineReaction<T extends ResourceType>(
  name: string,
  resource: T,
  react: (tx: TenantTransaction, change: Change<T>) => Promise<void> | undefined,
  action?: Reaction["action"],
): Reaction {
  // Safe: `TenantTransaction.changed` passes changes of its resource only.
  return { name, resource, action, react: react as Reaction["react"] };
}

/**
 * The reactions to changes of resources. They run in this order, in the transaction of the change. Features that do
 * not import each other are connected here.
 */
export const reactions: readonly Reaction[] = [
  defineReaction("attributes of an account", "account", (tx, change) =>
    storeAttributeValues(tx, "account", change),
  ),
  defineReaction("attributes of a contact", "contact", (tx, change) =>
    storeAttributeValues(tx, "contact", change),
  ),
  defineReaction("account counts", "account", countChangedAccount),
  defineReaction("pending events", "account", (tx, change) => {
    if (takesExternalId(change)) attachPendingEvents(tx, change.after.externalId, change.id);
    return undefined;
  }),
  defineReaction("pending traits", "account", (tx, change) => {
    if (takesExternalId(change)) attachPendingTraits(tx, change.after.externalId, change.id);
    return undefined;
  }),
  defineReaction("stale score after a meeting", "meeting", markStaleScores),
  defineReaction("stale score after a request", "request", markStaleScores),
  defineReaction("known factor of meetings", "meeting", (tx) => markFactorKnown(tx, "meeting"), "created"),
  defineReaction("known factor of requests", "request", (tx) => markFactorKnown(tx, "request"), "created"),
  ...[
    ...subResourceNames.map((name) => ({ name, deleteRows: deleterOfAccountRows(subResources[name].table) })),
    { name: "last-seen", deleteRows: deleteLastSeenOfAccount },
    { name: "events and usage", deleteRows: enqueueAccountDeletion },
  ].map(({ name, deleteRows }) =>
    defineReaction(`${name} of a deleted account`, "account", (tx, { id }) => deleteRows(tx, id), "deleted"),
  ),
];

/** Whether the account gets an external id by the change. */
function takesExternalId<C extends Sides<"account">>(
  change: C,
): change is C & { after: { externalId: string } } {
  const externalId = change.after?.externalId ?? null;
  return externalId !== null && externalId !== change.before?.externalId;
}

/** The score of the account of a row, and of both accounts of a row that moved. */
function markStaleScores(
  tx: TenantTransaction,
  { before, after }: Sides<"meeting"> | Sides<"request">,
): Promise<void> {
  return markScoresStale(tx, [...new Set([before, after].flatMap((row) => row?.accountId ?? []))]);
}
