import { count, eq, gt, type SQL, sql } from "drizzle-orm";
import { allOf, inputs, integerInput, pick } from "../../db/expressions.ts";
import { webhookDeliveries, webhooks } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { firstSequence } from "../changes/list.ts";
import { lastSequence } from "../core/changes/account-changes.ts";
import { invalidField, Problem } from "../core/errors.ts";
import { defineList } from "../core/lists/list.ts";
import { aggregateOf, insert, select, update } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";

/** The most webhooks of an organization. */
const maxWebhooks = 20;
/** For this time after a rotation, the previous secret signs, too. */
const rotationMilliseconds = millisecondsOfDay;

export const isWebhook = eq(webhooks.id, integerInput("id"));
export const isActive = eq(webhooks.active, sql.raw("1"));
export const isOfWebhook = eq(webhookDeliveries.webhookId, integerInput("webhookId"));
export const isDelivery = allOf(isOfWebhook, eq(webhookDeliveries.sequence, integerInput("sequence")));
// Partial indexes need the literals in the query.
export const isPending = sql`${webhookDeliveries.status} = 'pending'`;
export const hasEnded = sql`${webhookDeliveries.status} <> 'pending'`;

const countPending = (condition?: SQL) =>
  aggregateOf(sql<number>`count(*)`, {
    from: webhookDeliveries,
    where: allOf(eq(webhookDeliveries.webhookId, webhooks.id), isPending, condition),
  });
/** What may be shown of a webhook: not its secrets. */
const shownFields = {
  ...pick(webhooks, "id", "url", "types", "description", "format", "ordered", "active", "position"),
  ...pick(webhooks, "previousSecretExpiresAt", "disabledReason", "disabledAt", "createdAt", "updatedAt"),
  pendingCount: countPending(),
  retryingCount: countPending(gt(webhookDeliveries.attempts, sql.raw("0"))),
};
export type WebhookRow = Row<typeof shownFields>;

export const webhookList = defineList({
  name: "webhooks.list",
  from: webhooks,
  key: webhooks.id,
  fields: shownFields,
  sortBy: { createdAt: webhooks.createdAt },
  defaultOrder: ["createdAt", "asc"],
  filters: {},
});

const byId = select("webhooks.byId", { fields: shownFields, from: webhooks, where: isWebhook });
const countAll = select("webhooks.count", { fields: { count: count() }, from: webhooks });
const settable = ["url", "types", "description", "format", "ordered", "active"] as const;
const insertRow = insert("webhooks.insert", {
  into: webhooks,
  values: inputs(webhooks, ...settable, "secret", "position", "createdAt", "updatedAt"),
});
const nextVersion = sql`${webhooks.version} + 1`;
const updateRow = update("webhooks.update", {
  table: webhooks,
  set: {
    ...inputs(webhooks, ...settable, "position", "disabledReason", "disabledAt", "updatedAt"),
    version: nextVersion,
  },
  where: isWebhook,
});
const setSecret = update("webhooks.rotate", {
  table: webhooks,
  set: {
    ...inputs(webhooks, "secret", "previousSecretExpiresAt", "updatedAt"),
    previousSecret: sql`${webhooks.secret}`,
    version: nextVersion,
  },
  where: isWebhook,
});
const setDue = (["pending", "failed"] as const).map((status) =>
  update(`webhookDeliveries.setDue.${status}`, {
    table: webhookDeliveries,
    set: { status: sql`'pending'`, attempts: sql`0`, nextAttemptAt: integerInput("now") },
    where: allOf(
      eq(webhookDeliveries.webhookId, integerInput("id")),
      eq(webhookDeliveries.status, sql.raw(`'${status}'`)),
    ),
  }),
);
const setVersion = update("webhooks.setVersion", {
  table: webhooks,
  set: { version: nextVersion },
  where: isWebhook,
});

/** The fields that callers set. `types` is a JSON array, or null for all types. */
export type WebhookInput = Pick<WebhookRow, (typeof settable)[number]>;

/** A webhook of the organization. Throws `not_found`. */
export async function getWebhook(snapshot: TenantSnapshot, id: number): Promise<WebhookRow> {
  const row = await snapshot.first(byId, { id });
  if (row) return row;
  throw missingWebhook();
}

export function missingWebhook(): Problem {
  return new Problem("not_found", { detail: "There is no webhook with this id in your organization." });
}

/** Creates a webhook for the changes from now on. Throws `too_many_webhooks`. */
export async function createWebhook(
  tx: TenantTransaction,
  secret: string,
  input: WebhookInput,
): Promise<WebhookRow> {
  if (((await tx.first(countAll, {}))?.count ?? 0) >= maxWebhooks) throw new Problem("too_many_webhooks");
  const times = { createdAt: tx.now, updatedAt: tx.now };
  const id = await tx.insert(insertRow, { ...input, secret, position: await lastSequence(tx), ...times });
  return getWebhook(tx, id);
}

/**
 * Changes the fields that are present. A webhook that is activated again continues where it stopped, or with the first
 * stored change. After an activation or with another URL, all pending and failed deliveries are due, with no attempt
 * counted. Throws `no_valid_fields`, `not_found`.
 */
export async function changeWebhook(
  tx: TenantTransaction,
  id: number,
  changes: Partial<WebhookInput>,
): Promise<WebhookRow> {
  if (Object.keys(changes).length === 0) throw new Problem("no_valid_fields");
  const stored = await getWebhook(tx, id);
  const changed = { ...stored, ...changes };
  if (settable.every((name) => changed[name] === stored[name])) return stored;
  const isActivated = changed.active === 1 && stored.active === 0;
  if (isActivated || changed.url !== stored.url)
    for (const statement of setDue) await tx.run(statement, { id, now: tx.now });
  if (isActivated) {
    Object.assign(changed, { disabledReason: null, disabledAt: null });
    changed.position = Math.max(stored.position, (await firstSequence(tx)) - 1);
  }
  return storeWebhook(tx, changed);
}

async function storeWebhook(tx: TenantTransaction, row: WebhookRow): Promise<WebhookRow> {
  await tx.run(updateRow, { ...row, updatedAt: Math.max(tx.now, row.updatedAt + 1) });
  return getWebhook(tx, row.id);
}

/** Replaces the secret; the previous one signs, too, for 24 hours. Throws `not_found`. */
export async function rotateSecret(tx: TenantTransaction, id: number, secret: string): Promise<WebhookRow> {
  const { updatedAt } = await getWebhook(tx, id);
  const previousSecretExpiresAt = tx.now + rotationMilliseconds;
  await tx.run(setSecret, {
    ...{ id, secret, previousSecretExpiresAt },
    updatedAt: Math.max(tx.now, updatedAt + 1),
  });
  return getWebhook(tx, id);
}

/** Makes deliveries read what is pending again. */
export async function markChanged(tx: TenantTransaction, id: number): Promise<void> {
  await tx.run(setVersion, { id });
}

/** Checks that all changes after a sequence number are stored. Throws `invalid_request`, `changes_expired`. */
export async function assertCanReplay(snapshot: TenantSnapshot, after: number): Promise<void> {
  const last = await lastSequence(snapshot);
  if (after > last) throw invalidField("/after", "out_of_range", `must be at most ${last}, the last change`);
  const first = await firstSequence(snapshot);
  if (first > after + 1) throw new Problem("changes_expired", { firstSequence: first });
}

/**
 * Makes the webhook deliver the changes after a sequence number again, and those that it has not reached: none is left out.
 * Throws as `assertCanReplay`, and `not_found`.
 */
export async function setPosition(tx: TenantTransaction, id: number, after: number): Promise<WebhookRow> {
  const row = await getWebhook(tx, id);
  await assertCanReplay(tx, after);
  return storeWebhook(tx, { ...row, position: Math.min(row.position, after) });
}
