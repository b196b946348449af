import type { Scope } from "./scopes.ts";

/** Who makes a change: an API key, the command line, or a job of the service. */
type Actor = { type: "key"; id: number; name: string } | { type: "cli" } | { type: "job" };

/** The organization and the actor of a transaction. */
export type Caller = {
  organizationId: number;
  actor: Actor;
  /** The `x-request-id` of the HTTP request; null for other callers. */
  requestId: string | null;
  /** The scopes of the key; absent for other callers, which have all. */
  scopes?: ReadonlySet<Scope>;
  /** The requests per minute of the key: its own limit, or the limit of the server; absent: no limit. */
  rateLimit?: number | undefined;
};
