import { asc, eq, gte } from "drizzle-orm";
import { allOf, inputs, integerInput, textInput } from "../../db/expressions.ts";
import { attachments, events } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { hasAttachments, isAttachingAny } from "../core/attachments.ts";
import type { DueCondition } from "../core/due-jobs.ts";
import { findAccount } from "../core/resource/account-reference.ts";
import { remove, select, update } from "../core/tenant/statements.ts";
import type { Tenant, TenantTransaction } from "../core/tenant/tenant.ts";
import { markScoresStale } from "../health-scores/stale.ts";
import { attachEvents, limitBytes, pendingFields } from "./attach.ts";
import { clearExternalId, hasExternalId } from "./pending.ts";

/** Events to read in one transaction: a few milliseconds. */
const batchSize = 200;

const fields = {
  externalId: attachments.externalId,
  lastEventId: attachments.lastEventId,
  accountId: attachments.accountId,
  count: attachments.count,
  expiredAt: attachments.expiredAt,
  nextTimestamp: attachments.nextTimestamp,
};
type Attachment = Row<typeof fields>;

// Of several attachments of one id, the first one has the oldest events.
const nextAttachment = select("attachments.next", {
  fields,
  from: attachments,
  orderBy: [asc(attachments.externalId), asc(attachments.lastEventId)],
  paged: true,
});
const nextEvents = select("attachments.events", {
  fields: { ...pendingFields, receivedAt: events.receivedAt },
  from: events,
  where: allOf(hasExternalId, gte(events.timestamp, integerInput("nextTimestamp"))),
  orderBy: [asc(events.timestamp), asc(events.id)],
  paged: true,
});
const expireEvent = update("attachments.expireEvent", {
  table: events,
  set: clearExternalId,
  where: eq(events.id, integerInput("id")),
});
const deleteEvent = remove("attachments.deleteEvent", {
  from: events,
  where: eq(events.id, integerInput("id")),
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
export async function attachNextEvents(tenant: Tenant): Promise<boolean> {
  if (!(await tenant.readOne(hasAttachments))) return false;
  return tenant.write(attachBatch, { isBulk: true });
}

async function attachBatch(tx: TenantTransaction): Promise<boolean> {
  const [next] = await tx.all(nextAttachment, { limit: 1, offset: 0 });
  if (!next) return false;
  const rows = await tx.all(nextEvents, { ...next, limit: batchSize, offset: 0 });
  const batch = limitBytes(rows);
  const pending = batch.filter(({ id }) => id <= next.lastEventId);
  await endPendingState(tx, next, pending);
  const count = next.count - pending.length;
  const last = batch.at(-1);
  if (count > 0 && last) {
    // After an event that was received later, all further ones with its timestamp were, too: none is read again.
    const nextTimestamp = last.id > next.lastEventId ? last.at + 1 : last.at;
    await tx.run(saveProgress, { ...next, count, nextTimestamp });
  } else {
    await tx.run(finish, next);
    // Once, for all events: a score of a part of them could be in another tier.
    await markScoresStale(tx, [next.accountId]);
  }
  return true;
}

type PendingRow = Row<typeof pendingFields> & { receivedAt: number };

/** Attaches the events to the account, or deletes them if the account was deleted. Expired ones belong to no account. */
async function endPendingState(
  tx: TenantTransaction,
  { accountId, expiredAt }: Attachment,
  pending: readonly PendingRow[],
): Promise<void> {
  const { expired = [], valid = [] } = Object.groupBy(pending, ({ receivedAt }) =>
    receivedAt > expiredAt ? "valid" : "expired",
  );
  for (const { id } of expired) await tx.run(expireEvent, { id });
  if ((await findAccount(tx, { accountId })) !== undefined) await attachEvents(tx, accountId, valid);
  else for (const { id } of valid) await tx.run(deleteEvent, { id });
}
