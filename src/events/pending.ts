import { and, asc, eq, gt, sql } from "drizzle-orm";
import { events, unmatchedIds } from "../../db/schema.ts";
import {
  contains,
  inputs,
  integerInput,
  largerOf,
  type Row,
  smallerOf,
  sumOf,
  textInput,
} from "../../db/statements.ts";
import { defineList } from "../core/list-query.ts";
import { insert, remove, select, type TenantTransaction, update } from "../core/tenant.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { addUsage } from "../usage/store.ts";

/** How long, in milliseconds, an event waits for an account to take its externalId. */
export const maxPendingAge = 30 * millisecondsOfDay;
/** How many events, of how many bytes, are attached at once: some milliseconds in which nobody is answered. */
const attachBatchSize = 2_000;
const attachBatchBytes = 1_000_000;

/** The condition that an event is parked under the input's external id. */
export const hasExternalId = eq(events.externalId, textInput("externalId"));
/** What an event is given that is parked no longer. */
export const clearExternalId = { externalId: sql`null` };
const upsertUnmatched = insert({
  into: unmatchedIds,
  values: inputs("externalId", "count", "firstAt", "lastAt"),
  onConflict: {
    target: [unmatchedIds.organizationId, unmatchedIds.externalId],
    set: {
      count: sumOf(unmatchedIds.count),
      firstAt: smallerOf(unmatchedIds.firstAt),
      lastAt: largerOf(unmatchedIds.lastAt),
    },
  },
});
export const unmatchedByExternalId = eq(unmatchedIds.externalId, textInput("externalId"));
const deleteUnmatched = remove({ from: unmatchedIds, where: unmatchedByExternalId });

type PendingEvent = { externalId?: string | undefined; timestamp: number };

/** Notes the external ids of events that are parked, within the caller's transaction. */
export async function recordPending(tx: TenantTransaction, waiting: readonly PendingEvent[]): Promise<void> {
  for (const [externalId = "", some] of Map.groupBy(waiting, (one) => one.externalId)) {
    const times = some.map(({ timestamp }) => timestamp);
    const [firstAt, lastAt] = [Math.min(...times), Math.max(...times)];
    await tx.run(upsertUnmatched, { externalId, count: some.length, firstAt, lastAt });
  }
}

const pendingEvents = select({
  fields: {
    id: events.id,
    event: events.event,
    userId: events.userId,
    at: events.timestamp,
    size: sql<number>`coalesce(octet_length(${events.properties}), 0)`,
  },
  from: events,
  where: and(hasExternalId, gt(events.receivedAt, integerInput("endedAt"))),
  orderBy: [asc(events.timestamp), asc(events.id)],
  paged: true,
});
const attachEvent = update({
  table: events,
  set: { ...inputs("accountId"), ...clearExternalId },
  where: eq(events.id, integerInput("id")),
});
const clearAll = update({ table: events, set: clearExternalId, where: hasExternalId });

/**
 * Gives an account the events that waited for the external id that it takes, within the caller's
 * transaction. Returns whether any id waited.
 */
export async function attachPendingEvents(
  tx: TenantTransaction,
  accountId: number,
  externalId: string,
  now: number,
): Promise<boolean> {
  if ((await tx.run(deleteUnmatched, { externalId })) === 0) return false;
  const next = { externalId, endedAt: now - maxPendingAge, limit: attachBatchSize, offset: 0 };
  for (let isMore = true; isMore; ) {
    const read = await tx.all(pendingEvents, next);
    const some = takeUpToBytes(read);
    await addUsage(
      tx,
      some.map((use) => ({ ...use, accountId })),
    );
    for (const { id } of some) await tx.run(attachEvent, { accountId, id });
    isMore = some.length < read.length || read.length === attachBatchSize;
    // Many events may wait for one account, and those who read do not wait for them.
    if (isMore) await tx.pause();
  }
  await tx.run(clearAll, { externalId });
  return true;
}

/** The first of the events, as many as are not too large together, and one in any case. */
function takeUpToBytes<Event extends { size: number }>(some: Event[]): Event[] {
  let size = 0;
  const end = some.findIndex((event, index) => {
    size += event.size;
    return index > 0 && size > attachBatchBytes;
  });
  return end === -1 ? some : some.slice(0, end);
}

const fields = {
  id: unmatchedIds.id,
  externalId: unmatchedIds.externalId,
  count: unmatchedIds.count,
  firstAt: unmatchedIds.firstAt,
  lastAt: unmatchedIds.lastAt,
};
export type UnmatchedId = Row<typeof fields>;

/** A page of the external ids that parked events name. */
export const listUnmatched = defineList({
  from: unmatchedIds,
  key: unmatchedIds.id,
  fields,
  sortBy: {
    externalId: unmatchedIds.externalId,
    count: unmatchedIds.count,
    firstAt: unmatchedIds.firstAt,
    lastAt: unmatchedIds.lastAt,
  },
  order: ["externalId", "asc"],
  filters: { search: contains(unmatchedIds.externalId, textInput("search")) },
});
