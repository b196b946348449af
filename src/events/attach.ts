import { asc, eq, gte, max } from "drizzle-orm";
import { allOf, inputs, integerInput, isInJson, pick, textInput } from "../../db/expressions.ts";
import { attachments, events, unmatchedIds } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { markScoresStale } from "../account-counts/stale-scores.ts";
import {
  attachBeforeEnd,
  findAttachingIds,
  isAttachingAny,
  type TakenIds,
} from "../core/attaching-events.ts";
import type { DueCondition } from "../core/due-jobs.ts";
import { maxPendingMilliseconds } from "../core/event-limits.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { findAccounts } from "../core/resource/account-reference.ts";
import { insert, remove, select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { addUsage } from "../usage/store.ts";
import { eventBytes, limitBytes } from "./batch-bytes.ts";
import { areUnmatched, clearExternalId, deleteUnmatched, hasExternalId } from "./pending.ts";

/** The most events that one transaction attaches to the accounts that take their `externalId`. */
const maxEventsAtOnce = 2_000;

const columns = ["externalId", "lastEventId", "accountId", "count", "expiredAt", "nextTimestamp"] as const;
const progressFields = pick(attachments, ...columns);
type AttachProgress = Row<typeof progressFields>;

const unmatchedCounts = select("unmatchedIds.counts", {
  fields: pick(unmatchedIds, "externalId", "count"),
  from: unmatchedIds,
  where: areUnmatched,
});
const eventFields = {
  ...pick(events, "id", "event", "userId", "receivedAt", "externalId"),
  at: events.timestamp,
  size: eventBytes,
};
const eventsOfIds = select("attachments.eventsOfIds", {
  fields: eventFields,
  from: events,
  where: isInJson(events.externalId, textInput("externalIds")),
});
const nextEvents = select("attachments.events", {
  fields: eventFields,
  from: events,
  where: allOf(hasExternalId, gte(events.timestamp, integerInput("nextTimestamp"))),
  orderBy: [asc(events.timestamp), asc(events.id)],
  paged: true,
});
const areEvents = isInJson(events.id, textInput("ids"));
const assignEvent = update("events.attach", {
  table: events,
  set: { ...inputs(events, "accountId"), ...clearExternalId },
  where: eq(events.id, integerInput("id")),
  key: ["id"],
});
const expireEvents = update("attachments.expireEvents", {
  table: events,
  set: clearExternalId,
  where: areEvents,
});
const deleteEvents = remove("attachments.deleteEvents", { from: events, where: areEvents });
const lastEvent = select("attachments.lastEvent", { fields: { id: max(events.id) }, from: events });
const insertProgress = insert("attachments.insert", {
  into: attachments,
  values: inputs(attachments, ...columns),
});

/**
 * Attaches the pending events of an external id to the account that takes it, before the transaction ends. Events beyond
 * 2,000 of all its accounts are registered for the job that attaches them in steps.
 */
export function attachPendingEvents(tx: TenantTransaction, externalId: string, accountId: number): void {
  attachBeforeEnd(tx, "pending events", { externalId, accountId }, attachTaken);
}

async function attachTaken(tx: TenantTransaction, taken: TakenIds): Promise<void> {
  const externalIds = JSON.stringify([...taken.keys()]);
  const unmatched = await tx.allRare(unmatchedCounts, { externalIds }, taken.size);
  if (unmatched.length === 0) return;
  await tx.run(deleteUnmatched, { externalIds });
  // While events of an id are attached to another account, the new ones cannot be found without reading the others.
  const attaching = await findAttachingIds(tx, externalIds);
  const lastEventId = (await tx.first(lastEvent, {}))?.id ?? 0;
  const expiredAt = tx.retentionTime - maxPendingMilliseconds;
  const accountOf = (externalId: string | null) => taken.get(externalId ?? "") ?? 0;
  let eventCount = 0;
  const atOnce: string[] = [];
  for (const { externalId, count } of unmatched) {
    if (eventCount + count > maxEventsAtOnce || attaching.has(externalId)) {
      const accountId = accountOf(externalId);
      const progress = { externalId, lastEventId, accountId, count, expiredAt, nextTimestamp: 0 };
      await tx.run(insertProgress, progress);
    } else {
      eventCount += count;
      atOnce.push(externalId);
    }
  }
  if (atOnce.length === 0) return;
  let rest = await tx.all(eventsOfIds, { externalIds: JSON.stringify(atOnce) });
  while (rest.length > 0) {
    const batch = limitBytes(rest);
    rest = rest.slice(batch.length);
    const assigned = batch.map((event) => ({ ...event, accountId: accountOf(event.externalId) }));
    await attachEvents(tx, assigned, expiredAt);
    if (rest.length > 0) await tx.pause();
  }
  await markScoresStale(tx, atOnce.map(accountOf));
}

/**
 * Attaches the next batch of events, or deletes them if the account was deleted. Expired ones belong to no
 * account. Returns what is left.
 */
async function attachPage(
  tx: TenantTransaction,
  progress: AttachProgress,
): Promise<AttachProgress | undefined> {
  const { accountId, lastEventId, expiredAt } = progress;
  const batch = limitBytes(await tx.all(nextEvents, { ...progress, limit: writeBatchSize, offset: 0 }));
  const pending = batch.filter(({ id }) => id <= lastEventId);
  await attachEvents(
    tx,
    pending.map((event) => ({ ...event, accountId })),
    expiredAt,
  );
  const count = progress.count - pending.length;
  const last = batch.at(-1);
  if (count <= 0 || !last) return undefined;
  // After an event that was received later, all further ones with its timestamp were, too: none is read again.
  return { ...progress, count, nextTimestamp: last.id > lastEventId ? last.at + 1 : last.at };
}

type TakenEvent = {
  id: number;
  event: string;
  userId: string | null;
  at: number;
  receivedAt: number;
  accountId: number;
};

/**
 * Attaches pending events to accounts and adds them to their usage. Deletes the events of a deleted account. An event that
 * was received until `expiredAt` belongs to no account.
 */
async function attachEvents(
  tx: TenantTransaction,
  pending: readonly TakenEvent[],
  expiredAt: number,
): Promise<void> {
  const expired = pending.filter(({ receivedAt }) => receivedAt <= expiredAt);
  const valid = pending.filter(({ receivedAt }) => receivedAt > expiredAt);
  const accountOf = await findAccounts(tx, valid);
  const [attached, deleted] = [
    valid.filter((event) => accountOf(event) !== undefined),
    valid.filter((event) => accountOf(event) === undefined),
  ];
  if (expired.length > 0) await tx.run(expireEvents, { ids: idsOf(expired) });
  if (deleted.length > 0) await tx.run(deleteEvents, { ids: idsOf(deleted) });
  if (attached.length === 0) return;
  await addUsage(tx, attached);
  for (const { id, accountId } of attached) await tx.run(assignEvent, { id, accountId });
}

function idsOf(rows: readonly { id: number }[]): string {
  return JSON.stringify(rows.map(({ id }) => id));
}

// Of several rows of one id, the first one has the oldest events.
const nextProgress = select("attachments.next", {
  fields: progressFields,
  from: attachments,
  orderBy: [asc(attachments.externalId), asc(attachments.lastEventId)],
  paged: true,
});
const isProgress = allOf(
  eq(attachments.externalId, textInput("externalId")),
  eq(attachments.lastEventId, integerInput("lastEventId")),
);
const saveProgress = update("attachments.saveProgress", {
  table: attachments,
  set: inputs(attachments, "count", "nextTimestamp"),
  where: isProgress,
});
const finish = remove("attachments.delete", { from: attachments, where: isProgress });

export const attachingDue: DueCondition = { isDue: isAttachingAny };

/** Job: attaches one batch of the events that were pending for accounts. Returns whether there may be more. */
export function attachNextEvents(tenant: Tenant): Promise<boolean> {
  return tenant.write(attachBatch, { isBulk: true });
}

async function attachBatch(tx: TenantTransaction): Promise<boolean> {
  const [next] = await tx.all(nextProgress, { limit: 1, offset: 0 });
  if (!next) return false;
  const rest = await attachPage(tx, next);
  if (rest) await tx.run(saveProgress, rest);
  else {
    await tx.run(finish, next);
    // Once, for all events: a score of a part of them could be in another tier.
    await markScoresStale(tx, [next.accountId]);
  }
  return true;
}
