import { and, asc, eq, gt, sql } from "drizzle-orm";
import {
  contains,
  inputs,
  integerInput,
  largerOf,
  smallerOf,
  sumOf,
  textInput,
} from "../../db/expressions.ts";
import { events, unmatchedIds } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { maxPendingMilliseconds } from "../core/event-limits.ts";
import { defineList } from "../core/list-query.ts";
import type { TenantTransaction } from "../core/tenant.ts";
import { insert, remove, select, update } from "../core/tenant-statements.ts";
import { addUsage } from "../usage/store.ts";

/** Events, and bytes of events, that are attached between two pauses: a few milliseconds. */
const batchSize = 2_000;
const batchBytes = 1_000_000;

/** The condition that an event is pending under the input `externalId`. */
export const hasExternalId = eq(events.externalId, textInput("externalId"));
/** The assignment that ends the pending state of an event. */
export const clearExternalId = { externalId: sql`null` };
export const unmatchedByExternalId = eq(unmatchedIds.externalId, textInput("externalId"));
const upsertUnmatched = insert("unmatchedIds.add", {
  into: unmatchedIds,
  values: inputs(unmatchedIds, "externalId", "count", "firstAt", "lastAt"),
  onConflict: {
    target: [unmatchedIds.organizationId, unmatchedIds.externalId],
    set: {
      count: sumOf(unmatchedIds.count),
      firstAt: smallerOf(unmatchedIds.firstAt),
      lastAt: largerOf(unmatchedIds.lastAt),
    },
  },
});
const deleteUnmatched = remove("unmatchedIds.delete", { from: unmatchedIds, where: unmatchedByExternalId });

type PendingEvent = { externalId?: string | undefined; timestamp: number };

/** Adds pending events to the totals of their external ids. */
export async function recordPending(tx: TenantTransaction, pending: readonly PendingEvent[]): Promise<void> {
  for (const [externalId = "", batch] of Map.groupBy(pending, (event) => event.externalId)) {
    const times = batch.map(({ timestamp }) => timestamp);
    const [firstAt, lastAt] = [Math.min(...times), Math.max(...times)];
    await tx.run(upsertUnmatched, { externalId, count: batch.length, firstAt, lastAt });
  }
}

const pendingEvents = select("events.pendingOf", {
  fields: {
    id: events.id,
    event: events.event,
    userId: events.userId,
    at: events.timestamp,
    size: sql<number>`coalesce(octet_length(${events.properties}), 0)`,
  },
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

/** Attaches the pending events of an external id to an account. Returns whether there were any. */
export async function attachPendingEvents(
  tx: TenantTransaction,
  accountId: number,
  externalId: string,
): Promise<boolean> {
  if ((await tx.run(deleteUnmatched, { externalId })) === 0) return false;
  const page = {
    externalId,
    receivedAfter: tx.retentionTime - maxPendingMilliseconds,
    limit: batchSize,
    offset: 0,
  };
  for (let hasMore = true; hasMore; ) {
    const rows = await tx.all(pendingEvents, page);
    const batch = limitBytes(rows);
    await addUsage(
      tx,
      batch.map((event) => ({ ...event, accountId })),
    );
    for (const { id } of batch) await tx.run(attachEvent, { accountId, id });
    hasMore = batch.length < rows.length || rows.length === batchSize;
    // Many events may be pending for one account. Reads run between the batches.
    if (hasMore) await tx.pause();
  }
  await tx.run(clearAll, { externalId });
  return true;
}

/** The first rows, at least one, whose sizes fit into a batch. */
function limitBytes<R extends { size: number }>(rows: R[]): R[] {
  let size = 0;
  const end = rows.findIndex((event, index) => {
    size += event.size;
    return index > 0 && size > batchBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

const fields = {
  id: unmatchedIds.id,
  externalId: unmatchedIds.externalId,
  count: unmatchedIds.count,
  firstAt: unmatchedIds.firstAt,
  lastAt: unmatchedIds.lastAt,
};
export type UnmatchedId = Row<typeof fields>;

/** The external ids of pending events. */
export const unmatchedList = defineList({
  name: "unmatchedIds.list",
  from: unmatchedIds,
  key: unmatchedIds.id,
  fields,
  sortBy: {
    externalId: unmatchedIds.externalId,
    count: unmatchedIds.count,
    firstAt: unmatchedIds.firstAt,
    lastAt: unmatchedIds.lastAt,
  },
  defaultOrder: ["externalId", "asc"],
  filters: { search: contains(unmatchedIds.externalId, textInput("search")) },
});
