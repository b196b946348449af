/** The largest number of requests per minute of a key, and of failed authentications from an address. */
export const maxRateLimit = 1_000_000;

/** Whether a key can have this limit, in requests per minute. */
export function isRateLimit(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= maxRateLimit;
}
