import { eq, sql } from "drizzle-orm";
import { isInJson, pick, textInput } from "../../db/expressions.ts";
import { events } from "../../db/schema.ts";
import { findAttachingAccount } from "../core/attachments.ts";
import { maxEventAgeMilliseconds } from "../core/event-limits.ts";
import { findAccount } from "../core/resource/account-reference.ts";
import { select, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { hashMessageId, readMessageIdKey } from "./message-ids.ts";

/** The event of a row that only remembers the messageId of a call with traits. Names of events are not blank. */
export const REMEMBERED_CALL = " ";
/** The events with the message ids. */
export const eventsByMessageIds = select("events.byMessageIds", {
  fields: pick(events, "id", "messageId", "receivedAt", "accountId", "externalId"),
  from: events,
  where: isInJson(events.messageId, textInput("messageIds")),
});
export const clearMessageId = update("events.clearMessageId", {
  table: events,
  set: { messageId: sql`null` },
  where: eq(events.messageId, textInput("messageId")),
});

/** The message ids that an event or a call of the deduplication window has, also as a hash. */
export async function findReceivedMessageIds(
  tx: TenantTransaction,
  messageIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (messageIds.length === 0) return new Set();
  const [key, rows] = await Promise.all([
    readMessageIdKey(tx),
    tx.all(eventsByMessageIds, { messageIds: JSON.stringify(messageIds) }),
  ]);
  const received = await findErasedIds(tx, messageIds, key);
  for (const row of rows) if (row.messageId !== null && isRecent(tx, row)) received.add(row.messageId);
  return received;
}

/**
 * The message ids that erasures have replaced by hashes, within the deduplication window. Clears older hashes. None
 * without a key.
 */
export async function findErasedIds(
  tx: TenantTransaction,
  messageIds: readonly string[],
  key: string | undefined,
): Promise<Set<string>> {
  const erased = new Set<string>();
  if (key === undefined) return erased;
  const hashed = new Map(messageIds.map((id) => [hashMessageId(key, id), id]));
  const stored = await tx.all(eventsByMessageIds, { messageIds: JSON.stringify([...hashed.keys()]) });
  for (const event of stored) {
    const hash = event.messageId ?? "";
    if (await isRemembered(tx, event)) erased.add(hashed.get(hash) ?? "");
    else await tx.run(clearMessageId, { messageId: hash });
  }
  return erased;
}

/** Whether an event is within the deduplication window. */
function isRecent(tx: TenantTransaction, { receivedAt }: { receivedAt: number }): boolean {
  return receivedAt > tx.retentionTime - maxEventAgeMilliseconds;
}

export type StoredEvent = {
  id: number;
  accountId: number | null;
  externalId: string | null;
  receivedAt: number;
};

/** `isRecent`, except for events of a deleted account: a job is still deleting them. */
export async function isRemembered(tx: TenantTransaction, event: StoredEvent): Promise<boolean> {
  return isRecent(tx, event) && !(await isOfDeletedAccount(tx, event));
}

async function isOfDeletedAccount(
  tx: TenantTransaction,
  { id, accountId, externalId }: StoredEvent,
): Promise<boolean> {
  const ownerId =
    accountId ?? (externalId === null ? undefined : await findAttachingAccount(tx, { externalId, id }));
  return ownerId !== undefined && (await findAccount(tx, { accountId: ownerId })) === undefined;
}
