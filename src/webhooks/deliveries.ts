import { asc, desc, eq, gt, lt, lte, sql } from "drizzle-orm";
import { allOf, integerInput, isInJson, pick, textInput } from "../../db/expressions.ts";
import { changes, deliveryStatuses, webhookDeliveries, webhooks } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { firstSequence } from "../changes/list.ts";
import { Problem } from "../core/errors.ts";
import { type CursorPage, readCursorPage } from "../core/lists/cursor.ts";
import type { PageRequest } from "../core/lists/paging.ts";
import { readBatchSize } from "../core/pauses.ts";
import { remove, select, update } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import {
  assertCanReplay,
  getWebhook,
  hasEnded,
  isDelivery,
  isOfWebhook,
  isPending,
  isWebhook,
  markChanged,
  setPosition,
  type WebhookRow,
} from "./store.ts";

const { sequence, status } = webhookDeliveries;
const fields = {
  ...pick(webhookDeliveries, "sequence", "accountId", "status", "attempts", "nextAttemptAt", "attemptedAt"),
  ...pick(webhookDeliveries, "responseStatus", "responseBody", "error", "durationMilliseconds", "createdAt"),
};
type DeliveryStatus = (typeof deliveryStatuses)[number];
/** A delivery, and the type of its change; null when the change is not stored any more. */
export type DeliveryRow = Row<typeof fields> & { type: string | null };

const isBefore = allOf(isOfWebhook, lt(sequence, integerInput("before")));
const isAfter = allOf(isOfWebhook, gt(sequence, integerInput("after")));
const newestFirst = { fields, from: webhookDeliveries, orderBy: [desc(sequence)], paged: true };
const pages = Object.fromEntries(
  [...deliveryStatuses, undefined].map((value) => {
    const isListed = value === undefined ? undefined : sql`${status} = ${sql.raw(`'${value}'`)}`;
    const name = `webhookDeliveries.${value ?? "all"}Before`;
    return [String(value), select(name, { ...newestFirst, where: allOf(isBefore, isListed) })];
  }),
);
const byKey = select("webhookDeliveries.byKey", { fields, from: webhookDeliveries, where: isDelivery });
const typesOfChanges = select("webhookDeliveries.types", {
  fields: pick(changes, "sequence", "resource", "action"),
  from: changes,
  where: isInJson(changes.sequence, textInput("sequences")),
});
const setPending = update("webhookDeliveries.retry", {
  table: webhookDeliveries,
  set: {
    ...{ status: sql`'pending'`, attempts: sql`0`, nextAttemptAt: integerInput("now") },
    ...{ attemptedAt: sql`null`, responseStatus: sql`null`, responseBody: sql`null` },
    ...{ error: sql`null`, durationMilliseconds: sql`null` },
  },
  where: isDelivery,
});
const setEarlierDue = update("webhookDeliveries.retryEarlier", {
  table: webhookDeliveries,
  set: { nextAttemptAt: integerInput("now") },
  where: allOf(
    ...[isBefore, isPending],
    sql`(${integerInput("isStrict")} = 1 or ${eq(webhookDeliveries.accountId, integerInput("accountId"))})`,
  ),
});
const endedAfter = select("webhookDeliveries.endedAfter", {
  fields: { sequence },
  from: webhookDeliveries,
  where: allOf(isAfter, hasEnded),
  orderBy: [asc(sequence)],
  paged: true,
});
const removeEnded = remove("webhookDeliveries.removeEnded", {
  from: webhookDeliveries,
  where: allOf(isAfter, lte(sequence, integerInput("upTo")), hasEnded),
});
const removeAfter = remove("webhookDeliveries.removeAfter", { from: webhookDeliveries, where: isAfter });
const removeWebhook = remove("webhooks.remove", { from: webhooks, where: isWebhook });

/** A page of the deliveries of a webhook, newest first. Throws `not_found`, `invalid_cursor`. */
export async function readDeliveries(
  snapshot: TenantSnapshot,
  id: number,
  { status, ...page }: PageRequest & { status: DeliveryStatus | undefined },
): Promise<CursorPage<DeliveryRow>> {
  await getWebhook(snapshot, id);
  return readCursorPage(snapshot, page, {
    query: ["deliveries", id, status ?? null],
    positionOf: (row) => [row.sequence],
    readAfter: async ([before = Number.MAX_SAFE_INTEGER] = [], limit) => {
      const statement = pages[String(status)];
      if (!statement) throw new Error("no statement for the status");
      const rows = await snapshot.all(statement, { webhookId: id, before: Number(before), limit, offset: 0 });
      return withTypes(snapshot, rows);
    },
  });
}

async function withTypes(
  snapshot: TenantSnapshot,
  rows: readonly Row<typeof fields>[],
): Promise<DeliveryRow[]> {
  const sequences = JSON.stringify(rows.map((row) => row.sequence));
  const found = await snapshot.all(typesOfChanges, { sequences });
  const types = new Map(found.map((change) => [change.sequence, `${change.resource}.${change.action}`]));
  return rows.map((row) => ({ ...row, type: types.get(row.sequence) ?? null }));
}

/** A delivery of a webhook. Throws `not_found`. */
export async function getDelivery(
  snapshot: TenantSnapshot,
  id: number,
  sequence: number,
): Promise<DeliveryRow> {
  const row = await snapshot.first(byKey, { webhookId: id, sequence });
  const [delivery] = row ? await withTypes(snapshot, [row]) : [];
  if (delivery) return delivery;
  throw new Problem("not_found", { detail: "There is no delivery with this id of a webhook with this id." });
}

/**
 * Makes a delivery pending and due, with no attempt counted, and makes due the pending deliveries that are sent before it.
 * Throws `not_found`, `webhook_inactive`, and `changes_expired` when its change is not stored any more.
 */
export async function retryDelivery(
  tx: TenantTransaction,
  id: number,
  sequence: number,
): Promise<DeliveryRow> {
  const delivery = await getDelivery(tx, id, sequence);
  const { active, ordered } = await getWebhook(tx, id);
  if (active === 0) throw new Problem("webhook_inactive");
  if (delivery.type === null)
    throw new Problem("changes_expired", { firstSequence: await firstSequence(tx) });
  const { now } = tx;
  await tx.run(setPending, { webhookId: id, sequence, now });
  const isStrict = ordered === "strict" ? 1 : 0;
  const { accountId } = delivery;
  await tx.run(setEarlierDue, { webhookId: id, before: sequence, now, isStrict, accountId });
  await markChanged(tx, id);
  return getDelivery(tx, id, sequence);
}

/** Deletes what has ended of the deliveries after a sequence number, in steps: there may be many. */
async function removeEndedDeliveries(tenant: Tenant, id: number, after: number): Promise<void> {
  const page = { webhookId: id, after, limit: readBatchSize, offset: 0 };
  const removeBatch = async (tx: TenantTransaction) => {
    const rows = await tx.all(endedAfter, page);
    await tx.run(removeEnded, { webhookId: id, after, upTo: rows.at(-1)?.sequence ?? 0 });
    return rows.length === readBatchSize;
  };
  while (await tenant.write(removeBatch, { isBulk: true }));
}

/**
 * Makes a webhook deliver the changes after a sequence number again. Throws as `setPosition`. A dry run only checks, and
 * returns what the webhook would be.
 */
export async function replayWebhook(
  tenant: Tenant,
  id: number,
  { after, isDryRun }: { after: number; isDryRun: boolean },
): Promise<WebhookRow> {
  const stored = await tenant.read(async (snapshot) => {
    const row = await getWebhook(snapshot, id);
    await assertCanReplay(snapshot, after);
    return row;
  });
  if (isDryRun) return { ...stored, position: Math.min(stored.position, after) };
  await removeEndedDeliveries(tenant, id, after);
  return tenant.write(async (tx) => {
    await tx.run(removeAfter, { webhookId: id, after });
    return setPosition(tx, id, after);
  });
}

/** Deletes a webhook and its deliveries; a dry run nothing. Throws `not_found`. */
export async function deleteWebhook(tenant: Tenant, id: number, isDryRun: boolean): Promise<void> {
  await tenant.readOne((snapshot) => getWebhook(snapshot, id));
  if (isDryRun) return;
  await removeEndedDeliveries(tenant, id, 0);
  await tenant.write(async (tx) => {
    await tx.run(removeAfter, { webhookId: id, after: 0 });
    await tx.run(removeWebhook, { id });
  });
}
