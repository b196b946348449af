import { engineErrorCode } from "../../db/errors.ts";
import type { Engine } from "../../db/sqlite/engine.ts";
import { findUsableKey, type Key, touchKey } from "../api-keys/store.ts";
import { Problem } from "../core/errors.ts";
import { Tenant } from "../core/tenant.ts";
import type { Log } from "../log.ts";

const touchIntervalMilliseconds = 60_000;

/** Answers who asks: the tenant of the key. Throws `unauthorized`. */
export type Authenticate = (secret: string) => Promise<Tenant>;

export function authentication(engine: Engine, clock: () => number, log: Log): Authenticate {
  const touching = new Set<number>();

  /** Keeps `lastUsedAt` true to a minute, beside the request and not in its way. */
  function touchUsedKey(key: Key, now: number): void {
    if (key.lastUsedAt !== null && now - key.lastUsedAt < touchIntervalMilliseconds) return;
    if (touching.has(key.id)) return;
    touching.add(key.id);
    touchKey(engine, key.id, now)
      .catch((error: unknown) =>
        log.error("key_use_not_noted", { keyId: key.id, code: engineErrorCode(error) }),
      )
      .finally(() => touching.delete(key.id));
  }

  return async (secret) => {
    const now = clock();
    const key = await findUsableKey(engine, secret, now);
    if (!key) throw unauthorized();
    touchUsedKey(key, now);
    return new Tenant(engine, key.organizationId, now);
  };
}

/** The same answer whether the key is missing, unknown, expired or revoked. */
export function unauthorized(): Problem {
  return new Problem("unauthorized", { headers: { "www-authenticate": 'ApiKey realm="accountd"' } });
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
