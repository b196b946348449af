import { asc, eq, lte, sql } from "drizzle-orm";
import { allOf, inputs, integerInput, pick } from "../../../db/expressions.ts";
import { accounts, webhookDeliveries, webhooks } from "../../../db/schema.ts";
import type { Row } from "../../../db/statements.ts";
import type { ChangeRow } from "../../changes/list.ts";
import { type DueCondition, firstValue, hasRow, sampleOf } from "../../core/due-jobs.ts";
import { insert, select, update } from "../../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../../core/tenant/transaction.ts";
import { isActive, isDelivery, isOfWebhook, isPending } from "../store.ts";
import type { PendingDelivery } from "./window.ts";

const isWebhook = eq(webhooks.id, integerInput("webhookId"));

export const deliveriesDue: DueCondition = { isDue: hasRow({ from: webhooks, where: isActive }) };
const pendingOfActive = {
  from: webhookDeliveries,
  where: allOf(
    isPending,
    sql`${firstValue(webhooks.active, { from: webhooks, where: eq(webhooks.id, webhookDeliveries.webhookId) })} = 1`,
  ),
};
export const backlogCount = sampleOf("count", sql`1`, pendingOfActive);
/** When the oldest of them was stored, in milliseconds since 1970 UTC. */
export const oldestPendingAt = sampleOf("min", webhookDeliveries.createdAt, pendingOfActive);
const idAndVersion = pick(webhooks, "id", "version");
const activeWebhooks = select("webhooks.active", {
  fields: idAndVersion,
  from: webhooks,
  where: isActive,
});
const webhookFields = {
  ...pick(webhooks, "id", "version", "url", "types", "format", "ordered", "position"),
  ...pick(webhooks, "secret", "previousSecret", "previousSecretExpiresAt"),
};
export type DeliveredWebhook = Row<typeof webhookFields>;
const activeWebhook = select("webhooks.activeById", {
  fields: webhookFields,
  from: webhooks,
  where: allOf(isWebhook, isActive),
});
const pendingDeliveries = select("webhookDeliveries.pending", {
  fields: {
    ...pick(webhookDeliveries, "sequence", "accountId", "attempts"),
    nextAttemptAt: sql<number>`coalesce(${webhookDeliveries.nextAttemptAt}, 0)`,
  },
  from: webhookDeliveries,
  where: allOf(isOfWebhook, isPending),
  orderBy: [asc(webhookDeliveries.sequence)],
  paged: true,
});
const insertDelivery = insert("webhookDeliveries.insert", {
  into: webhookDeliveries,
  values: {
    ...inputs(webhookDeliveries, "webhookId", "sequence", "accountId", "status", "nextAttemptAt"),
    ...inputs(webhookDeliveries, "createdAt"),
  },
  onConflict: {
    target: [webhookDeliveries.organizationId, webhookDeliveries.webhookId, webhookDeliveries.sequence],
  },
});
const setPosition = update("webhooks.setPosition", {
  table: webhooks,
  set: inputs(webhooks, "position"),
  where: allOf(
    isWebhook,
    isActive,
    eq(webhooks.version, integerInput("version")),
    lte(webhooks.position, integerInput("position")),
  ),
});
const resultColumns = [
  ...(["status", "attempts", "nextAttemptAt", "attemptedAt"] as const),
  ...(["responseStatus", "responseBody", "error", "durationMilliseconds"] as const),
];
const resultFields = pick(webhookDeliveries, ...resultColumns);
const setResult = update("webhookDeliveries.storeResult", {
  table: webhookDeliveries,
  set: inputs(webhookDeliveries, ...resultColumns),
  // A retry during the attempt counts attempts from 0: the result would undo it.
  where: allOf(...[isDelivery, isPending], eq(webhookDeliveries.attempts, integerInput("earlierAttempts"))),
});
const now = integerInput("disabledAt");
const disableWebhook = update("webhooks.disable", {
  table: webhooks,
  set: {
    ...inputs(webhooks, "disabledReason", "disabledAt"),
    active: sql.raw("0"),
    // It increases with every change of a row.
    updatedAt: sql`case when ${now} > ${webhooks.updatedAt} then ${now} else ${webhooks.updatedAt} + 1 end`,
  },
  where: allOf(isWebhook, isActive),
});
const accountName = select("webhooks.accountName", {
  fields: { name: accounts.name },
  from: accounts,
  where: eq(accounts.id, integerInput("accountId")),
});

/** The most pending deliveries of a webhook that are in memory; while it has them, no further ones are added. */
export const maxPending = 1_000;

/** What is stored after an attempt. Times are milliseconds since 1970 UTC. */
export type StoredResult = Row<typeof resultFields> & {
  webhookId: number;
  sequence: number;
  /** The attempts of the delivery when this attempt began. */
  earlierAttempts: number;
  /** Why the webhook gets no further deliveries; null if it does. */
  disabledReason: string | null;
};

/** The active webhooks of the organization, with the versions of their settings. */
export function readActiveWebhooks(snapshot: TenantSnapshot): Promise<Row<typeof idAndVersion>[]> {
  return snapshot.all(activeWebhooks, {});
}

/** A webhook and its first `maxPending` pending deliveries. Undefined when it is not active. */
export async function readWebhook(
  snapshot: TenantSnapshot,
  webhookId: number,
): Promise<{ webhook: DeliveredWebhook; pending: PendingDelivery[] } | undefined> {
  const webhook = await snapshot.first(activeWebhook, { webhookId });
  if (!webhook) return undefined;
  const pending = await snapshot.all(pendingDeliveries, { webhookId, limit: maxPending, offset: 0 });
  return { webhook, pending };
}

/**
 * Adds pending deliveries of changes, and stores that each matching change up to `position` has one. Returns whether it did:
 * not after the webhook was changed, or another process went further.
 */
export async function addDeliveries(
  tx: TenantTransaction,
  { id, version }: DeliveredWebhook,
  { rows, position }: { rows: readonly Pick<ChangeRow, "sequence" | "accountId">[]; position: number },
): Promise<boolean> {
  if ((await tx.count(setPosition, { webhookId: id, version, position })) === 0) return false;
  const { now } = tx;
  await tx.insertAll(
    insertDelivery,
    rows.map(({ sequence, accountId }) => ({
      ...{ webhookId: id, sequence, accountId },
      ...{ status: "pending", nextAttemptAt: now, createdAt: now },
    })),
  );
  return true;
}

/**
 * Stores what an attempt resulted in. A delivery that was deleted or retried, or is not pending, is left as it is. Resolves
 * with the reason if the result has disabled the webhook, and with null otherwise.
 */
export async function storeResult(
  tx: TenantTransaction,
  { disabledReason, ...result }: StoredResult,
): Promise<string | null> {
  const isStored = (await tx.count(setResult, result)) > 0;
  if (!isStored || disabledReason === null) return null;
  const { webhookId } = result;
  const count = await tx.count(disableWebhook, { webhookId, disabledReason, disabledAt: tx.now });
  return count > 0 ? disabledReason : null;
}

/** The name that an account has now; null when it does not exist any more. */
export async function readAccountName(snapshot: TenantSnapshot, accountId: number): Promise<string | null> {
  return (await snapshot.first(accountName, { accountId }))?.name ?? null;
}
