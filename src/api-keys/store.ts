import { asc, eq, isNull } from "drizzle-orm";
import type { Engine, Reader, Transaction } from "../../db/engine.ts";
import { allOf, inputs, integerInput, textInput } from "../../db/expressions.ts";
import { apiKeys } from "../../db/schema.ts";
import { insert, type Row, select, update } from "../../db/statements.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import { defaultScopes, formatScopes, type Scope } from "../core/tenant/scopes.ts";
import { hashSecret, isSecret, newSecret } from "./secret.ts";

/** The columns of a key that may be shown: not its hash. */
export const keyFields = {
  id: apiKeys.id,
  organizationId: apiKeys.organizationId,
  name: apiKeys.name,
  lastFour: apiKeys.lastFour,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: apiKeys.lastUsedAt,
  scopes: apiKeys.scopes,
  rateLimit: apiKeys.rateLimit,
};
export type Key = Row<typeof keyFields>;

const insertKey = insert("apiKeys.insert", {
  into: apiKeys,
  values: inputs(
    apiKeys,
    "organizationId",
    "name",
    "hash",
    "lastFour",
    "createdAt",
    "expiresAt",
    "scopes",
    "rateLimit",
  ),
  returning: keyFields,
});
const keyByHash = select("apiKeys.byHash", {
  fields: keyFields,
  from: apiKeys,
  // Revoked keys are filtered in SQL, so that the response time does not distinguish revoked from unknown.
  where: allOf(eq(apiKeys.hash, textInput("hash")), isNull(apiKeys.revokedAt)),
});
const isKey = eq(apiKeys.id, integerInput("id"));
const keyById = select("apiKeys.byId", { fields: keyFields, from: apiKeys, where: isKey });
const orderBy = [asc(apiKeys.id)];
const everyKey = select("apiKeys.all", { fields: keyFields, from: apiKeys, orderBy });
const keysOfOrganization = select("apiKeys.ofOrganization", {
  fields: keyFields,
  from: apiKeys,
  where: eq(apiKeys.organizationId, integerInput("organizationId")),
  orderBy,
});
const setRevoked = update("apiKeys.revoke", {
  table: apiKeys,
  set: inputs(apiKeys, "revokedAt"),
  where: isKey,
  returning: keyFields,
});
const setLastUsed = update("apiKeys.touch", {
  table: apiKeys,
  set: inputs(apiKeys, "lastUsedAt"),
  where: isKey,
});

export type NewKey = {
  organizationId: number;
  name: string;
  /** Milliseconds since 1970 UTC. */
  expiresAt: number | null;
  /** Default: `defaultScopes`. Not empty. */
  scopes?: readonly Scope[] | undefined;
  /** Requests per minute, from 1; default: the limit of the server. */
  rateLimit?: number | null | undefined;
};

/** Whether a key can have this name, which may be empty. */
export function isKeyName(name: string): boolean {
  return !/\p{Cc}/u.test(name) && name.isWellFormed() && [...name].length <= 255;
}

/** The columns of a new key without its organization. */
export function columnsOfKey(
  secret: string,
  { name, expiresAt, scopes = defaultScopes, rateLimit = null }: Omit<NewKey, "organizationId">,
  createdAt: number,
) {
  const [hash, lastFour] = [hashSecret(secret), secret.slice(-4)];
  return { name, hash, lastFour, createdAt, expiresAt, scopes: formatScopes(scopes), rateLimit };
}

/**
 * Creates a key and returns it with its secret, which is not stored. Throws OperatorError for an invalid name, or an
 * expiry that is not in the future.
 */
export async function createKey(
  tx: Transaction,
  { organizationId, ...input }: NewKey,
): Promise<{ secret: string; key: Key }> {
  if (!isKeyName(input.name))
    throw new OperatorError("invalid_name", "The key's name must be one line of at most 255 characters.");
  if (input.expiresAt !== null && input.expiresAt <= tx.now)
    throw new OperatorError("invalid_expiry", "The key's expiry must be in the future.");
  const secret = newSecret();
  const row = { organizationId, ...columnsOfKey(secret, input, tx.now) };
  const key = await tx.first(insertKey, row);
  if (!key) throw new Error("the inserted key was not returned");
  return { secret, key };
}

/** The key with this secret, if it is neither revoked nor expired now. */
export async function findUsableKey(engine: Engine, secret: string): Promise<Key | undefined> {
  if (!isSecret(secret)) return undefined;
  const hash = hashSecret(secret);
  return engine.lookUp(async (snapshot) => {
    const key = await snapshot.first(keyByHash, { hash });
    if (!key) return undefined;
    return key.expiresAt === null || key.expiresAt > engine.clock.wallTime() ? key : undefined;
  });
}

/** Stores the time of the use of a key. */
export async function touchKey(engine: Engine, { id, organizationId }: Key): Promise<void> {
  await engine.write(organizationId, (tx) => tx.run(setLastUsed, { id, lastUsedAt: tx.now }));
}

/** Revokes a key. One that is revoked already is not changed. Undefined when the key does not exist. */
export async function revokeKey(engine: Engine, id: number): Promise<Key | undefined> {
  const existing = await engine.read((snapshot) => snapshot.first(keyById, { id }));
  if (!existing) return undefined;
  return engine.write(existing.organizationId, async (tx) => {
    const key = await tx.first(keyById, { id });
    if (!key || key.revokedAt !== null) return key;
    return tx.first(setRevoked, { id, revokedAt: tx.now });
  });
}

/** The keys of one organization, or of all, oldest first. */
export function listKeys(reader: Reader, organizationId?: number): Promise<Key[]> {
  return reader.read((snapshot) =>
    organizationId === undefined
      ? snapshot.all(everyKey, {})
      : snapshot.all(keysOfOrganization, { organizationId }),
  );
}
