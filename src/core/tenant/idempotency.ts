import { eq } from "drizzle-orm";
import { inputs, textInput } from "../../../db/expressions.ts";
import { idempotencyKeys } from "../../../db/schema.ts";
import { Problem } from "../errors.ts";
import { parseStoredJson } from "../stored-json.ts";
import { millisecondsOfDay } from "../timestamps.ts";
import { insert, select } from "./statements.ts";
import type { TenantTransaction } from "./transaction.ts";

/** A write with an Idempotency-Key. `fingerprint` is the hash of what the key is bound to. */
export type IdempotentWrite = { key: string; fingerprint: string };
/**
 * A reply to a write. `body` is an object, its JSON as a text or bytes, or undefined for a reply without one. `row`: the reply
 * gets its entity tag. `storedBody` is the body of a replay, if it differs, and where `body` is bytes.
 */
export type WriteReply<Status extends number = number, Body = unknown> = {
  status: Status;
  body: Body;
  headers?: Record<string, string>;
  row?: { id: number; version: number } | undefined;
  storedBody?: Body;
};

/** Replies of this time and before have expired: a reply is stored for a day. */
export const newestExpired = (retentionTime: number) => retentionTime - millisecondsOfDay;

const { organizationId, key, fingerprint, status, headers, body, createdAt } = idempotencyKeys;
const storedReply = select("idempotencyKeys.byKey", {
  fields: { fingerprint, status, headers, body, createdAt },
  from: idempotencyKeys,
  where: eq(key, textInput("key")),
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
  isBatch = false,
): Promise<R> {
  const stored = await storedReplyOf<R>(tx, write, isBatch);
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
  isBatch = false,
): Promise<R | undefined> {
  // A batch would run as a whole before it runs again because there is a reply.
  const stored = await (isBatch ? tx.first(storedReply, { key }) : tx.findRare(storedReply, { key }));
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
