import { countChangedAccount } from "./account-counts/counts.ts";
import { storeAttributeValues } from "./core/attributes/values.ts";
import type { Sides } from "./core/changes/changes.ts";
import { defineReaction } from "./core/changes/reactions.ts";
import { deleterOfAccountRows } from "./core/resource/account-rows.ts";
import type { Reaction, TenantTransaction } from "./core/tenant/transaction.ts";
import { enqueueAccountDeletion } from "./deletions/accounts.ts";
import { attachPendingEvents } from "./events/attach.ts";
import { markScoresStale } from "./health-scores/stale.ts";
import { attachPendingTraits } from "./ingest/attach-traits.ts";
import { deleteLastSeenOfAccount } from "./last-seen/store.ts";
import { subResources } from "./resources.ts";
import { subResourceNames } from "./shared/resources.ts";

/**
 * The reactions to changes of resources. They run in this order, in the transaction of the change. Features that do
 * not import each other are connected here.
 */
export const reactions: readonly Reaction[] = [
  defineReaction("attributes of an account", "account", (tx, sides) =>
    storeAttributeValues(tx, "account", sides),
  ),
  defineReaction("attributes of a contact", "contact", (tx, sides) =>
    storeAttributeValues(tx, "contact", sides),
  ),
  defineReaction("account counts", "account", countChangedAccount),
  defineReaction("stale score of an account", "account", (tx, { id, before, after }) => {
    if (!after) return undefined;
    const isScored = before
      ? before.status !== after.status || before.contactActivityAt !== after.contactActivityAt
      : after.contactActivityAt !== null;
    return isScored ? markScoresStale(tx, [id]) : undefined;
  }),
  defineReaction("pending events", "account", (tx, sides) => {
    const externalId = takenExternalId(sides);
    return externalId === undefined ? undefined : attachEvents(tx, sides.id, externalId);
  }),
  defineReaction("pending traits", "account", (tx, sides) => {
    const externalId = takenExternalId(sides);
    return externalId === undefined ? undefined : attachPendingTraits(tx, externalId);
  }),
  defineReaction("stale score after a meeting", "meeting", markStaleScores),
  defineReaction("stale score after a request", "request", markStaleScores),
  ...[
    ...subResourceNames.map((name) => ({ name, deleteRows: deleterOfAccountRows(subResources[name].table) })),
    { name: "last-seen", deleteRows: deleteLastSeenOfAccount },
    { name: "events and usage", deleteRows: enqueueAccountDeletion },
  ].map(({ name, deleteRows }) =>
    defineReaction(`${name} of a deleted account`, "account", (tx, { id, after }) =>
      after ? undefined : deleteRows(tx, id),
    ),
  ),
];

/** The external id that an account gets by a change. */
function takenExternalId({ before, after }: Sides<"account">): string | undefined {
  const externalId = after?.externalId ?? undefined;
  return externalId === before?.externalId ? undefined : externalId;
}

async function attachEvents(tx: TenantTransaction, accountId: number, externalId: string): Promise<void> {
  if (await attachPendingEvents(tx, accountId, externalId)) await markScoresStale(tx, [accountId]);
}

/** The scores of the account of a row, or of both accounts of one that moved. */
function markStaleScores(
  tx: TenantTransaction,
  { before, after }: Sides<"meeting"> | Sides<"request">,
): Promise<void> {
  return markScoresStale(tx, [...new Set([before, after].flatMap((row) => row?.accountId ?? []))]);
}
