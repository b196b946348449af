import { eq, lte } from "drizzle-orm";
import { inputs, integerInput, textInput } from "../../db/expressions.ts";
import { idempotencyKeys } from "../../db/schema.ts";
import { type DueCondition, hasRow } from "./due-jobs.ts";
import { Problem } from "./errors.ts";
import { parseStoredJson } from "./stored-json.ts";
import type { Tenant, TenantTransaction } from "./tenant.ts";
import { insert, remove, select } from "./tenant-statements.ts";
import { millisecondsOfDay } from "./timestamps.ts";

/** A write with an Idempotency-Key. `fingerprint` is the hash of what the key is bound to. */
export type IdempotentWrite = { key: string; fingerprint: string };
/**
 * A reply to a write. `body` is an object, its JSON text, or undefined for a reply without one. `row`: the reply gets its
 * entity tag. `storedBody` is the body of a replay, if it differs.
 */
export type WriteReply<Status extends number = number, Body = unknown> = {
  status: Status;
  body: Body;
  headers?: Record<string, string>;
  row?: { id: number; version: number } | undefined;
  storedBody?: Body;
};

/** Replies of this time and before have expired: a reply is stored for a day. */
const newestExpired = (retentionTime: number) => retentionTime - millisecondsOfDay;
/** Replies to delete in one transaction. A reply can have several hundred KiB. */
const batchSize = 50;

const { organizationId, key, fingerprint, status, headers, body, createdAt } = idempotencyKeys;
const isKey = eq(key, textInput("key"));
const storedReply = select("idempotencyKeys.byKey", {
  fields: { fingerprint, status, headers, body, createdAt },
  from: idempotencyKeys,
  where: isKey,
});
const values = inputs(idempotencyKeys, "fingerprint", "status", "headers", "body", "createdAt");
const storeReply = insert("idempotencyKeys.store", {
  into: idempotencyKeys,
  values: { ...values, ...inputs(idempotencyKeys, "key") },
  // An expired reply may still be stored.
  onConflict: { target: [organizationId, key], set: values },
});

/**
 * Runs a write once for its key: calls `run` and stores its reply in the same transaction, or returns the stored reply
 * with `Idempotent-Replayed`. Throws `idempotency_key_reused` when the key belongs to another request.
 */
export async function writeOnce<R extends WriteReply>(
  tx: TenantTransaction,
  write: IdempotentWrite,
  run: (tx: TenantTransaction) => Promise<R>,
): Promise<R> {
  const stored = await storedReplyOf<R>(tx, write);
  if (stored) return stored;
  const reply = await run(tx);
  const { storedBody = reply.body } = reply;
  await tx.run(storeReply, {
    ...write,
    status: reply.status,
    headers: JSON.stringify(reply.headers ?? {}),
    body: typeof storedBody === "string" ? storedBody : (JSON.stringify(storedBody) ?? null),
    createdAt: tx.now,
  });
  return reply;
}

/**
 * The stored reply to a write with this key, with `Idempotent-Replayed`. Throws `idempotency_key_reused` when the key
 * belongs to another request.
 */
export async function storedReplyOf<R extends WriteReply>(
  tx: TenantTransaction,
  { key, fingerprint }: IdempotentWrite,
): Promise<R | undefined> {
  const stored = await tx.findRare(storedReply, { key });
  if (!stored || stored.createdAt <= newestExpired(tx.retentionTime)) return undefined;
  if (stored.fingerprint !== fingerprint) throw new Problem("idempotency_key_reused");
  // Safe: the same request had this reply.
  return replayOf(stored) as R;
}

function replayOf(stored: { status: number; headers: string; body: string | null }): WriteReply {
  // Safe: `storeReply` stores an object of texts.
  const headers = parseStoredJson(stored.headers) as Record<string, string>;
  return {
    status: stored.status,
    body: stored.body === null ? undefined : parseStoredJson(stored.body),
    headers: { ...headers, "idempotent-replayed": "true" },
  };
}

const isOld = lte(createdAt, integerInput("newestExpired"));
export const oldIdempotencyKeysDue: DueCondition = {
  isDue: hasRow({ from: idempotencyKeys, where: isOld }),
  inputs: ({ retentionTime }) => ({ newestExpired: newestExpired(retentionTime) }),
};
const oldKeys = select("idempotencyKeys.old", {
  fields: { key },
  from: idempotencyKeys,
  where: isOld,
  paged: true,
});
const deleteKey = remove("idempotencyKeys.delete", { from: idempotencyKeys, where: isKey });

/** Job: deletes one batch of replies that are more than a day old. Returns whether there may be more. */
export async function removeOldIdempotencyKeys(tenant: Tenant): Promise<boolean> {
  const page = { newestExpired: newestExpired(tenant.retentionTime), limit: batchSize, offset: 0 };
  const found = await tenant.readOne((snapshot) => snapshot.all(oldKeys, { ...page, limit: 1 }));
  if (found.length === 0) return false;
  return tenant.write(async (tx) => {
    const rows = await tx.all(oldKeys, page);
    for (const row of rows) await tx.run(deleteKey, row);
    return rows.length === batchSize;
  });
}
