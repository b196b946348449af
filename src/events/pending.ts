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
import { listing } from "../core/list-query.ts";
import { insert, type OwnWriter, remove, select, update } from "../core/tenant.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { countUses } from "../usage/store.ts";

/** How long, in milliseconds, an event waits for an account to take its externalId. */
export const parkedFor = 30 * millisecondsOfDay;
/** How many events, of how many bytes, are attached at once: some milliseconds in which nobody is answered. */
const step = 2_000;
const stepSize = 1_000_000;

/** The condition that an event is parked under the input's external id. */
export const ofExternalId = eq(events.externalId, textInput("externalId"));
/** What an event is given that is parked no longer. */
export const noLongerParked = { externalId: sql`null` };
const noteUnmatched = insert({
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
export const ofUnmatched = eq(unmatchedIds.externalId, textInput("externalId"));
const forgetUnmatched = remove({ from: unmatchedIds, where: ofUnmatched });

type Waiting = { externalId?: string | undefined; timestamp: number };

/** Notes the external ids of events that are parked, within the caller's transaction. */
export async function notePark(rows: OwnWriter, waiting: readonly Waiting[]): Promise<void> {
  for (const [externalId = "", some] of Map.groupBy(waiting, (one) => one.externalId)) {
    const times = some.map(({ timestamp }) => timestamp);
    const [firstAt, lastAt] = [Math.min(...times), Math.max(...times)];
    await rows.run(noteUnmatched, { externalId, count: some.length, firstAt, lastAt });
  }
}

const waiting = select({
  fields: {
    id: events.id,
    event: events.event,
    userId: events.userId,
    at: events.timestamp,
    size: sql<number>`coalesce(octet_length(${events.properties}), 0)`,
  },
  from: events,
  where: and(ofExternalId, gt(events.receivedAt, integerInput("endedAt"))),
  orderBy: [asc(events.timestamp), asc(events.id)],
  paged: true,
});
const attach = update({
  table: events,
  set: { ...inputs("accountId"), ...noLongerParked },
  where: eq(events.id, integerInput("id")),
});
const endAll = update({ table: events, set: noLongerParked, where: ofExternalId });

/**
 * Gives an account the events that waited for the external id that it takes, within the caller's
 * transaction. Returns whether any id waited.
 */
export async function attachParked(
  rows: OwnWriter,
  accountId: number,
  externalId: string,
  now: number,
): Promise<boolean> {
  if ((await rows.run(forgetUnmatched, { externalId })) === 0) return false;
  const next = { externalId, endedAt: now - parkedFor, limit: step, offset: 0 };
  for (let isMore = true; isMore; ) {
    const read = await rows.all(waiting, next);
    const some = upToSize(read);
    await countUses(
      rows,
      some.map((use) => ({ ...use, accountId })),
    );
    for (const { id } of some) await rows.run(attach, { accountId, id });
    isMore = some.length < read.length || read.length === step;
    // Many events may wait for one account, and those who read do not wait for them.
    if (isMore) await rows.pause();
  }
  await rows.run(endAll, { externalId });
  return true;
}

/** The first of the events, as many as are not too large together, and one in any case. */
function upToSize<Event extends { size: number }>(some: Event[]): Event[] {
  let size = 0;
  const end = some.findIndex((event, index) => {
    size += event.size;
    return index > 0 && size > stepSize;
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
export const listUnmatched = listing({
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
