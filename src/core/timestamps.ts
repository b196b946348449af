const pattern =
  /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?$/;
const exactForm = "2026-01-02T03:04:05.678Z";

/**
 * Parses an ISO 8601 date or date-time to milliseconds since 1970 UTC; undefined when it is invalid. Without an offset
 * it is UTC. A date without a time is midnight. Digits beyond milliseconds are truncated.
 */
export function parseTimestamp(text: string): number | undefined {
  // The fast path: most texts have the form of `formatTimestamp`.
  const exact = text.length === exactForm.length ? parseExact(text) : undefined;
  if (exact !== undefined) return exact;
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, day, minute = "00:00", second = "00", fraction = "", sign, hours = "00", minutes = "00"] = match;
  const local = parseExact(`${day}T${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}Z`);
  if (local === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * millisecondsOfMinute;
  const time = sign === "-" ? local + offset : local - offset;
  return time >= yearZero && time <= yearTenThousand ? time : undefined;
}

/** Whether a text is a date of the calendar as `formatDay` formats it. */
export function isCalendarDate(text: string): boolean {
  return text.length === "2026-01-02".length && parseTimestamp(text) !== undefined;
}

/** Accepts only the exact form: `Date.parse` may read 30 February as a day of March, and 24:00 as the next day. */
function parseExact(text: string): number | undefined {
  if (text === lastText) return lastTime;
  const time = Date.parse(text);
  return !Number.isNaN(time) && formatTimestamp(time) === text ? time : undefined;
}

/** Formats milliseconds since 1970 UTC as the API does: `2026-01-02T03:04:05.678Z`. */
export function formatTimestamp(time: number): string {
  if (time === lastTime) return lastText;
  lastText = new Date(time).toISOString();
  lastTime = time;
  return lastText;
}

/** The last formatted or parsed timestamp: a change has one time in several fields, and a text is validated and then read. */
let [lastTime, lastText] = [Number.NaN, ""];

export function formatNullable(time: number | null): string | null {
  return time === null ? null : formatTimestamp(time);
}

/** The UTC day of a timestamp, in days since 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / millisecondsOfDay);
}

export const millisecondsOfMinute = 60_000;
export const millisecondsOfHour = 60 * millisecondsOfMinute;
export const millisecondsOfDay = 24 * millisecondsOfHour;

/** Formats a UTC day, in days since 1970, as the API does: `2026-01-02`. */
export function formatDay(day: number): string {
  return formatTimestamp(day * millisecondsOfDay).slice(0, 10);
}

const yearZero = -62_167_219_200_000;
const yearTenThousand = 253_402_300_799_999;
