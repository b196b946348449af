import { asc, eq, isNull } from "drizzle-orm";
import type { Engine, LookUpHints, Reader, Transaction } from "../../db/engine.ts";
import { allOf, inputs, integerInput, pick, textInput } from "../../db/expressions.ts";
import { apiKeys } from "../../db/schema.ts";
import { type Row, select, update } from "../../db/statements.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import { defaultScopes, formatScopes, type Scope } from "../core/tenant/scopes.ts";
import * as tenantStatements from "../core/tenant/statements.ts";
import { type TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { hashSecret, isSecret, newSecret } from "./secret.ts";

/** The columns of a key that may be shown: not its hash. */
export const keyFields = {
  ...pick(apiKeys, "id", "organizationId", "name", "lastFour", "createdAt", "expiresAt", "revokedAt"),
  ...pick(apiKeys, "lastUsedAt", "scopes", "rateLimit"),
};
export type Key = Row<typeof keyFields>;

const insertRow = tenantStatements.insert("apiKeys.insert", {
  into: apiKeys,
  values: inputs(apiKeys, "name", "hash", "lastFour", "createdAt", "expiresAt", "scopes", "rateLimit"),
});
const isKey = eq(apiKeys.id, integerInput("id"));
const keyById = tenantStatements.select("apiKeys.byId", { fields: keyFields, from: apiKeys, where: isKey });
const setRevoked = tenantStatements.update("apiKeys.revoke", {
  table: apiKeys,
  set: inputs(apiKeys, "revokedAt"),
  where: allOf(isKey, isNull(apiKeys.revokedAt)),
});
const setName = tenantStatements.update("apiKeys.rename", {
  table: apiKeys,
  set: inputs(apiKeys, "name"),
  where: isKey,
});
const keyByHash = select("apiKeys.byHash", {
  fields: keyFields,
  from: apiKeys,
  // Revoked keys are filtered in SQL, so that the response time does not distinguish revoked from unknown.
  where: allOf(eq(apiKeys.hash, textInput("hash")), isNull(apiKeys.revokedAt)),
});
const orderBy = [asc(apiKeys.id)];
const everyKey = select("apiKeys.all", { fields: keyFields, from: apiKeys, orderBy });
const keysOfOrganization = select("apiKeys.ofOrganization", {
  fields: keyFields,
  from: apiKeys,
  where: eq(apiKeys.organizationId, integerInput("organizationId")),
  orderBy,
});
const setLastUsed = update("apiKeys.touch", {
  table: apiKeys,
  set: inputs(apiKeys, "lastUsedAt"),
  where: isKey,
});

export type KeyInput = {
  name: string;
  /** Milliseconds since 1970 UTC; default: never. */
  expiresAt?: number | null | undefined;
  /** Default: `defaultScopes`. Not empty. */
  scopes?: readonly Scope[] | undefined;
  /** Requests per minute, from 1; default: the limit of the server. */
  rateLimit?: number | null | undefined;
};
export type NewKey = KeyInput & { organizationId: number };

/** Whether a key can have this name, which may be empty. */
export function isKeyName(name: string): boolean {
  return !/\p{Cc}/u.test(name) && name.isWellFormed() && [...name].length <= 255;
}

/** Inserts a key with this secret, which is not stored. The name and the expiry are checked. */
export async function insertKey(
  tx: TenantTransaction,
  secret: string,
  { name, expiresAt = null, scopes = defaultScopes, rateLimit = null }: KeyInput,
): Promise<Key> {
  const lastFour = secret.slice(-4);
  const columns = { name, lastFour, createdAt: tx.now, expiresAt, scopes: formatScopes(scopes), rateLimit };
  const id = await tx.insert(insertRow, { ...columns, hash: hashSecret(secret) });
  return { id, organizationId: tx.organizationId, ...columns, revokedAt: null, lastUsedAt: null };
}

/**
 * Creates a key for the operator and returns it with its secret. Throws OperatorError for an invalid name, or an expiry
 * that is not in the future.
 */
export async function createKey(
  tx: Transaction,
  { organizationId, ...input }: NewKey,
): Promise<{ secret: string; key: Key }> {
  assertKeyName(input.name);
  if (input.expiresAt != null && input.expiresAt <= tx.now)
    throw new OperatorError("invalid_expiry", "The key's expiry must be in the future.");
  const secret = newSecret();
  return { secret, key: await insertKey(operatorTransaction(tx, organizationId), secret, input) };
}

function assertKeyName(name: string): void {
  if (!isKeyName(name))
    throw new OperatorError("invalid_name", "The key's name must be one line of at most 255 characters.");
}

function operatorTransaction(tx: Transaction, organizationId: number): TenantTransaction {
  return new TenantTransaction(tx, { organizationId, actor: { type: "cli" }, requestId: null }, []);
}

/** The key with this secret, if it is neither revoked nor expired now. */
export async function findUsableKey(
  engine: Engine,
  secret: string,
  hints?: LookUpHints,
): Promise<Key | undefined> {
  if (!isSecret(secret)) return undefined;
  const hash = hashSecret(secret);
  return engine.lookUp(async (snapshot) => {
    const key = await snapshot.first(keyByHash, { hash });
    if (!key) return undefined;
    return key.expiresAt === null || key.expiresAt > engine.clock.wallTime() ? key : undefined;
  }, hints);
}

/** Stores the time of the use of a key. */
export async function touchKey(engine: Engine, { id, organizationId }: Key): Promise<void> {
  await engine.write(organizationId, (tx) => tx.run(setLastUsed, { id, lastUsedAt: tx.now }));
}

export function findKey(snapshot: TenantSnapshot, id: number): Promise<Key | undefined> {
  return snapshot.first(keyById, { id });
}

/** Revokes a key of the organization; a revoked key is not changed. Undefined when the key does not exist. */
export async function setKeyRevoked(tx: TenantTransaction, id: number): Promise<Key | undefined> {
  await tx.run(setRevoked, { id, revokedAt: tx.now });
  return findKey(tx, id);
}

/** Revokes a key of any organization, as `setKeyRevoked`, for the operator. */
export function revokeKey(engine: Engine, id: number): Promise<Key | undefined> {
  return changeKey(engine, id, (tx) => setKeyRevoked(tx, id));
}

/** Renames a key of any organization. Undefined when there is none. Throws OperatorError for an invalid name. */
export function renameKey(engine: Engine, id: number, name: string): Promise<Key | undefined> {
  assertKeyName(name);
  return changeKey(engine, id, async (tx) => {
    await tx.run(setName, { id, name });
    return findKey(tx, id);
  });
}

async function changeKey(
  engine: Engine,
  id: number,
  change: (tx: TenantTransaction) => Promise<Key | undefined>,
): Promise<Key | undefined> {
  const organizationId = (await listKeys(engine)).find((key) => key.id === id)?.organizationId;
  if (organizationId === undefined) return undefined;
  return engine.write(organizationId, (tx) => change(operatorTransaction(tx, organizationId)));
}

/** The keys of one organization, or of all, oldest first. */
export function listKeys(reader: Reader, organizationId?: number): Promise<Key[]> {
  return reader.read((snapshot) =>
    organizationId === undefined
      ? snapshot.all(everyKey, {})
      : snapshot.all(keysOfOrganization, { organizationId }),
  );
}
