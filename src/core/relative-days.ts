import { millisecondsOfDay, parseTimestamp } from "./timestamps.ts";

const relativeDay = /^(?:today|(-?(?:0|[1-9][0-9]{0,4}))d)$/;
/** What the text of a relative day can be, in a sentence. */
export const relativeDayText = "a day such as today, 7d (in 7 days) or -30d (30 days ago)";

/** Whether a text is a UTC day by its distance from today: `today`, `7d`, `-30d`. */
export function isRelativeDay(text: string): boolean {
  return relativeDay.test(text);
}

/** The UTC day of such a text, in days since 1970; undefined for another text. */
export function readRelativeDay(text: string, today: number): number | undefined {
  const match = relativeDay.exec(text);
  return match ? today + Number(match[1] ?? 0) : undefined;
}

/** The timestamp of a text as of `parseTimestamp`, or the first millisecond of a relative day. */
export function parseTimestampOrDay(text: string, today: number): number | undefined {
  const day = readRelativeDay(text, today);
  return day === undefined ? parseTimestamp(text) : day * millisecondsOfDay;
}
