import { asc, eq } from "drizzle-orm";
import { allOf, inputs, integerInput, textInput } from "../../db/expressions.ts";
import { attachments } from "../../db/schema.ts";
import { isAttachingAny } from "../core/attachments.ts";
import type { DueCondition } from "../core/due-jobs.ts";
import { remove, select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { markScoresStale } from "../health-scores/stale.ts";
import { attachmentFields, attachPage } from "./attach.ts";

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
