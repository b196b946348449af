import type { KeySession } from "../api-keys/sessions.ts";
import { parseScopes } from "../core/tenant/scopes.ts";
import { formatTimestamp } from "../core/timestamps.ts";

/** The wire form of a session: who is signed in. Without its token. */
export function presentSession({ organizationName, key, expiresAt }: KeySession) {
  const { id, name, lastFour, scopes } = key;
  return {
    organization: { name: organizationName },
    key: { id, name, lastFour },
    scopes: parseScopes(scopes),
    expiresAt: formatTimestamp(expiresAt),
  };
}
