import { and, asc, eq, gt, sql } from "drizzle-orm";
import { events, unmatchedIds } from "../../db/schema.ts";
import {
  allOf,
  contains,
  inputs,
  integerInput,
  isAfter,
  largerOf,
  type Row,
  smallerOf,
  sumOf,
  textInput,
} from "../../db/statements.ts";
import { listing } from "../listing.ts";
import { insert, type OwnWriter, remove, select, update } from "../tenant.ts";
import { millisecondsOfDay } from "../timestamps.ts";
import { countUses } from "../usage/store.ts";

/** How long, in milliseconds, an event waits for an account to take its externalId. */
export const parkedFor = 30 * millisecondsOfDay;
/** How many events are read, or ended, at once. */
const step = 500;

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
  fields: { id: events.id, event: events.event, userId: events.userId, at: events.timestamp },
  from: events,
  where: and(
    ofExternalId,
    gt(events.receivedAt, integerInput("endedAt")),
    isAfter([events.timestamp, events.id], [integerInput("lastAt"), integerInput("lastId")], "asc"),
  ),
  orderBy: [asc(events.timestamp), asc(events.id)],
  paged: true,
});
const attach = update({
  table: events,
  set: { ...inputs("accountId"), ...noLongerParked },
  where: allOf(ofExternalId, gt(events.receivedAt, integerInput("endedAt"))),
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
  const asked = { externalId, endedAt: now - parkedFor, limit: step, offset: 0 };
  let last = { at: Number.MIN_SAFE_INTEGER, id: 0 };
  for (let some = [last]; some.length > 0; ) {
    const uses = await rows.all(waiting, { ...asked, lastAt: last.at, lastId: last.id });
    await countUses(
      rows,
      uses.map((use) => ({ ...use, accountId })),
    );
    last = uses.at(-1) ?? last;
    some = uses;
  }
  await rows.run(attach, { accountId, externalId, endedAt: asked.endedAt });
  await rows.run(endAll, { externalId });
  return true;
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
