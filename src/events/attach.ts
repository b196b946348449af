import { and, asc, eq, gt, max, sql } from "drizzle-orm";
import { inputs, integerInput } from "../../db/expressions.ts";
import { attachments, events, unmatchedIds } from "../../db/schema.ts";
import { isAttaching } from "../core/attachments.ts";
import { maxPendingMilliseconds } from "../core/event-limits.ts";
import { insert, remove, select, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/tenant.ts";
import { addUsage } from "../usage/store.ts";
import { clearExternalId, hasExternalId, unmatchedByExternalId } from "./pending.ts";

/** The most events that one transaction attaches to the accounts that take their `externalId`. */
const maxEventsAtOnce = 2_000;
/** The number of events that a transaction has attached. */
const attachedCounts = new WeakMap<TenantTransaction, number>();
/** Bytes of events that are attached between two pauses: a few milliseconds. */
const maxBatchBytes = 1_000_000;

const unmatchedCount = select("unmatchedIds.count", {
  fields: { count: unmatchedIds.count },
  from: unmatchedIds,
  where: unmatchedByExternalId,
});
const anyUnmatched = select("unmatchedIds.any", {
  fields: { id: unmatchedIds.id },
  from: unmatchedIds,
  paged: true,
});
const deleteUnmatched = remove("unmatchedIds.delete", { from: unmatchedIds, where: unmatchedByExternalId });
/** What is read of a pending event to attach it. `size` is in bytes. */
export const pendingFields = {
  id: events.id,
  event: events.event,
  userId: events.userId,
  at: events.timestamp,
  size: sql<number>`coalesce(octet_length(${events.properties}), 0)`,
};
const pendingEvents = select("events.pendingOf", {
  fields: pendingFields,
  from: events,
  where: and(hasExternalId, gt(events.receivedAt, integerInput("receivedAfter"))),
  orderBy: [asc(events.timestamp), asc(events.id)],
  paged: true,
});
const attachEvent = update("events.attach", {
  table: events,
  set: { ...inputs(events, "accountId"), ...clearExternalId },
  where: eq(events.id, integerInput("id")),
});
const clearAll = update("events.clearExternalId", {
  table: events,
  set: clearExternalId,
  where: hasExternalId,
});
const lastEvent = select("attachments.lastEvent", { fields: { id: max(events.id) }, from: events });
const insertAttachment = insert("attachments.insert", {
  into: attachments,
  values: inputs(
    attachments,
    "externalId",
    "lastEventId",
    "accountId",
    "count",
    "expiredAt",
    "nextTimestamp",
  ),
});

/** Of transactions with several external ids: whether the organization has pending events. */
const anyPending = new WeakMap<TenantTransaction, boolean | undefined>();

/** Whether an external id can have pending events. From the second call in a transaction on, reads it for all ids. */
async function mayHavePending(tx: TenantTransaction): Promise<boolean> {
  const known = anyPending.get(tx);
  if (known !== undefined) return known;
  const hasAny = anyPending.has(tx)
    ? (await tx.all(anyUnmatched, { limit: 1, offset: 0 })).length > 0
    : undefined;
  anyPending.set(tx, hasAny);
  return hasAny ?? true;
}

/**
 * Attaches the pending events of an external id to an account. Those that would be more than 2,000 in the transaction
 * are registered for the job that attaches them in steps. Returns whether events were attached.
 */
export async function attachPendingEvents(
  tx: TenantTransaction,
  accountId: number,
  externalId: string,
): Promise<boolean> {
  if (!(await mayHavePending(tx))) return false;
  const unmatched = await tx.findRare(unmatchedCount, { externalId });
  if (!unmatched) return false;
  await tx.run(deleteUnmatched, { externalId });
  const { count } = unmatched;
  const expiredAt = tx.retentionTime - maxPendingMilliseconds;
  const attachedCount = (attachedCounts.get(tx) ?? 0) + count;
  // While events of the same id are attached to another account, the new ones cannot be found without reading those.
  if (attachedCount <= maxEventsAtOnce && !(await isAttaching(tx, externalId))) {
    attachedCounts.set(tx, attachedCount);
    await attachAll(tx, accountId, externalId, expiredAt);
    return true;
  }
  const lastEventId = (await tx.first(lastEvent, {}))?.id ?? 0;
  const attachment = { externalId, lastEventId, accountId, count, expiredAt, nextTimestamp: 0 };
  await tx.run(insertAttachment, attachment);
  return false;
}

/** Attaches the pending events of the id, at most 2,000, except expired ones. Reads run between the batches. */
async function attachAll(
  tx: TenantTransaction,
  accountId: number,
  externalId: string,
  receivedAfter: number,
): Promise<void> {
  const page = { externalId, receivedAfter, limit: maxEventsAtOnce, offset: 0 };
  for (let hasMore = true; hasMore; ) {
    const rows = await tx.all(pendingEvents, page);
    const batch = limitBytes(rows);
    await attachEvents(tx, accountId, batch);
    hasMore = batch.length < rows.length;
    if (hasMore) await tx.pause();
  }
  await tx.run(clearAll, { externalId });
}

type AttachedEvent = { id: number; event: string; userId: string | null; at: number };

/** Attaches pending events to an account and adds them to its usage. */
export async function attachEvents(
  tx: TenantTransaction,
  accountId: number,
  batch: readonly AttachedEvent[],
): Promise<void> {
  await addUsage(
    tx,
    batch.map((event) => ({ ...event, accountId })),
  );
  for (const { id } of batch) await tx.run(attachEvent, { accountId, id });
}

/** The first rows, at least one, whose sizes fit into a batch. */
export function limitBytes<R extends { size: number }>(rows: R[]): R[] {
  let size = 0;
  const end = rows.findIndex((event, index) => {
    size += event.size;
    return index > 0 && size > maxBatchBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
