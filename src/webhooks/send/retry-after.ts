const maxMilliseconds = 24 * 3_600_000;
/** The three forms of an HTTP date (RFC 9110, 5.6.7). `Date.parse` reads each form; the last has no zone. */
const httpDate = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d(?: GMT| \d{4})$/;

/** The delay in a `Retry-After` header, from 0 to 24 hours; null when it is absent or invalid. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const milliseconds = /^\d+$/.test(value) ? 1_000 * Number(value) : timeOf(value) - now;
  return Number.isNaN(milliseconds) ? null : Math.min(Math.max(0, milliseconds), maxMilliseconds);
}

function timeOf(value: string): number {
  if (!httpDate.test(value)) return Number.NaN;
  return Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
}
