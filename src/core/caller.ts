/** Who makes a change: an API key, the command line, or a job of the service. */
export type Actor = { type: "key"; id: number; name: string } | { type: "cli" } | { type: "job" };

/** The organization and the actor of a transaction. */
export type Caller = {
  organizationId: number;
  actor: Actor;
  /** The `x-request-id` of the HTTP request; null for other callers. */
  requestId: string | null;
};
