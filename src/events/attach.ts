import { asc, eq, gte, max, sql } from "drizzle-orm";
import { allOf, inputs, integerInput, isInJson, pick, textInput } from "../../db/expressions.ts";
import { attachments, events, unmatchedIds } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { isAttaching, isAttachingAny } from "../core/attachments.ts";
import type { DueCondition } from "../core/due-jobs.ts";
import { maxPendingMilliseconds } from "../core/event-limits.ts";
import { findAccount } from "../core/resource/account-reference.ts";
import { insert, remove, select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { markScoresStale } from "../health-scores/stale.ts";
import { addUsage } from "../usage/store.ts";
import { areUnmatched, clearExternalId, deleteUnmatched, hasExternalId } from "./pending.ts";

/** The most events that one transaction attaches to the accounts that take their `externalId`. */
const maxEventsAtOnce = 2_000;
/** The entry of a transaction's cache with the number of events that it has attached. */
const ATTACHED_COUNT = "attached events";
/** Bytes of events that are attached between two pauses: a few milliseconds. */
const maxBatchBytes = 1_000_000;

const columns = ["externalId", "lastEventId", "accountId", "count", "expiredAt", "nextTimestamp"] as const;
const attachmentFields = pick(attachments, ...columns);
type Attachment = Row<typeof attachmentFields>;

const unmatchedCounts = select("unmatchedIds.counts", {
  fields: pick(unmatchedIds, "externalId", "count"),
  from: unmatchedIds,
  where: areUnmatched,
});
const nextEvents = select("attachments.events", {
  fields: {
    ...pick(events, "id", "event", "userId", "receivedAt"),
    at: events.timestamp,
    /** In bytes. */
    size: sql<number>`coalesce(octet_length(${events.properties}), 0)`,
  },
  from: events,
  where: allOf(hasExternalId, gte(events.timestamp, integerInput("nextTimestamp"))),
  orderBy: [asc(events.timestamp), asc(events.id)],
  paged: true,
});
const areEvents = isInJson(events.id, textInput("ids"));
const assignEvents = update("events.attach", {
  table: events,
  set: { ...inputs(events, "accountId"), ...clearExternalId },
  where: areEvents,
});
const expireEvents = update("attachments.expireEvents", {
  table: events,
  set: clearExternalId,
  where: areEvents,
});
const deleteEvents = remove("attachments.deleteEvents", { from: events, where: areEvents });
const lastEvent = select("attachments.lastEvent", { fields: { id: max(events.id) }, from: events });
const insertAttachment = insert("attachments.insert", {
  into: attachments,
  values: inputs(attachments, ...columns),
});

/**
 * Attaches the pending events of external ids to the accounts that take them. Events beyond 2,000 in the transaction
 * are registered for the job that attaches them in steps. Returns the ids of the accounts that have new events.
 */
export async function attachPendingEvents(
  tx: TenantTransaction,
  accountIds: ReadonlyMap<string, number>,
): Promise<number[]> {
  const externalIds = JSON.stringify([...accountIds.keys()]);
  if (!(await tx.findRare(unmatchedCounts, { externalIds }))) return [];
  const unmatched = await tx.all(unmatchedCounts, { externalIds });
  await tx.run(deleteUnmatched, { externalIds });
  const attached: number[] = [];
  for (const { externalId, count } of unmatched) {
    const accountId = accountIds.get(externalId);
    if (accountId !== undefined && (await attachUnmatched(tx, { accountId, externalId, count })))
      attached.push(accountId);
  }
  return attached;
}

/** Returns whether events were attached. */
async function attachUnmatched(
  tx: TenantTransaction,
  { accountId, externalId, count }: Pick<Attachment, "accountId" | "externalId" | "count">,
): Promise<boolean> {
  const expiredAt = tx.retentionTime - maxPendingMilliseconds;
  const lastEventId = (await tx.first(lastEvent, {}))?.id ?? 0;
  let rest: Attachment | undefined = {
    ...{ externalId, lastEventId, accountId, count, expiredAt, nextTimestamp: 0 },
  };
  const attachedCount = Number(tx.cache.get(ATTACHED_COUNT) ?? 0) + count;
  // While events of the same id are attached to another account, the new ones cannot be found without reading those.
  if (attachedCount > maxEventsAtOnce || (await isAttaching(tx, externalId))) {
    await tx.run(insertAttachment, rest);
    return false;
  }
  tx.cache.set(ATTACHED_COUNT, attachedCount);
  while (rest) {
    rest = await attachPage(tx, rest, maxEventsAtOnce);
    if (rest) await tx.pause();
  }
  return true;
}

/**
 * Attaches the next events, at most `limit` and about a megabyte, or deletes them if the account was deleted. Expired
 * ones belong to no account. Returns what is left.
 */
async function attachPage(
  tx: TenantTransaction,
  attachment: Attachment,
  limit: number,
): Promise<Attachment | undefined> {
  const { accountId, lastEventId, expiredAt } = attachment;
  const batch = limitBytes(await tx.all(nextEvents, { ...attachment, limit, offset: 0 }));
  const pending = batch.filter(({ id }) => id <= lastEventId);
  const { expired = [], valid = [] } = Object.groupBy(pending, ({ receivedAt }) =>
    receivedAt > expiredAt ? "valid" : "expired",
  );
  if (expired.length > 0) await tx.run(expireEvents, { ids: idsOf(expired) });
  if (valid.length > 0) {
    const isDeleted = (await findAccount(tx, { accountId })) === undefined;
    await (isDeleted ? tx.run(deleteEvents, { ids: idsOf(valid) }) : attachEvents(tx, accountId, valid));
  }
  const count = attachment.count - pending.length;
  const last = batch.at(-1);
  if (count <= 0 || !last) return undefined;
  // After an event that was received later, all further ones with its timestamp were, too: none is read again.
  return { ...attachment, count, nextTimestamp: last.id > lastEventId ? last.at + 1 : last.at };
}

type AttachedEvent = { id: number; event: string; userId: string | null; at: number };

/** Attaches pending events to an account and adds them to its usage. */
async function attachEvents(
  tx: TenantTransaction,
  accountId: number,
  batch: readonly AttachedEvent[],
): Promise<void> {
  await addUsage(
    tx,
    batch.map((event) => ({ ...event, accountId })),
  );
  await tx.run(assignEvents, { accountId, ids: idsOf(batch) });
}

function idsOf(rows: readonly { id: number }[]): string {
  return JSON.stringify(rows.map(({ id }) => id));
}

/** The first rows, at least one, whose sizes fit into a batch. */
function limitBytes<R extends { size: number }>(rows: R[]): R[] {
  let size = 0;
  const end = rows.findIndex((event, index) => {
    size += event.size;
    return index > 0 && size > maxBatchBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** Events to read in one transaction: a few milliseconds. */
const batchSize = 200;

// Of several attachments of one id, the first one has the oldest events.
const nextAttachment = select("attachments.next", {
  fields: attachmentFields,
  from: attachments,
  orderBy: [asc(attachments.externalId), asc(attachments.lastEventId)],
  paged: true,
});
const isAttachment = allOf(
  eq(attachments.externalId, textInput("externalId")),
  eq(attachments.lastEventId, integerInput("lastEventId")),
);
const saveProgress = update("attachments.saveProgress", {
  table: attachments,
  set: inputs(attachments, "count", "nextTimestamp"),
  where: isAttachment,
});
const finish = remove("attachments.delete", { from: attachments, where: isAttachment });

export const attachmentsDue: DueCondition = { isDue: isAttachingAny };

/** Job: attaches one batch of the events that were pending for accounts. Returns whether there may be more. */
export function attachNextEvents(tenant: Tenant): Promise<boolean> {
  return tenant.write(attachBatch, { isBulk: true });
}

async function attachBatch(tx: TenantTransaction): Promise<boolean> {
  const [next] = await tx.all(nextAttachment, { limit: 1, offset: 0 });
  if (!next) return false;
  const rest = await attachPage(tx, next, batchSize);
  if (rest) await tx.run(saveProgress, rest);
  else {
    await tx.run(finish, next);
    // Once, for all events: a score of a part of them could be in another tier.
    await markScoresStale(tx, [next.accountId]);
  }
  return true;
}
