import { asc, desc, isNotNull, lte, sql } from "drizzle-orm";
import { events, unmatchedIds } from "../../db/schema.ts";
import { allOf, inputs, integerInput } from "../../db/statements.ts";
import { type OwnRows, type OwnWriter, remove, select, type Tenant, update } from "../core/tenant.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { expireUsers } from "../usage/expiry.ts";
import type { Use } from "../usage/store.ts";
import { noLongerParked, ofExternalId, ofUnmatched, parkedFor } from "./pending.ts";

/** How many events are ended or removed at once: some milliseconds of the writer's time, also if all are large. */
const step = 100;

const received = {
  id: events.id,
  accountId: events.accountId,
  externalId: events.externalId,
  event: events.event,
  userId: events.userId,
  at: events.timestamp,
  receivedAt: events.receivedAt,
};
const isParked = isNotNull(events.externalId);
const orderBy = [asc(events.id)];
const oldestParked = select({ fields: received, from: events, where: isParked, orderBy, paged: true });
const endUpTo = update({
  table: events,
  set: noLongerParked,
  where: allOf(isParked, lte(events.id, integerInput("lastId"))),
});
const [first, latest] = [edge(asc), edge(desc)];
const lessen = update({
  table: unmatchedIds,
  set: { ...inputs("firstAt", "lastAt"), count: sql`${unmatchedIds.count} - ${integerInput("ended")}` },
  where: ofUnmatched,
});
const forget = remove({ from: unmatchedIds, where: ofUnmatched });

function edge(direction: typeof asc) {
  return select({
    fields: { at: events.timestamp },
    from: events,
    where: ofExternalId,
    orderBy: [direction(events.timestamp)],
    paged: true,
  });
}

/** Ends events that have waited too long for an account, some of them. Returns whether there may be more. */
export async function endParkedEvents(tenant: Tenant): Promise<boolean> {
  if (!(await isParkedTooLong(tenant.rows, tenant.now))) return false;
  return tenant.write((rows) => endSome(rows, tenant.now));
}

async function isParkedTooLong(rows: OwnRows, now: number): Promise<boolean> {
  const [next] = await rows.all(oldestParked, { limit: 1, offset: 0 });
  return next !== undefined && next.receivedAt <= now - parkedFor;
}

async function endSome(rows: OwnWriter, now: number): Promise<boolean> {
  const before = now - parkedFor + 1;
  const over = receivedBefore(await rows.all(oldestParked, { limit: step, offset: 0 }), before);
  await rows.run(endUpTo, { lastId: over.at(-1)?.id ?? 0 });
  for (const [externalId, some] of Map.groupBy(over, (event) => event.externalId)) {
    const [from] = await rows.all(first, { externalId, limit: 1, offset: 0 });
    const [to] = await rows.all(latest, { externalId, limit: 1, offset: 0 });
    if (!from || !to) await rows.run(forget, { externalId });
    else await rows.run(lessen, { externalId, ended: some.length, firstAt: from.at, lastAt: to.at });
  }
  return over.length === step;
}

const oldest = select({ fields: received, from: events, orderBy, paged: true });
const removeUpTo = remove({ from: events, where: lte(events.id, integerInput("lastId")) });

/**
 * Removes events that were received more than `days` days ago, some of them; what is counted of them stays.
 * Returns whether there may be more.
 */
export async function removeOldEvents(tenant: Tenant, days: number): Promise<boolean> {
  const before = tenant.now - days * millisecondsOfDay;
  const [next] = await tenant.rows.all(oldest, { limit: 1, offset: 0 });
  if (!next || next.receivedAt >= before) return false;
  return tenant.write(async (rows) => {
    const old = receivedBefore(await rows.all(oldest, { limit: step, offset: 0 }), before);
    await expireUsers(rows, old.filter(isUse));
    await rows.run(removeUpTo, { lastId: old.at(-1)?.id ?? 0 });
    return old.length === step;
  });
}

/** The first of the events, which are in the order of receipt, as far as they were received before. */
function receivedBefore<Event extends { receivedAt: number }>(some: Event[], before: number): Event[] {
  const fresh = some.findIndex(({ receivedAt }) => receivedAt >= before);
  return fresh === -1 ? some : some.slice(0, fresh);
}

function isUse<Event extends { accountId: number | null }>(
  event: Event,
): event is Event & Pick<Use, "accountId"> {
  return event.accountId !== null;
}
