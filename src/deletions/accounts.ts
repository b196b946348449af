import { asc, eq, lt, lte, max } from "drizzle-orm";
import { allOf, inputs, integerInput } from "../../db/expressions.ts";
import { accountDeletions, events } from "../../db/schema.ts";
import { type DueCondition, hasRow } from "../core/due-jobs.ts";
import { maxBatchBytes, readBatchSize } from "../core/pauses.ts";
import { insert, remove, select, selectAfter, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { eventBytes } from "../events/batch-bytes.ts";
import { deleteScoresOfAccount } from "../health-scores/history.ts";
import { deleteUsageOfAccount } from "../usage/expiry.ts";

/** Events to delete in one transaction. With fewer, more steps would read the same events again. */
const maxDeletedEvents = 200;

const enqueue = insert("accountDeletions.insert", {
  into: accountDeletions,
  values: inputs(accountDeletions, "accountId", "lastEventId"),
});
const nextDeletions = select("accountDeletions.next", {
  fields: { accountId: accountDeletions.accountId, lastEventId: accountDeletions.lastEventId },
  from: accountDeletions,
  orderBy: [asc(accountDeletions.accountId)],
  paged: true,
});
const saveProgress = update("accountDeletions.saveProgress", {
  table: accountDeletions,
  set: inputs(accountDeletions, "lastEventId"),
  where: allOf(
    lte(accountDeletions.accountId, integerInput("lastAccountId")),
    lt(accountDeletions.lastEventId, integerInput("lastEventId")),
  ),
});
const finish = remove("accountDeletions.delete", {
  from: accountDeletions,
  where: eq(accountDeletions.accountId, integerInput("accountId")),
});

/** Registers a deleted account, whose events, usage and scores a job deletes in steps: there may be millions. */
export async function enqueueAccountDeletion(tx: TenantTransaction, accountId: number): Promise<void> {
  await tx.run(enqueue, { accountId, lastEventId: 0 });
}

// An index of events by account would make each event more expensive, so all events are read, in order of receipt.
const eventsAfter = selectAfter("accountDeletions.events", {
  fields: { id: events.id, accountId: events.accountId, size: eventBytes },
  from: events,
});
const lastEvent = select("accountDeletions.lastEvent", { fields: { id: max(events.id) }, from: events });
const deleteEvent = remove("accountDeletions.deleteEvent", {
  from: events,
  where: eq(events.id, integerInput("id")),
  key: ["id"],
});

export const accountDeletionsDue: DueCondition = { isDue: hasRow({ from: accountDeletions }) };

/** Job: deletes one batch of the events, usage and scores of deleted accounts. Returns whether there may be more. */
export function finishAccountDeletions(tenant: Tenant): Promise<boolean> {
  return tenant.write(deleteBatch, { isBulk: true });
}

async function deleteBatch(tx: TenantTransaction): Promise<boolean> {
  // The events of several accounts are deleted together: each deletion would read all events of the organization.
  const deletions = await tx.all(nextDeletions, { limit: readBatchSize, offset: 0 });
  const [first] = deletions;
  if (!first) return false;
  if (await deleteEvents(tx, deletions)) return true;
  if (await deleteUsageOfAccount(tx, first.accountId)) return true;
  await deleteScoresOfAccount(tx, first.accountId);
  await tx.run(finish, { accountId: first.accountId });
  return true;
}

type Deletion = { accountId: number; lastEventId: number };

/** Deletes the accounts' events among the next events of all accounts. Returns false when there are no more events. */
async function deleteEvents(tx: TenantTransaction, deletions: readonly Deletion[]): Promise<boolean> {
  const last = (await tx.first(lastEvent, {}))?.id ?? 0;
  let checkedId = Math.min(...deletions.map(({ lastEventId }) => lastEventId));
  if (last <= checkedId) return false;
  const accountIds = new Set<number | null>(deletions.map(({ accountId }) => accountId));
  let [deletedCount, deletedBytes] = [0, 0];
  for (const event of await tx.all(eventsAfter, { lastId: checkedId, limit: readBatchSize, offset: 0 })) {
    if (deletedCount >= maxDeletedEvents || deletedBytes >= maxBatchBytes) break;
    if (accountIds.has(event.accountId)) {
      await tx.run(deleteEvent, { id: event.id });
      deletedCount += 1;
      deletedBytes += event.size;
    }
    checkedId = event.id;
  }
  const lastAccountId = Math.max(...deletions.map(({ accountId }) => accountId));
  await tx.run(saveProgress, { lastAccountId, lastEventId: checkedId });
  // Later events cannot name these accounts, so new ones do not prolong the deletion.
  return checkedId < last;
}
