import { gte, isNotNull, lt, sql } from "drizzle-orm";
import { allOf, excluded, inputs } from "../../db/expressions.ts";
import { events, organizationSettings } from "../../db/schema.ts";
import { hasRow } from "../core/due-jobs.ts";
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

/** Deletes the key unless an event has a hash. */
export function deleteUnusedKey(tx: TenantTransaction): Promise<void> {
  return tx.run(clearUnusedKey, {});
}
