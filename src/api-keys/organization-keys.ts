import { eq, isNull } from "drizzle-orm";
import { allOf, inputs, integerInput } from "../../db/expressions.ts";
import { apiKeys } from "../../db/schema.ts";
import { invalidField, Problem, unauthorized } from "../core/errors.ts";
import { defineList } from "../core/lists/list.ts";
import { defaultScopes, insufficientScope, type Scope } from "../core/tenant/scopes.ts";
import { insert, select, update } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { columnsOfKey, isKeyName, type Key, keyFields } from "./store.ts";

const insertKey = insert("organizationKeys.insert", {
  into: apiKeys,
  values: inputs(apiKeys, "name", "hash", "lastFour", "createdAt", "expiresAt", "scopes", "rateLimit"),
  returning: keyFields,
});
const isKey = eq(apiKeys.id, integerInput("id"));
const keyById = select("organizationKeys.byId", { fields: keyFields, from: apiKeys, where: isKey });
const setRevoked = update("organizationKeys.revoke", {
  table: apiKeys,
  set: inputs(apiKeys, "revokedAt"),
  where: allOf(isKey, isNull(apiKeys.revokedAt)),
});

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

/** A key that a key creates. `expiresAt` in milliseconds since 1970 UTC; null: never. */
export type OrganizationKeyInput = {
  name: string;
  scopes?: readonly Scope[] | undefined;
  expiresAt?: number | null | undefined;
  /** Requests per minute. */
  rateLimit?: number | null | undefined;
};

/**
 * Creates a key of the organization with this secret, which is not stored. Throws `unauthorized` when the caller's key
 * is revoked or expired now, `insufficient_scope` for scopes that the caller lacks, and `invalid_request` for an
 * invalid name, an expiry that is not in the future, and a limit above the caller's limit, which is the default.
 */
export async function createOrganizationKey(
  tx: TenantTransaction,
  secret: string,
  { name, scopes = defaultScopes, expiresAt = null, rateLimit = null }: OrganizationKeyInput,
): Promise<Key> {
  const callerKey = await readCallerKey(tx);
  const { scopes: granted, rateLimit: maxRate } = tx.caller;
  const missing = scopes.filter((scope) => granted && !granted.has(scope));
  if (missing.length > 0) throw insufficientScope(missing);
  if (!isKeyName(name)) throw invalidField("/name", "not_allowed", "must have no control characters");
  if (expiresAt !== null && expiresAt <= tx.now)
    throw invalidField("/expiresAt", "in_past", "must be in the future");
  if (maxRate !== undefined && rateLimit !== null && rateLimit > maxRate)
    throw invalidField("/rateLimit", "out_of_range", `must be at most ${maxRate}, the limit of this key`);
  const columns = { name, expiresAt, scopes, rateLimit: rateLimit ?? callerKey?.rateLimit };
  const key = await tx.first(insertKey, columnsOfKey(secret, columns, tx.now));
  if (!key) throw new Error("the inserted key was not returned");
  return key;
}

/** Read in the transaction: a key that was revoked must not leave another one. Throws `unauthorized`. */
async function readCallerKey(tx: TenantTransaction): Promise<Key | undefined> {
  const { actor } = tx.caller;
  if (actor.type !== "key") return undefined;
  const key = await tx.first(keyById, { id: actor.id });
  const isExpired = key?.expiresAt != null && key.expiresAt <= tx.now;
  if (!key || key.revokedAt !== null || isExpired) throw unauthorized();
  return key;
}

/** A key of the organization. Throws `not_found`. */
export async function getOrganizationKey(snapshot: TenantSnapshot, id: number): Promise<Key> {
  const key = await snapshot.first(keyById, { id });
  if (key) return key;
  throw new Problem("not_found", { detail: "There is no key with this id in your organization." });
}

/** Revokes a key of the organization; a revoked one stays as it is. Throws `not_found`. */
export async function revokeOrganizationKey(tx: TenantTransaction, id: number): Promise<void> {
  await getOrganizationKey(tx, id);
  await tx.run(setRevoked, { id, revokedAt: tx.now });
}
