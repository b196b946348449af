import { UsageError } from "../core/settings/operator-error.ts";
import { parseTimestamp } from "../core/timestamps.ts";

const hourMilliseconds = 3_600_000;
const unitMilliseconds: Readonly<Record<string, number>> = {
  h: hourMilliseconds,
  d: 24 * hourMilliseconds,
  w: 7 * 24 * hourMilliseconds,
};

/** When a key expires, in milliseconds: at a time, or so long after its creation; both null for never. */
export type Expiry = { expiresAt: number | null; expiresAfter: number | null };

export const neverExpires: Expiry = { expiresAt: null, expiresAfter: null };

/** Reads the value of `--expires`. Throws UsageError for what is no duration or date, or not in the future. */
export function parseExpiry(text: string, now: number): Expiry {
  const [, amount, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const expiresAfter = amount === undefined ? null : Number(amount) * (unitMilliseconds[unit] ?? 0);
  const expiresAt = expiresAfter === null ? parseTimestamp(text) : null;
  if (expiresAt === undefined)
    throw new UsageError("--expires must be such as 24h, 90d, 12w, or an ISO 8601 date.");
  if (expiresAfter === 0 || (expiresAt !== null && expiresAt <= now))
    throw new UsageError("--expires must be in the future.");
  return { expiresAt, expiresAfter };
}
