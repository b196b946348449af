import { asc, eq, isNull } from "drizzle-orm";
import { apiKeys } from "../../db/schema.ts";
import type { Engine } from "../../db/sqlite/engine.ts";
import {
  allOf,
  inputs,
  insert,
  integerInput,
  type Row,
  select,
  textInput,
  update,
} from "../../db/statements.ts";
import { hashSecret, isSecret, newSecret } from "./secret.ts";

/** What may be shown of a key: never the key, nor its hash. */
const keyFields = {
  id: apiKeys.id,
  organizationId: apiKeys.organizationId,
  name: apiKeys.name,
  lastFour: apiKeys.lastFour,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: apiKeys.lastUsedAt,
};
export type Key = Row<typeof keyFields>;

const insertKey = insert({
  into: apiKeys,
  values: inputs("organizationId", "name", "hash", "lastFour", "createdAt", "expiresAt"),
  returning: keyFields,
});
const keyByHash = select({
  fields: keyFields,
  from: apiKeys,
  // A revoked key is none, also by the time that it takes.
  where: allOf(eq(apiKeys.hash, textInput("hash")), isNull(apiKeys.revokedAt)),
});
const keyById = select({ fields: keyFields, from: apiKeys, where: eq(apiKeys.id, integerInput("id")) });
const everyKey = select({ fields: keyFields, from: apiKeys, orderBy: [asc(apiKeys.id)] });
const keysOfOrganization = select({
  fields: keyFields,
  from: apiKeys,
  where: eq(apiKeys.organizationId, integerInput("organizationId")),
  orderBy: [asc(apiKeys.id)],
});
const markRevoked = update({
  table: apiKeys,
  set: inputs("revokedAt"),
  where: eq(apiKeys.id, integerInput("id")),
  returning: keyFields,
});
const markUsed = update({
  table: apiKeys,
  set: inputs("lastUsedAt"),
  where: eq(apiKeys.id, integerInput("id")),
  returning: keyFields,
});

/** Makes a key and returns it with its secret, which is kept nowhere. Times are milliseconds. */
export async function createKey(
  engine: Engine,
  {
    organizationId,
    name,
    expiresAt,
    now,
  }: { organizationId: number; name: string; expiresAt: number | null; now: number },
): Promise<{ secret: string; key: Key }> {
  const secret = newSecret();
  const row = {
    organizationId,
    name,
    hash: hashSecret(secret),
    lastFour: secret.slice(-4),
    createdAt: now,
    expiresAt,
  };
  const key = await engine.write((writer) => writer.first(insertKey, row));
  if (!key) throw new Error("the inserted key was not returned");
  return { secret, key };
}

/** The key that the secret is, if it may be used now: known, not expired, not revoked. */
export async function findUsableKey(engine: Engine, secret: string, now: number): Promise<Key | undefined> {
  if (!isSecret(secret)) return undefined;
  const key = await engine.first(keyByHash, { hash: hashSecret(secret) });
  if (!key) return undefined;
  return key.expiresAt === null || key.expiresAt > now ? key : undefined;
}

/** Notes that the key was used. */
export async function touchKey(engine: Engine, id: number, now: number): Promise<void> {
  await engine.write((writer) => writer.first(markUsed, { id, lastUsedAt: now }));
}

/** Ends a key, at once and for ever; one that is revoked already stays as it is. Undefined: no such key. */
export function revokeKey(engine: Engine, id: number, now: number): Promise<Key | undefined> {
  return engine.write(async (writer) => {
    const key = await writer.first(keyById, { id });
    if (!key || key.revokedAt !== null) return key;
    return writer.first(markRevoked, { id, revokedAt: now });
  });
}

/** The keys of one organization, or of all, oldest first. */
export function listKeys(engine: Engine, organizationId?: number): Promise<Key[]> {
  if (organizationId === undefined) return engine.all(everyKey, {});
  return engine.all(keysOfOrganization, { organizationId });
}
