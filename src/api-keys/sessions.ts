import { desc, eq, isNull, lte } from "drizzle-orm";
import type { Engine, LookUpHints, Snapshot, Transaction } from "../../db/engine.ts";
import { allOf, inputs, integerInput, pick, textInput } from "../../db/expressions.ts";
import { apiKeys, organizations, type SessionKind, sessions } from "../../db/schema.ts";
import { insert, remove, select } from "../../db/statements.ts";
import type { Credential } from "../core/tenant/credential.ts";
import { millisecondsOfHour, millisecondsOfMinute } from "../core/timestamps.ts";
import { hashSecret, newToken, organizationOfToken } from "./secret.ts";
import { findUsableKey, type Key, keyFields } from "./store.ts";

export const lifeMilliseconds: Record<SessionKind, number> = {
  session: 12 * millisecondsOfHour,
  link: 10 * millisecondsOfMinute,
};

/** Sessions of a key, and its links. Beyond that, each new one deletes the one that expires first. */
const maxSessionsPerKey = 100;

const isOfOrganization = eq(sessions.organizationId, integerInput("organizationId"));
const hasHash = eq(sessions.hash, textInput("hash"));
const insertSession = insert("sessions.insert", {
  into: sessions,
  values: inputs(sessions, "organizationId", "hash", "keyId", "kind", "expiresAt"),
});
const sessionByHash = select("sessions.byHash", {
  fields: { keyId: sessions.keyId, expiresAt: sessions.expiresAt },
  from: sessions,
  where: allOf(isOfOrganization, hasHash, eq(sessions.kind, textInput("kind"))),
});
const keyOfSession = select("sessions.key", {
  fields: keyFields,
  from: apiKeys,
  where: allOf(
    eq(apiKeys.organizationId, integerInput("organizationId")),
    eq(apiKeys.id, integerInput("keyId")),
    isNull(apiKeys.revokedAt),
  ),
});
const organizationOfSession = select("sessions.organization", {
  fields: pick(organizations, "name", "currency", "numberFormat"),
  from: organizations,
  where: allOf(eq(organizations.id, integerInput("organizationId")), isNull(organizations.deletedAt)),
});
const deleteSession = remove("sessions.delete", {
  from: sessions,
  where: allOf(isOfOrganization, hasHash),
});
const deleteSessionsOfKey = remove("sessions.deleteOfKey", {
  from: sessions,
  where: allOf(isOfOrganization, eq(sessions.keyId, integerInput("keyId"))),
});
const deleteExpired = remove("sessions.deleteExpired", {
  from: sessions,
  where: allOf(isOfOrganization, lte(sessions.expiresAt, integerInput("now"))),
});

/** The sessions of a key, the last to expire first. */
const sessionsOfKey = select("sessions.ofKey", {
  fields: { hash: sessions.hash },
  from: sessions,
  where: allOf(isOfOrganization, eq(sessions.keyId, integerInput("keyId"))),
  orderBy: [desc(sessions.expiresAt)],
  paged: true,
});

type KeyReference = Pick<Key, "id" | "organizationId">;
/** A session with its key, for the console's pages. */
export type KeySession = {
  key: Key;
  organization: { name: string; currency: string | null; numberFormat: string | null };
  /** Milliseconds since 1970 UTC. */
  expiresAt: number;
  remainingMilliseconds: number;
};

/**
 * Stores a session of a key, of 12 hours, or a link that begins one, of 10 minutes; neither is valid for longer than
 * the key. Returns its token, which is not stored; undefined when the key is revoked or expired. Deletes the expired
 * sessions of the organization, and sessions of the key beyond `maxSessionsPerKey`.
 */
export async function createSession(
  tx: Transaction,
  { id: keyId, organizationId }: KeyReference,
  kind: SessionKind,
): Promise<string | undefined> {
  const key = await tx.first(keyOfSession, { organizationId, keyId });
  if (!key || isExpired(key, tx.now)) return undefined;
  const token = newToken(organizationId);
  const expiresAt = Math.min(tx.now + lifeMilliseconds[kind], key.expiresAt ?? Number.POSITIVE_INFINITY);
  await tx.run(deleteExpired, { organizationId, now: tx.now });
  const kept = maxSessionsPerKey - 1;
  const surplus = { organizationId, keyId, limit: maxSessionsPerKey, offset: kept };
  for (const { hash } of await tx.all(sessionsOfKey, surplus))
    await tx.run(deleteSession, { organizationId, hash });
  await tx.run(insertSession, { organizationId, hash: hashSecret(token), keyId, kind, expiresAt });
  return token;
}

/**
 * Begins a session of a key, or of the key of a link, which is deleted. Returns its token; undefined when the key or
 * the link is not valid.
 */
export async function beginSession(
  engine: Engine,
  { kind, secret }: Credential,
): Promise<string | undefined> {
  if (kind === "link") return redeemLink(engine, secret);
  const key = await findUsableKey(engine, secret);
  return key && engine.write(key.organizationId, (tx) => createSession(tx, key, "session"));
}

async function redeemLink(engine: Engine, link: string): Promise<string | undefined> {
  const organizationId = organizationOfToken(link);
  if (organizationId === undefined) return undefined;
  const row = { organizationId, hash: hashSecret(link) };
  return engine.write(organizationId, async (tx) => {
    const found = await tx.first(sessionByHash, { ...row, kind: "link" });
    if (!found || isExpired(found, tx.now)) return undefined;
    // Of two transactions that read the link, one deletes it.
    if ((await tx.count(deleteSession, row)) === 0) return undefined;
    return createSession(tx, { id: found.keyId, organizationId }, "session");
  });
}

/** The key of a credential, if neither is revoked, used or expired now. */
export function findKeyOf(
  engine: Engine,
  { kind, secret }: Credential,
  hints?: LookUpHints,
): Promise<Key | undefined> {
  if (kind === "key") return findUsableKey(engine, secret, hints);
  const now = engine.clock.wallTime();
  return engine.lookUp(async (snapshot) => (await readSession(snapshot, secret, kind, now))?.key, hints);
}

/** The session with this token, if neither it nor its key is revoked or expired now. */
export function findSession(engine: Engine, token: string): Promise<KeySession | undefined> {
  const now = engine.clock.wallTime();
  return engine.lookUp(async (snapshot) => {
    const session = await readSession(snapshot, token, "session", now);
    if (!session) return undefined;
    const { organizationId } = session.key;
    const organization = await snapshot.first(organizationOfSession, { organizationId });
    if (!organization) return undefined;
    const remainingMilliseconds = session.expiresAt - now;
    return { ...session, organization, remainingMilliseconds };
  });
}

async function readSession(snapshot: Snapshot, token: string, kind: SessionKind, now: number) {
  const organizationId = organizationOfToken(token);
  if (organizationId === undefined) return undefined;
  const session = await snapshot.first(sessionByHash, { organizationId, hash: hashSecret(token), kind });
  if (!session || isExpired(session, now)) return undefined;
  const { keyId, expiresAt } = session;
  const key = await snapshot.first(keyOfSession, { organizationId, keyId });
  return key && !isExpired(key, now) ? { key, expiresAt } : undefined;
}

export async function endSession(engine: Engine, token: string): Promise<void> {
  const organizationId = organizationOfToken(token);
  if (organizationId === undefined) return;
  const row = { organizationId, hash: hashSecret(token) };
  await engine.write(organizationId, (tx) => tx.run(deleteSession, row));
}

/** Ends all sessions of a key, and makes its links invalid. */
export async function endSessionsOfKey(engine: Engine, { id, organizationId }: KeyReference): Promise<void> {
  await engine.write(organizationId, (tx) => tx.run(deleteSessionsOfKey, { organizationId, keyId: id }));
}

function isExpired({ expiresAt }: { expiresAt: number | null }, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
