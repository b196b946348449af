import { asc, desc, isNotNull, lte, sql } from "drizzle-orm";
import { allOf, inputs, integerInput } from "../../db/expressions.ts";
import { events, unmatchedIds } from "../../db/schema.ts";
import { maxPendingMilliseconds } from "../core/event-limits.ts";
import type { Tenant, TenantTransaction } from "../core/tenant.ts";
import { remove, select, update } from "../core/tenant-statements.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { markDaysExpiring } from "../usage/expiry.ts";
import type { UsageRecord } from "../usage/store.ts";
import { clearExternalId, hasExternalId, unmatchedByExternalId } from "./pending.ts";

/** Events to expire or delete in one transaction: a few milliseconds, even if all are large. */
const batchSize = 100;

const receivedFields = {
  id: events.id,
  accountId: events.accountId,
  externalId: events.externalId,
  event: events.event,
  userId: events.userId,
  at: events.timestamp,
  receivedAt: events.receivedAt,
};
const isPending = isNotNull(events.externalId);
const orderBy = [asc(events.id)];
const oldestPending = select("events.oldestPending", {
  fields: receivedFields,
  from: events,
  where: isPending,
  orderBy,
  paged: true,
});
const expireUpTo = update("events.expireUpTo", {
  table: events,
  set: clearExternalId,
  where: allOf(isPending, lte(events.id, integerInput("lastId"))),
});
const earliestOf = firstOf("events.earliestOf", asc);
const latestOf = firstOf("events.latestOf", desc);
const decrementUnmatched = update("unmatchedIds.decrement", {
  table: unmatchedIds,
  set: {
    ...inputs(unmatchedIds, "firstAt", "lastAt"),
    count: sql`${unmatchedIds.count} - ${integerInput("expired")}`,
  },
  where: unmatchedByExternalId,
});
const deleteUnmatched = remove("unmatchedIds.deleteEmpty", {
  from: unmatchedIds,
  where: unmatchedByExternalId,
});

function firstOf(name: string, direction: typeof asc) {
  return select(name, {
    fields: { at: events.timestamp },
    from: events,
    where: hasExternalId,
    orderBy: [direction(events.timestamp)],
    paged: true,
  });
}

/** Job: expires one batch of events that were pending for too long. Returns whether there may be more. */
export async function expirePendingEvents(tenant: Tenant): Promise<boolean> {
  const [next] = await tenant.read((snapshot) => snapshot.all(oldestPending, { limit: 1, offset: 0 }));
  if (!next || next.receivedAt > tenant.now - maxPendingMilliseconds) return false;
  return tenant.write(expireBatch);
}

async function expireBatch(tx: TenantTransaction): Promise<boolean> {
  const before = tx.now - maxPendingMilliseconds + 1;
  const expired = receivedBefore(await tx.all(oldestPending, { limit: batchSize, offset: 0 }), before);
  await tx.run(expireUpTo, { lastId: expired.at(-1)?.id ?? 0 });
  for (const [externalId, batch] of Map.groupBy(expired, (event) => event.externalId)) {
    const [first] = await tx.all(earliestOf, { externalId, limit: 1, offset: 0 });
    const [last] = await tx.all(latestOf, { externalId, limit: 1, offset: 0 });
    const values = { externalId, expired: batch.length };
    if (!first || !last) await tx.run(deleteUnmatched, { externalId });
    else await tx.run(decrementUnmatched, { ...values, firstAt: first.at, lastAt: last.at });
  }
  return expired.length === batchSize;
}

const oldest = select("events.oldest", { fields: receivedFields, from: events, orderBy, paged: true });
const deleteUpTo = remove("events.deleteUpTo", {
  from: events,
  where: lte(events.id, integerInput("lastId")),
});

/**
 * Job: deletes one batch of events that were received more than `days` days ago; their totals stay. Returns whether
 * there may be more.
 */
export async function removeOldEvents(tenant: Tenant, days: number): Promise<boolean> {
  const before = tenant.now - days * millisecondsOfDay;
  const [next] = await tenant.read((snapshot) => snapshot.all(oldest, { limit: 1, offset: 0 }));
  if (!next || next.receivedAt >= before) return false;
  return tenant.write(async (tx) => {
    const old = receivedBefore(await tx.all(oldest, { limit: batchSize, offset: 0 }), before);
    await markDaysExpiring(tx, old.filter(hasAccount));
    await tx.run(deleteUpTo, { lastId: old.at(-1)?.id ?? 0 });
    return old.length === batchSize;
  });
}

/** The leading rows, which are in the order of receipt, that were received before a timestamp. */
function receivedBefore<R extends { receivedAt: number }>(rows: R[], before: number): R[] {
  const end = rows.findIndex(({ receivedAt }) => receivedAt >= before);
  return end === -1 ? rows : rows.slice(0, end);
}

function hasAccount<R extends { accountId: number | null }>(
  event: R,
): event is R & Pick<UsageRecord, "accountId"> {
  return event.accountId !== null;
}
