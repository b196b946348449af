import { errorCode } from "../../db/errors.ts";
import { findKeyOf } from "../api-keys/sessions.ts";
import { type Key, touchKey } from "../api-keys/store.ts";
import type { Credential } from "../core/credential.ts";
import { unauthorized } from "../core/errors.ts";
import { scopeSet } from "../core/scopes.ts";
import { Tenant, type TenantServices } from "../core/tenant.ts";
import type { Log } from "../log.ts";

/** `lastUsedAt` of a key is stored at most this often, and not tried more often where that fails. */
const touchIntervalMilliseconds = 60_000;

/** Resolves with the tenant of a credential's key. Throws `unauthorized`. */
export type Authenticate = (credential: Credential, requestId: string) => Promise<Tenant>;

/** `defaultRateLimit`: that of keys without one of their own; undefined for no limit. */
export function createAuthenticator(
  services: TenantServices,
  log: Log,
  defaultRateLimit?: number,
): Authenticate {
  const { engine } = services;
  /** The time of the last attempt, by key. */
  const attempts = new Map<number, number>();

  /** Stores the use of a key; the request does not wait for it. */
  function touchUsedKey(key: Key, now: number): void {
    const lastAttemptAt = Math.max(key.lastUsedAt ?? 0, attempts.get(key.id) ?? 0);
    if (now - lastAttemptAt < touchIntervalMilliseconds) return;
    attempts.set(key.id, now);
    touchKey(engine, key).catch((error: unknown) =>
      log.error("key_use_not_stored", { keyId: key.id, code: errorCode(error) }),
    );
  }

  return async (credential, requestId) => {
    const key = await findKeyOf(engine, credential);
    if (!key) throw unauthorized();
    const checkedAt = engine.now();
    touchUsedKey(key, checkedAt);
    const actor = { type: "key" as const, id: key.id, name: key.name };
    const isValid = async () => (await findKeyOf(engine, credential)) !== undefined;
    const caller = {
      organizationId: key.organizationId,
      actor,
      requestId,
      scopes: scopeSet(key.scopes),
      rateLimit: key.rateLimit ?? defaultRateLimit,
    };
    return new Tenant(services, caller, { checkedAt, isValid });
  };
}

/** The key in a request's headers; empty when there is none. */
export function readSecret(headers: Headers): string {
  const key = headers.get("x-api-key");
  if (key !== null) return key;
  const [scheme = "", credentials = ""] = (headers.get("authorization") ?? "").split(/ +/, 2);
  if (scheme.toLowerCase() === "bearer") return credentials;
  if (scheme.toLowerCase() === "basic")
    return Buffer.from(credentials, "base64").toString().split(":")[0] ?? "";
  return "";
}
