import { UsageError } from "../core/operator-error.ts";
import { parseTimestamp } from "../core/timestamps.ts";

const hourMilliseconds = 3_600_000;
const unitMilliseconds: Readonly<Record<string, number>> = {
  h: hourMilliseconds,
  d: 24 * hourMilliseconds,
  w: 7 * 24 * hourMilliseconds,
};

/** The time that `--expires` names, in milliseconds: a duration from `now`, or a date. Throws UsageError. */
export function parseExpiry(text: string, now: number): number {
  const [, amount, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const time =
    amount === undefined ? parseTimestamp(text) : now + Number(amount) * (unitMilliseconds[unit] ?? 0);
  if (time === undefined)
    throw new UsageError("--expires must be such as 24h, 90d, 12w, or an ISO 8601 date.");
  if (time <= now) throw new UsageError("--expires must be in the future.");
  return time;
}
