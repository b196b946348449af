import type { Tenant } from "./tenant.ts";

/** What identifies the key of a request: the key itself, or the token of a session or of a link that begins one. */
export type Credential = { kind: "key" | "session" | "link"; secret: string };

/** Resolves with the tenant of a credential's key. Throws `unauthorized`. */
export type Authenticate = (
  credential: Credential,
  request: { requestId: string; isRead: boolean },
) => Promise<Tenant>;
