import { Problem } from "../../core/errors.ts";
import type { Caller } from "../../core/tenant/caller.ts";
import type { Authenticate, Credential } from "../../core/tenant/credential.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import { noOrganization, takeTurn } from "../../core/turns.ts";
import { type RequestRecord, recordOf } from "../request-record.ts";
import { TokenBuckets } from "./token-buckets.ts";

export type LimitSettings = {
  /** Requests per minute of a key that has no limit of its own; undefined: no limit. Read by the authentication. */
  rateLimit?: number | undefined;
  /** Failed authentications per minute and address; 0: no limit. */
  authFailureLimit?: number | undefined;
  addressOf?: ((request: Request) => string) | undefined;
  /** Called for a request whose key or link is not valid. An expired session is no sign of an attack. */
  onFailure?: ((request: Request, kind: "key" | "link") => void) | undefined;
  /** A monotonic clock in milliseconds. */
  now?: (() => number) | undefined;
};

export type ReplyHeaders = Record<string, string | number | undefined>;
/** A request whose caller is checked, and the headers of its reply. */
type AdmissionRequest = { request: Request; requestId: string; headers: ReplyHeaders };
/** Resolves with the tenant of a credential. Throws `unauthorized` and `rate_limited`. */
export type Admit = (credential: Credential, admission: AdmissionRequest) => Promise<Tenant>;

/** A key can use a third of its minute at once, and at least this number of requests. */
const minBurst = 200;

/**
 * Checks credentials, and limits the requests of each key and the failed authentications from each address. Counts in
 * this process only.
 */
export function createAdmission(
  authenticate: Authenticate,
  { authFailureLimit = 0, addressOf, onFailure, now }: Omit<LimitSettings, "rateLimit"> = {},
): Admit {
  const requests = new TokenBuckets(now);
  const failures = new TokenBuckets(now);

  function countRequest({ actor, rateLimit }: Caller, headers: ReplyHeaders, record?: RequestRecord): void {
    if (rateLimit === undefined || actor.type !== "key") return;
    const quota = requests.take(actor.id, rateLimit, Math.max(minBurst, Math.ceil(rateLimit / 3)));
    headers["ratelimit-policy"] = `"default";q=${rateLimit};w=60`;
    headers.ratelimit = `"default";r=${quota.remaining};t=${quota.resetSeconds}`;
    if (quota.isAllowed) return;
    if (record) record.limit = "key";
    throw rateLimited(quota.retrySeconds);
  }

  function countFailure(request: Request): void {
    if (authFailureLimit === 0 || !addressOf) return;
    const quota = failures.take(addressOf(request), authFailureLimit, authFailureLimit);
    if (quota.isAllowed) return;
    const record = recordOf(request);
    if (record) record.limit = "address";
    throw rateLimited(quota.retrySeconds, tooManyFailures);
  }

  return async (credential, { request, requestId, headers }) => {
    const isRead = request.method === "GET";
    let tenant: Tenant;
    try {
      tenant = await authenticate(credential, { requestId, isRead });
    } catch (error) {
      if (error instanceof Problem && error.code === "unauthorized") {
        if (credential.kind !== "session" && credential.secret !== "") onFailure?.(request, credential.kind);
        countFailure(request);
        // Bun stores what arrives of a body meanwhile.
        if (isRead) await takeTurn(noOrganization);
      }
      throw error;
    }
    const record = recordOf(request);
    if (record) {
      const { organizationId, actor } = tenant.caller;
      record.organizationId = organizationId;
      if (actor.type === "key") record.keyId = actor.id;
      tenant.times = record.times;
    }
    countRequest(tenant.caller, headers, record);
    tenant.signal = () => request.signal;
    return tenant;
  };
}

const tooManyFailures =
  "Too many requests from this address had no valid key. Send a valid key, or wait for the time in Retry-After.";

function rateLimited(seconds: number, detail?: string): Problem {
  const headers = { "retry-after": String(seconds) };
  return new Problem("rate_limited", detail === undefined ? { headers } : { headers, detail });
}
