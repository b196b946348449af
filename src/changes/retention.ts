import { asc, eq, lt, lte, min, or, sql } from "drizzle-orm";
import { allOf, integerInput, isOutside, pick } from "../../db/expressions.ts";
import { changes, webhookDeliveries, webhooks } from "../../db/schema.ts";
import { lastSequence, removeFromIndex } from "../core/changes/account-changes.ts";
import { type DueCondition, firstValue, hasRow } from "../core/due-jobs.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { inSubquery, remove, select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { isActive, isPending } from "../webhooks/store.ts";

const orderBy = asc(changes.sequence);
const oldest = select("changes.oldest", {
  fields: {
    ...pick(changes, "sequence", "changedAt", "accountId"),
    // Of the few changes that may have moved a row to another account.
    before: sql<
      string | null
    >`case when ${changes.action} = 'updated' and ${changes.before} like '%"accountId":%' then ${changes.before} end`,
  },
  from: changes,
  orderBy: [orderBy],
  paged: true,
});
const removeUpTo = remove("changes.removeUpTo", {
  from: changes,
  where: lte(changes.sequence, integerInput("sequence")),
});

const firstPosition = select("changes.firstPosition", {
  fields: { sequence: min(webhooks.position) },
  from: webhooks,
  where: isActive,
});
const firstPending = select("changes.firstPending", {
  fields: { sequence: min(webhookDeliveries.sequence) },
  from: webhookDeliveries,
  where: allOf(
    isPending,
    inSubquery({ from: webhooks, key: webhooks.id, where: isActive, column: webhookDeliveries.webhookId }),
  ),
});

/** The last sequence number of the changes that every active webhook has delivered. */
async function lastDelivered(snapshot: TenantSnapshot): Promise<number> {
  const position = (await snapshot.first(firstPosition, {}))?.sequence;
  const pending = (await snapshot.first(firstPending, {}))?.sequence;
  return Math.min(position ?? Number.MAX_SAFE_INTEGER, (pending ?? Number.MAX_SAFE_INTEGER) - 1);
}

const limitOf = (retentionTime: number, days: number) => retentionTime - days * millisecondsOfDay;
const isChangeOutside = isOutside(changes.changedAt, "changesBefore", "retentionTime");
const firstSequence = firstValue(changes.sequence, { from: changes, orderBy });
const isFirstPending = allOf(
  isPending,
  eq(webhookDeliveries.webhookId, webhooks.id),
  lte(webhookDeliveries.sequence, firstSequence),
);
/** An active webhook has not delivered the first change. */
const isFirstKept = hasRow({
  from: webhooks,
  where: allOf(
    isActive,
    or(lt(webhooks.position, firstSequence), hasRow({ from: webhookDeliveries, where: isFirstPending })),
  ),
});
export const oldChangesDue: DueCondition = {
  isDue: allOf(
    firstValue(isChangeOutside, { from: changes, orderBy }),
    hasRow({ from: changes, orderBy, offset: 1 }),
    sql`not (${isFirstKept})`,
  ),
  inputs: ({ retentionTime, changeDays }) => ({ changesBefore: limitOf(retentionTime, changeDays) }),
};

/** The account that a row left, of the members before a change. */
function accountsIn(before: string | null): number[] {
  const members = before === null ? {} : parseStoredJson(before);
  return "accountId" in members && typeof members.accountId === "number" ? [members.accountId] : [];
}

/**
 * Job: deletes one batch of changes that are more than `days` days old. The newest change is kept, because the next
 * sequence number is computed from it, and those that an active webhook has not delivered. Returns whether there may be
 * more.
 */
export function removeOldChanges(tenant: Tenant, days: number): Promise<boolean> {
  const { retentionTime } = tenant;
  const before = limitOf(retentionTime, days);
  const isOld = ({ changedAt }: { changedAt: number }) => changedAt < before;
  // A change of a time when the clock was ahead does not keep the older ones behind it.
  const isAhead = ({ changedAt }: { changedAt: number }) => changedAt > retentionTime;
  return tenant.write(async (tx) => {
    const last = await lastSequence(tx);
    const delivered = await lastDelivered(tx);
    const batch = await tx.all(oldest, { limit: writeBatchSize, offset: 0 });
    const end = batch.findIndex((change) => !(isOld(change) || isAhead(change)));
    const leading = end === -1 ? batch : batch.slice(0, end);
    const expired = leading.slice(
      0,
      leading.findLastIndex(
        (change) => isOld(change) && change.sequence !== last && change.sequence <= delivered,
      ) + 1,
    );
    for (const { sequence, accountId, before } of expired)
      for (const owner of [accountId, ...accountsIn(before)])
        await tx.run(removeFromIndex, { accountId: owner, sequence });
    await tx.run(removeUpTo, { sequence: expired.at(-1)?.sequence ?? 0 });
    return end === -1 && batch.length === writeBatchSize && expired.length > 0;
  });
}
