import { asc, eq, isNotNull, lt, lte, max, min, type SQL, sql } from "drizzle-orm";
import { allOf, inputs, integerInput, isOutside, pick, textInput } from "../../db/expressions.ts";
import { events, unmatchedIds } from "../../db/schema.ts";
import { findAttachingIds, isAttachingEvents } from "../core/attaching-events.ts";
import { type DueCondition, firstValue } from "../core/due-jobs.ts";
import { maxPendingMilliseconds } from "../core/event-limits.ts";
import { readBatchSize, writeBatchSize } from "../core/pauses.ts";
import { aggregateOf, remove, select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { markDaysExpiring } from "../usage/expiry.ts";
import type { UsageRecord } from "../usage/store.ts";
import { eventBytes, limitBytes } from "./batch-bytes.ts";
import { deleteUnusedKey, isKeyUnused } from "./message-ids.ts";
import { areUnmatched, clearExternalId, deleteUnmatched } from "./pending.ts";

const receivedFields = {
  ...pick(events, "id", "accountId", "externalId", "event", "userId", "receivedAt"),
  at: events.timestamp,
  size: eventBytes,
};
const isPending = isNotNull(events.externalId);
const byId = asc(events.id);
const orderBy = [byId];
const oldestPending = select("events.oldestPending", {
  fields: receivedFields,
  from: events,
  where: isPending,
  orderBy,
  paged: true,
});
const isOldUpTo = [
  lte(events.id, integerInput("lastId")),
  lt(events.receivedAt, integerInput("before")),
] as const;
const expireUpTo = update("events.expireUpTo", {
  table: events,
  set: clearExternalId,
  where: allOf(isPending, ...isOldUpTo),
});
const isOfUnmatched = eq(events.externalId, unmatchedIds.externalId);
const pendingTimes = select("unmatchedIds.pendingTimes", {
  fields: {
    externalId: unmatchedIds.externalId,
    firstAt: aggregateOf(min(events.timestamp), { from: events, where: isOfUnmatched }),
    lastAt: aggregateOf(max(events.timestamp), { from: events, where: isOfUnmatched }),
  },
  from: unmatchedIds,
  where: areUnmatched,
});
const decrementUnmatched = update("unmatchedIds.decrement", {
  table: unmatchedIds,
  set: {
    ...inputs(unmatchedIds, "firstAt", "lastAt"),
    count: sql`${unmatchedIds.count} - ${integerInput("expired")}`,
  },
  where: eq(unmatchedIds.externalId, textInput("externalId")),
  key: ["externalId"],
});

const pendingLimits = (now: number): Limits => ({ now, before: now - maxPendingMilliseconds + 1 });
export const pendingEventsDue: DueCondition = {
  isDue: isFirstOld(isPending, "pendingBefore"),
  inputs: ({ retentionTime }) => ({ pendingBefore: pendingLimits(retentionTime).before }),
};

/** Job: expires one batch of events that were pending for too long. Returns whether there may be more. */
export async function expirePendingEvents(tenant: Tenant): Promise<boolean> {
  const limits = pendingLimits(tenant.retentionTime);
  const found = await tenant.read((snapshot) => oldRows(snapshot, oldestPending, limits));
  return found.length > 0 && tenant.write((tx) => expireBatch(tx, limits));
}

async function expireBatch(tx: TenantTransaction, limits: Limits): Promise<boolean> {
  const expired = await oldRows(tx, oldestPending, limits);
  await tx.run(expireUpTo, { lastId: expired.at(-1)?.id ?? 0, before: limits.before });
  const byExternalId = Map.groupBy(expired, (event) => event.externalId);
  const ids = { externalIds: JSON.stringify([...byExternalId.keys()]) };
  const ended: string[] = [];
  for (const { externalId, firstAt, lastAt } of await tx.all(pendingTimes, ids)) {
    const expired = byExternalId.get(externalId)?.length ?? 0;
    if (firstAt === null || lastAt === null) ended.push(externalId);
    else await tx.run(decrementUnmatched, { externalId, firstAt, lastAt, expired });
  }
  if (ended.length > 0) await tx.run(deleteUnmatched, { externalIds: JSON.stringify(ended) });
  return expired.length > 0;
}

const oldest = select("events.oldest", { fields: receivedFields, from: events, orderBy, paged: true });
const deleteUpTo = remove("events.deleteUpTo", {
  from: events,
  where: allOf(...isOldUpTo),
});

const eventLimits = (now: number, days: number): Limits => ({ now, before: now - days * millisecondsOfDay });
export const oldEventsDue: DueCondition = {
  isDue: sql`(${isFirstOld(undefined, "eventsBefore")} or ${isKeyUnused})`,
  inputs: ({ retentionTime, eventDays }) => ({ eventsBefore: eventLimits(retentionTime, eventDays).before }),
};

/**
 * Job: deletes one batch of events that were received more than `days` days ago; their totals stay. Deletes the key of
 * message ids when no event has a hash of it. Returns whether there may be more.
 */
export function removeOldEvents(tenant: Tenant, days: number): Promise<boolean> {
  const limits = eventLimits(tenant.retentionTime, days);
  return tenant.write(async (tx) => {
    const old = await oldRows(tx, oldest, limits);
    await markDaysExpiring(tx, old.filter(hasAccount));
    await tx.run(deleteUpTo, { lastId: old.at(-1)?.id ?? 0, before: limits.before });
    await deleteUnusedKey(tx);
    return old.length > 0;
  });
}

/** `now` and the time before which an event is too old, both by `Tenant.retentionTime`. */
type Limits = { now: number; before: number };

/** The condition that `oldRows` looks at more than the first event. */
function isFirstOld(where: SQL | undefined, before: string): SQL {
  return firstValue(isOutside(events.receivedAt, before, "retentionTime"), {
    from: events,
    where,
    orderBy: byId,
  });
}

/**
 * At most one batch of the events that were received before a time, up to the first one that is being attached. The
 * events are in the order of receipt, but not in the order of their times: the clock may have been wrong.
 */
async function oldRows(
  snapshot: TenantSnapshot,
  statement: typeof oldest | typeof oldestPending,
  { now, before }: Limits,
) {
  const [first] = await snapshot.all(statement, { limit: 1, offset: 0 });
  if (!first || (first.receivedAt >= before && first.receivedAt <= now)) return [];
  // While the clock was ahead, others were received before the first one.
  const limit = first.receivedAt > now ? readBatchSize : writeBatchSize;
  const rows = await snapshot.all(statement, { limit, offset: 0 });
  const old = rows.filter(({ receivedAt }) => receivedAt < before).slice(0, writeBatchSize);
  return beforeAttachment(snapshot, limitBytes(old));
}

/** The events before the first one whose id is being attached. */
async function beforeAttachment<R extends { externalId: string | null }>(
  snapshot: TenantSnapshot,
  rows: R[],
): Promise<R[]> {
  if (!(await isAttachingEvents(snapshot))) return rows;
  const ids = JSON.stringify(rows.flatMap(({ externalId }) => externalId ?? []));
  const attaching = await findAttachingIds(snapshot, ids);
  const first = rows.findIndex(({ externalId }) => externalId !== null && attaching.has(externalId));
  return first === -1 ? rows : rows.slice(0, first);
}

function hasAccount<R extends { accountId: number | null }>(
  event: R,
): event is R & Pick<UsageRecord, "accountId"> {
  return event.accountId !== null;
}
