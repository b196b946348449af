import { apiKeys } from "../../db/schema.ts";
import { invalidField, Problem, unauthorized } from "../core/errors.ts";
import { defineList } from "../core/lists/list.ts";
import { defaultScopes, insufficientScope } from "../core/tenant/scopes.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { findKey, insertKey, isKeyName, type Key, type KeyInput, keyFields, setKeyRevoked } from "./store.ts";

/** The keys of the organization, revoked and expired ones included. */
export const keyList = defineList({
  name: "organizationKeys.list",
  from: apiKeys,
  key: apiKeys.id,
  fields: keyFields,
  sortBy: { createdAt: apiKeys.createdAt },
  defaultOrder: ["createdAt", "asc"],
  filters: {},
});

/**
 * Creates a key of the organization with this secret, which is not stored. Throws `unauthorized` when the caller's key
 * is revoked or expired now, `insufficient_scope` for scopes that the caller lacks, and `invalid_request` for an
 * invalid name, an expiry that is not in the future, and a limit above the caller's limit, which is the default.
 */
export async function createOrganizationKey(
  tx: TenantTransaction,
  secret: string,
  { name, scopes = defaultScopes, expiresAt, rateLimit = null }: KeyInput,
): Promise<Key> {
  const callerKey = await readCallerKey(tx);
  const { scopes: granted, rateLimit: maxRate } = tx.caller;
  const missing = scopes.filter((scope) => granted && !granted.has(scope));
  if (missing.length > 0) throw insufficientScope(missing);
  if (!isKeyName(name)) throw invalidField("/name", "not_allowed", "must have no control characters");
  if (expiresAt != null && expiresAt <= tx.now)
    throw invalidField("/expiresAt", "in_past", "must be in the future");
  if (maxRate !== undefined && rateLimit !== null && rateLimit > maxRate)
    throw invalidField("/rateLimit", "out_of_range", `must be at most ${maxRate}, the limit of this key`);
  return insertKey(tx, secret, { name, expiresAt, scopes, rateLimit: rateLimit ?? callerKey?.rateLimit });
}

/** Read in the transaction: a key that was revoked must not leave another one. Throws `unauthorized`. */
async function readCallerKey(tx: TenantTransaction): Promise<Key | undefined> {
  const { actor } = tx.caller;
  if (actor.type !== "key") return undefined;
  const key = await findKey(tx, actor.id);
  const isExpired = key?.expiresAt != null && key.expiresAt <= tx.now;
  if (!key || key.revokedAt !== null || isExpired) throw unauthorized();
  return key;
}

/** A key of the organization. Throws `not_found`. */
export async function getOrganizationKey(snapshot: TenantSnapshot, id: number): Promise<Key> {
  return existing(await findKey(snapshot, id));
}

/** Revokes a key of the organization; a revoked key is not changed. Throws `not_found`. */
export async function revokeOrganizationKey(tx: TenantTransaction, id: number): Promise<void> {
  existing(await setKeyRevoked(tx, id));
}

function existing(key: Key | undefined): Key {
  if (key) return key;
  throw new Problem("not_found", { detail: "There is no key with this id in your organization." });
}
