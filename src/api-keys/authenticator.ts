import { errorCode } from "../../db/errors.ts";
import { unauthorized } from "../core/errors.ts";
import type { Authenticate } from "../core/tenant/credential.ts";
import { scopeSet } from "../core/tenant/scopes.ts";
import { Tenant, type TenantServices } from "../core/tenant/tenant.ts";
import { millisecondsOfMinute } from "../core/timestamps.ts";
import type { Log } from "../log.ts";
import { findKeyOf } from "./sessions.ts";
import { type Key, touchKey } from "./store.ts";

/** `defaultRateLimit`: for keys without a limit of their own; undefined for no limit. */
export function createAuthenticator(
  services: TenantServices,
  log: Log,
  defaultRateLimit?: number,
): Authenticate {
  const { engine } = services;
  /** The time of the last attempt, by key. */
  const attempts = new Map<number, number>();

  /** Stores `lastUsedAt` of a key, or tries to, at most once a minute; the request does not wait for it. */
  function touchUsedKey(key: Key, now: number): void {
    const lastAttemptAt = Math.max(key.lastUsedAt ?? 0, attempts.get(key.id) ?? 0);
    if (now - lastAttemptAt < millisecondsOfMinute) return;
    attempts.set(key.id, now);
    touchKey(engine, key).catch((error: unknown) =>
      log.error("key_use_not_stored", { keyId: key.id, code: errorCode(error) }),
    );
  }

  return async (credential, { requestId, isRead }) => {
    const key = await findKeyOf(engine, credential, { isBeforeRead: isRead });
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
    const id = `${credential.kind} ${credential.secret}`;
    return new Tenant(services, caller, { id, checkedAt, isValid });
  };
}
