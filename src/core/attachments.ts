import { asc, eq, gte, sql } from "drizzle-orm";
import { allOf, integerInput, integerSum, isInJson, textInput } from "../../db/expressions.ts";
import { attachments } from "../../db/schema.ts";
import { hasRow } from "./due-jobs.ts";
import { select } from "./tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "./tenant/transaction.ts";

/** Accounts by the external ids that they took. */
export type TakenIds = ReadonlyMap<string, number>;

/**
 * Calls `attach` once before the transaction ends, with all external ids that accounts took in it: many accounts need one
 * statement then. `name` names what is attached.
 */
export function attachBeforeEnd(
  tx: TenantTransaction,
  name: string,
  { externalId, accountId }: { externalId: string; accountId: number },
  attach: (taken: TakenIds) => Promise<void>,
): void {
  const prefix = `${name} of `;
  // The first account that takes an id gets what waits for it, even if another one takes the id later.
  if (tx.cache.get(prefix + externalId) === undefined) tx.cache.set(prefix + externalId, accountId);
  tx.addLate(name, 0, () => {
    const keys = [...tx.cache.keys()].filter((key) => key.startsWith(prefix));
    return attach(new Map(keys.map((key) => [key.slice(prefix.length), Number(tx.cache.get(key))])));
  });
}

const first = select("attachments.first", {
  fields: { accountId: attachments.accountId },
  from: attachments,
  paged: true,
});
const ofEvent = select("attachments.ofEvent", {
  fields: { accountId: attachments.accountId },
  from: attachments,
  where: allOf(
    eq(attachments.externalId, textInput("externalId")),
    gte(attachments.lastEventId, integerInput("eventId")),
  ),
  orderBy: [asc(attachments.lastEventId)],
  paged: true,
});
const amongIds = select("attachments.amongIds", {
  fields: { externalId: attachments.externalId },
  from: attachments,
  where: isInJson(attachments.externalId, textInput("externalIds")),
});
const pendingCount = select("attachments.pendingCount", {
  fields: { count: sql<number>`coalesce(${integerSum(attachments.count)}, 0)` },
  from: attachments,
  where: eq(attachments.accountId, integerInput("accountId")),
});
const onePage = { limit: 1, offset: 0 };

/** `hasAttachments` as a condition on the organization of a row. */
export const isAttachingAny = hasRow({ from: attachments });

/** Whether pending events of any account are being attached in steps. */
export async function hasAttachments(snapshot: TenantSnapshot): Promise<boolean> {
  return (await snapshot.all(first, onePage)).length > 0;
}

/** The account to which a pending event is being attached; undefined when no account took its `externalId`. */
export async function findAttachingAccount(
  snapshot: TenantSnapshot,
  { externalId, id }: { externalId: string; id: number },
): Promise<number | undefined> {
  const [row] = await snapshot.all(ofEvent, { externalId, eventId: id, ...onePage });
  return row?.accountId;
}

/** Whether pending events of the `externalId` are being attached in steps, perhaps without the newest. */
export async function isAttaching(snapshot: TenantSnapshot, externalId: string): Promise<boolean> {
  return (await findAttachingAccount(snapshot, { externalId, id: 0 })) !== undefined;
}

/** The ids of a JSON list whose pending events are being attached in steps. */
export async function findAttachingIds(snapshot: TenantSnapshot, externalIds: string): Promise<Set<string>> {
  return new Set((await snapshot.all(amongIds, { externalIds })).map(({ externalId }) => externalId));
}

/** The member `pendingEvents` of a reply about an account: absent when all of its events are attached. */
export async function pendingEventsOf(
  snapshot: TenantSnapshot,
  accountId: number,
): Promise<{ pendingEvents?: number }> {
  const pendingEvents = (await snapshot.first(pendingCount, { accountId }))?.count ?? 0;
  return pendingEvents > 0 ? { pendingEvents } : {};
}
