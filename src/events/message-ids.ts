import { gte, isNotNull, lt, sql } from "drizzle-orm";
import { allOf, excluded, inputs, isInJson, pick, textInput } from "../../db/expressions.ts";
import { events, organizationSettings } from "../../db/schema.ts";
import { withoutDeleted } from "../core/attaching-events.ts";
import { hasRow } from "../core/due-jobs.ts";
import { maxEventAgeMilliseconds } from "../core/event-limits.ts";
import { existsIn, insert, select, update } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";

/** The text before the hash of a message id. A caller may send such message ids, too: these are no hashes. */
const prefix = "erased-";
/** The condition that a message id begins with the prefix: `.` is the character after `-`. */
const isHash = allOf(gte(events.messageId, sql`'erased-'`), lt(events.messageId, sql`'erased.'`));

const { messageIdKey } = organizationSettings;
const keyOfTenant = select("messageIdKeys.read", {
  fields: { key: messageIdKey },
  from: organizationSettings,
});
const insertKey = insert("messageIdKeys.insert", {
  into: organizationSettings,
  values: { traits: sql`0`, ...inputs(organizationSettings, "messageIdKey") },
  onConflict: {
    target: [organizationSettings.organizationId],
    set: { messageIdKey: excluded(messageIdKey) },
  },
});
const hasKey = isNotNull(messageIdKey);
const clearUnusedKey = update("messageIdKeys.clearUnused", {
  table: organizationSettings,
  set: { messageIdKey: sql`null` },
  where: allOf(hasKey, sql`not ${existsIn({ from: events, where: isHash })}`),
});

/** The key of the hashes that replace message ids of erased persons; undefined while no event has such a hash. */
export async function readMessageIdKey(snapshot: TenantSnapshot): Promise<string | undefined> {
  return (await snapshot.first(keyOfTenant, {}))?.key ?? undefined;
}

/** The key, created if there is none. The transaction stores a hash, so that no job deletes the key before. */
export async function requireMessageIdKey(tx: TenantTransaction): Promise<string> {
  const stored = await readMessageIdKey(tx);
  if (stored !== undefined) return stored;
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  await tx.run(insertKey, { messageIdKey: key });
  return key;
}

/** The text that replaces a message id: who has no key cannot find the message id by trying. */
export function hashMessageId(key: string, messageId: string): string {
  return prefix + new Bun.CryptoHasher("sha256", key).update(messageId).digest("hex");
}

/** The condition of a job that there is a key, and no event has a hash. */
export const isKeyUnused = sql`(${hasRow({ from: organizationSettings, where: hasKey })} and not ${hasRow({ from: events, where: isHash })})`;

export function deleteUnusedKey(tx: TenantTransaction): Promise<void> {
  return tx.run(clearUnusedKey, {});
}

/** The event of a row that only remembers the messageId of a call with traits. Names of events are not blank. */
export const REMEMBERED_CALL = " ";
export const eventsByMessageIds = select("events.byMessageIds", {
  fields: pick(events, "id", "messageId", "receivedAt", "accountId", "externalId"),
  from: events,
  where: isInJson(events.messageId, textInput("messageIds")),
});
const clearIds = update("events.clearMessageIds", {
  table: events,
  set: { messageId: sql`null` },
  where: isInJson(events.messageId, textInput("messageIds")),
});

/** Clears message ids that are not remembered any more. */
export async function clearMessageIds(
  tx: TenantTransaction,
  messageIds: readonly (string | null)[],
): Promise<void> {
  if (messageIds.length > 0) await tx.run(clearIds, { messageIds: JSON.stringify(messageIds) });
}

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
  if (key === undefined) return new Set();
  const hashed = new Map(messageIds.map((id) => [hashMessageId(key, id), id]));
  const stored = await tx.all(eventsByMessageIds, { messageIds: JSON.stringify([...hashed.keys()]) });
  const remembered = await findRemembered(tx, stored);
  const idsOf = (rows: typeof stored) => rows.map(({ messageId }) => messageId ?? "");
  await clearMessageIds(tx, idsOf(stored.filter((event) => !remembered.has(event))));
  return new Set(
    idsOf(stored.filter((event) => remembered.has(event))).map((hash) => hashed.get(hash) ?? ""),
  );
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

/** The events in the deduplication window, without events of a deleted account. */
export async function findRemembered<E extends StoredEvent>(
  tx: TenantTransaction,
  stored: readonly E[],
): Promise<ReadonlySet<E>> {
  return new Set(
    await withoutDeleted(
      tx,
      stored.filter((event) => isRecent(tx, event)),
    ),
  );
}
