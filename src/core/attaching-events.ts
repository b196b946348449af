import { asc, eq, sql } from "drizzle-orm";
import { integerInput, integerSum, isInJson, pick, textInput } from "../../db/expressions.ts";
import { attachments } from "../../db/schema.ts";
import { hasRow } from "./due-jobs.ts";
import { findAccounts } from "./resource/account-reference.ts";
import { select } from "./tenant/statements.ts";
import type { LateWrite, TenantSnapshot, TenantTransaction } from "./tenant/transaction.ts";

type OwnedEvent = { id: number; accountId: number | null; externalId: string | null };
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
  attach: LateWrite<number>,
): void {
  const taken = tx.lateValues(name, attach);
  // The first account that takes an id gets what waits for it, even if another one takes the id later.
  if (taken.get(externalId) === undefined) taken.set(externalId, accountId);
}

const first = select("attachments.first", {
  fields: { accountId: attachments.accountId },
  from: attachments,
  paged: true,
});
const amongIds = select("attachments.amongIds", {
  fields: pick(attachments, "externalId", "lastEventId", "accountId"),
  from: attachments,
  where: isInJson(attachments.externalId, textInput("externalIds")),
  orderBy: [asc(attachments.lastEventId)],
});
const pendingCount = select("attachments.pendingCount", {
  fields: { count: sql<number>`coalesce(${integerSum(attachments.count)}, 0)` },
  from: attachments,
  where: eq(attachments.accountId, integerInput("accountId")),
});
const onePage = { limit: 1, offset: 0 };

/** `isAttachingEvents` as a condition on the organization of a row. */
export const isAttachingAny = hasRow({ from: attachments });

/** Whether pending events of any account are being attached in steps. */
export async function isAttachingEvents(snapshot: TenantSnapshot): Promise<boolean> {
  return (await snapshot.all(first, onePage)).length > 0;
}

/** The events whose account is not deleted. A job deletes the others, also events that are attached in steps. */
export async function withoutDeleted<E extends OwnedEvent>(
  snapshot: TenantSnapshot,
  events: readonly E[],
): Promise<E[]> {
  const pending = events.flatMap(({ accountId, externalId }) =>
    accountId === null ? (externalId ?? []) : [],
  );
  const externalIds = JSON.stringify(pending);
  const rows = pending.length > 0 ? await snapshot.all(amongIds, { externalIds }) : [];
  const attachingTo = Map.groupBy(rows, (row) => row.externalId);
  const ownerOf = ({ id, accountId, externalId }: E) =>
    accountId ?? attachingTo.get(externalId ?? "")?.find(({ lastEventId }) => lastEventId >= id)?.accountId;
  const owners = events.map((event) => ({ event, accountId: ownerOf(event) }));
  const accountOf = await findAccounts(snapshot, owners);
  return owners.flatMap(({ event, ...owner }) =>
    owner.accountId === undefined || accountOf(owner) !== undefined ? event : [],
  );
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
