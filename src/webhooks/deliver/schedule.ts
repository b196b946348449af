const [second, minute] = [1_000, 60_000];
const [hour, day] = [60 * minute, 24 * 60 * minute];

/** The time before each retry of a delivery, in milliseconds. */
const retryDelays = [
  ...[5 * second, minute, 5 * minute, 30 * minute],
  ...[2 * hour, 5 * hour, 10 * hour],
  ...[day, day, day, day, day],
];
export const maxAttempts = retryDelays.length + 1;
/** The largest part of its delay by which a retry is later: endpoints that failed together are not hit together. */
const maxJitter = 0.1;
/** No retry is later than this after the attempt before it. */
export const maxRetryMilliseconds = day * (1 + maxJitter);
const [minSpacing, maxSpacing] = [second, minute];

type FailedAttempt = {
  /** The attempts of the delivery, the failed one included. */
  attempts: number;
  /** Milliseconds since 1970 UTC. */
  now: number;
  /** What the endpoint requested; at most 24 hours. */
  retryAfterMilliseconds: number | null;
};

/** When a delivery is attempted again, in milliseconds since 1970 UTC. Undefined after the last attempt. */
export function retryTime(
  { attempts, now, retryAfterMilliseconds }: FailedAttempt,
  random: () => number = Math.random,
): number | undefined {
  const delay = retryDelays[attempts - 1];
  if (delay === undefined) return undefined;
  return now + Math.max(Math.floor(delay * (1 + maxJitter * random())), retryAfterMilliseconds ?? 0);
}

/**
 * The milliseconds before the first attempt of a further delivery to an endpoint after several failures in a row: an endpoint
 * that is down does not get a request for each pending account at once.
 */
export function spacingAfter(failuresInRow: number): number {
  return failuresInRow < 2 ? 0 : Math.min(minSpacing * 2 ** (failuresInRow - 2), maxSpacing);
}
