import { moveAccountCount } from "./accounts/counts.ts";
import { deleteContactsOfAccount } from "./contacts/store.ts";
import { reaction } from "./core/reactions.ts";
import type { Reaction } from "./core/tenant.ts";
import { enqueueAccountDeletion } from "./deletions/accounts.ts";
import { attachPendingEvents } from "./events/pending.ts";
import { deleteFeatureRequestsOfAccount } from "./feature-requests/store.ts";
import { markScoreStale } from "./health-scores/stale.ts";
import { deleteLastSeenOfAccount } from "./last-seen/store.ts";
import { deleteMeetingsOfAccount } from "./meetings/store.ts";

/**
 * What follows from each change of a resource, in the same transaction and in this order. Features do not call each
 * other: they meet here.
 */
export const reactions: readonly Reaction[] = [
  reaction("account counts", "account", async (tx, { before, after }) => {
    if (before?.status !== after?.status)
      await moveAccountCount(tx, before?.status ?? null, after?.status ?? null);
  }),
  reaction("index of account names", "account", async (tx, { id, before, after }) => {
    const isIndexed =
      before?.name !== after?.name ||
      before?.externalId !== after?.externalId ||
      before?.status !== after?.status;
    if (isIndexed) tx.markAccountChanged(id);
  }),
  reaction("stale score of an account", "account", async (tx, { id, before, after }) => {
    if (!after) return;
    const isScored = before
      ? before.status !== after.status || before.contactActivityAt !== after.contactActivityAt
      : after.contactActivityAt !== null;
    if (isScored) await markScoreStale(tx, id);
  }),
  reaction("pending events", "account", async (tx, { id, before, after }) => {
    if (!after || after.externalId === null || after.externalId === before?.externalId) return;
    if (await attachPendingEvents(tx, id, after.externalId)) await markScoreStale(tx, id);
  }),
  reaction("stale score after a meeting", "meeting", async (tx, { before, after }) => {
    for (const accountId of accountsOf(before, after)) await markScoreStale(tx, accountId);
  }),
  reaction("stale score after a request", "request", async (tx, { before, after }) => {
    for (const accountId of accountsOf(before, after)) await markScoreStale(tx, accountId);
  }),
  ...[
    { name: "contacts", deleteRows: deleteContactsOfAccount },
    { name: "meetings", deleteRows: deleteMeetingsOfAccount },
    { name: "requests", deleteRows: deleteFeatureRequestsOfAccount },
    { name: "last-seen", deleteRows: deleteLastSeenOfAccount },
    { name: "events and usage", deleteRows: enqueueAccountDeletion },
  ].map(({ name, deleteRows }) =>
    reaction(`${name} of a deleted account`, "account", async (tx, { id, after }) => {
      if (!after) await deleteRows(tx, id);
    }),
  ),
];

function accountsOf(...rows: ({ accountId: number } | null)[]): Set<number> {
  return new Set(rows.flatMap((row) => row?.accountId ?? []));
}
