import { Problem } from "../../core/errors.ts";
import type { Caller } from "../../core/tenant/caller.ts";
import { TokenBuckets } from "./token-buckets.ts";

export type LimitSettings = {
  /** Requests per minute of a key that has no limit of its own; undefined: no limit. Read by the authentication. */
  rateLimit?: number | undefined;
  /** Failed authentications per minute and address; 0: no limit. */
  authFailureLimit?: number | undefined;
  /** The address of the client of a request. */
  addressOf?: ((request: Request) => string) | undefined;
  /** A monotonic clock in milliseconds. */
  now?: (() => number) | undefined;
};

/** A key can use a third of its minute at once, and at least this number of requests. */
const minBurst = 200;

/** Limits the requests of each key, and the failed authentications from each address. Counts in this process only. */
export type RequestLimits = {
  /** Counts a request of a key, and sets the headers of its reply. Throws `rate_limited`. */
  countRequest(caller: Caller, headers: Record<string, string | number | undefined>): void;
  /** Counts a failed authentication. Throws `rate_limited` when there were too many from its address. */
  countFailure(request: Request): void;
};

export function createRequestLimits({
  authFailureLimit = 0,
  addressOf,
  now,
}: Omit<LimitSettings, "rateLimit"> = {}): RequestLimits {
  const requests = new TokenBuckets(now);
  const failures = new TokenBuckets(now);
  return {
    countRequest({ actor, rateLimit }, headers) {
      if (rateLimit === undefined || actor.type !== "key") return;
      const quota = requests.take(actor.id, rateLimit, burstOf(rateLimit));
      headers["ratelimit-policy"] = `"default";q=${rateLimit};w=60`;
      headers.ratelimit = `"default";r=${quota.remaining};t=${quota.resetSeconds}`;
      if (!quota.isAllowed) throw rateLimited(quota.retrySeconds);
    },
    countFailure(request) {
      if (authFailureLimit === 0 || !addressOf) return;
      const quota = failures.take(addressOf(request), authFailureLimit, authFailureLimit);
      if (!quota.isAllowed) throw rateLimited(quota.retrySeconds, tooManyFailures);
    },
  };
}

function burstOf(rateLimit: number): number {
  return Math.max(minBurst, Math.ceil(rateLimit / 3));
}

const tooManyFailures =
  "Too many requests from this address had no valid key. Send a valid key, or wait for the time in Retry-After.";

function rateLimited(seconds: number, detail?: string): Problem {
  const headers = { "retry-after": String(seconds) };
  return new Problem("rate_limited", detail === undefined ? { headers } : { headers, detail });
}
