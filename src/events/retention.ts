import { asc, desc, isNotNull, lte, sql } from "drizzle-orm";
import { events, unmatchedIds } from "../../db/schema.ts";
import { allOf, inputs, integerInput } from "../../db/statements.ts";
import {
  remove,
  select,
  type Tenant,
  type TenantSnapshot,
  type TenantTransaction,
  update,
} from "../core/tenant.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { markDaysExpiring } from "../usage/expiry.ts";
import type { UsageRecord } from "../usage/store.ts";
import { clearExternalId, hasExternalId, maxPendingAge, unmatchedByExternalId } from "./pending.ts";

/** How many events are ended or removed at once: some milliseconds of the writer's time, also if all are large. */
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
const oldestPending = select({
  fields: receivedFields,
  from: events,
  where: isPending,
  orderBy,
  paged: true,
});
const expireUpTo = update({
  table: events,
  set: clearExternalId,
  where: allOf(isPending, lte(events.id, integerInput("lastId"))),
});
const [oldestOf, newestOf] = [oldestOrNewest(asc), oldestOrNewest(desc)];
const decrementUnmatched = update({
  table: unmatchedIds,
  set: { ...inputs("firstAt", "lastAt"), count: sql`${unmatchedIds.count} - ${integerInput("ended")}` },
  where: unmatchedByExternalId,
});
const deleteUnmatchedId = remove({ from: unmatchedIds, where: unmatchedByExternalId });

function oldestOrNewest(direction: typeof asc) {
  return select({
    fields: { at: events.timestamp },
    from: events,
    where: hasExternalId,
    orderBy: [direction(events.timestamp)],
    paged: true,
  });
}

/** Ends events that have waited too long for an account, some of them. Returns whether there may be more. */
export async function expirePendingEvents(tenant: Tenant): Promise<boolean> {
  if (!(await hasExpiredEvents(tenant.rows, tenant.now))) return false;
  return tenant.write((tx) => expireBatch(tx, tenant.now));
}

async function hasExpiredEvents(snapshot: TenantSnapshot, now: number): Promise<boolean> {
  const [next] = await snapshot.all(oldestPending, { limit: 1, offset: 0 });
  return next !== undefined && next.receivedAt <= now - maxPendingAge;
}

async function expireBatch(tx: TenantTransaction, now: number): Promise<boolean> {
  const before = now - maxPendingAge + 1;
  const over = receivedBefore(await tx.all(oldestPending, { limit: batchSize, offset: 0 }), before);
  await tx.run(expireUpTo, { lastId: over.at(-1)?.id ?? 0 });
  for (const [externalId, some] of Map.groupBy(over, (event) => event.externalId)) {
    const [from] = await tx.all(oldestOf, { externalId, limit: 1, offset: 0 });
    const [to] = await tx.all(newestOf, { externalId, limit: 1, offset: 0 });
    if (!from || !to) await tx.run(deleteUnmatchedId, { externalId });
    else
      await tx.run(decrementUnmatched, { externalId, ended: some.length, firstAt: from.at, lastAt: to.at });
  }
  return over.length === batchSize;
}

const oldest = select({ fields: receivedFields, from: events, orderBy, paged: true });
const removeUpTo = remove({ from: events, where: lte(events.id, integerInput("lastId")) });

/**
 * Removes events that were received more than `days` days ago, some of them; what is counted of them stays.
 * Returns whether there may be more.
 */
export async function removeOldEvents(tenant: Tenant, days: number): Promise<boolean> {
  const before = tenant.now - days * millisecondsOfDay;
  const [next] = await tenant.rows.all(oldest, { limit: 1, offset: 0 });
  if (!next || next.receivedAt >= before) return false;
  return tenant.write(async (tx) => {
    const old = receivedBefore(await tx.all(oldest, { limit: batchSize, offset: 0 }), before);
    await markDaysExpiring(tx, old.filter(hasAccount));
    await tx.run(removeUpTo, { lastId: old.at(-1)?.id ?? 0 });
    return old.length === batchSize;
  });
}

/** The first of the events, which are in the order of receipt, as far as they were received before. */
function receivedBefore<Event extends { receivedAt: number }>(some: Event[], before: number): Event[] {
  const fresh = some.findIndex(({ receivedAt }) => receivedAt >= before);
  return fresh === -1 ? some : some.slice(0, fresh);
}

function hasAccount<Event extends { accountId: number | null }>(
  event: Event,
): event is Event & Pick<UsageRecord, "accountId"> {
  return event.accountId !== null;
}
