/** The order of day and month in a date such as `01.11.2026`. `iso`: such a date is rejected. */
export const dateFormats = ["iso", "dmy", "mdy"] as const;
export type DateFormat = (typeof dateFormats)[number];

const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:(?:[Tt]|,?\s+)(\S.*))?$/;
const yearLast = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?:,?\s+(\S.*))?$/;
/** `09/Oct/25` and `5 July 2019`. */
const dayAndName =
  /^(?<day>\d{1,2})[-/.\s]\s*(?<name>[A-Za-z]{3,9})\.?[-/,\s]\s*(?<year>\d{4}|\d\d)(?:,?\s+(?<time>\S.*))?$/;
/** `October 30, 2026`. */
const nameAndDay = /^(?<name>[A-Za-z]{3,9})\.?\s+(?<day>\d{1,2}),?\s+(?<year>\d{4})(?:,?\s+(?<time>\S.*))?$/;
const months = "january february march april may june july august september october november december".split(
  " ",
);
const timeOfDay =
  /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s*([AaPp])\.?[Mm]\.?)?(?:\s*(Z|z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$/;

type DateParts = { year: string; month: string; day: string; time: string | undefined };

/**
 * The ISO 8601 text of a date, or of a date and a time, such as `2019-07-05T20:35:26` for `2019-07-05 20:35:26`, or
 * `2026-11-01` for `01.11.2026` with `dmy`. Undefined for another text, also for a date of another format.
 */
export function normalizeDate(text: string, format: DateFormat): string | undefined {
  const parts = partsOf(text.trim(), format);
  if (!parts) return undefined;
  const day = `${parts.year}-${parts.month.padStart(2, "0")}-${parts.day.padStart(2, "0")}`;
  if (parts.time === undefined) return day;
  const time = normalizeTime(parts.time);
  return time && `${day}T${time}`;
}

function partsOf(text: string, format: DateFormat): DateParts | undefined {
  const first = yearFirst.exec(text);
  if (first) {
    const [, year = "", , month = "", day = "", time] = first;
    return { year, month, day, time };
  }
  const last = format === "iso" ? null : yearLast.exec(text);
  if (!last) return namedParts(text);
  const [, before = "", , after = "", year = "", time] = last;
  const [day, month] = format === "dmy" ? [before, after] : [after, before];
  return Number(month) > 12 ? undefined : { year, month, day, time };
}

/** The name of a month shows the order in every format. A year of two digits is from 1969 to 2068, as POSIX reads `%y`. */
function namedParts(text: string): DateParts | undefined {
  const match = dayAndName.exec(text) ?? nameAndDay.exec(text);
  const { day = "", name = "", year = "", time } = match?.groups ?? {};
  const lower = name.toLowerCase();
  const month = months.findIndex((full) => full.startsWith(lower)) + 1;
  return month === 0 || !match
    ? undefined
    : { year: year.padStart(4, Number(year) < 69 ? "20" : "19"), month: String(month), day, time };
}

function normalizeTime(text: string): string | undefined {
  const match = timeOfDay.exec(text);
  if (!match) return undefined;
  const [, hour = "", minute = "", second = "00", fraction, half, zone = ""] = match;
  const isAfternoon = half?.toLowerCase() === "p";
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (isAfternoon ? 12 : 0);
  const offset = /^(?:z|utc|gmt)$/i.test(zone) ? "Z" : zone;
  return `${String(hours).padStart(2, "0")}:${minute}:${second}${fraction === undefined ? "" : `.${fraction}`}${offset}`;
}

/** Whether the order of day and month in a date, such as `01.11.2026`, is the one of its format. */
export function isDateOfFormat(text: string): boolean {
  return yearLast.test(text.trim());
}

/** Whether a text is such a date with a year of two digits, which may be the day. */
export function hasShortYear(text: string): boolean {
  return /^\d{1,2}([-/.])\d{1,2}\1\d\d(?:,?\s|$)/.test(text.trim());
}

/** Whether the first number can only be a day, and the second one can be a month. */
function isDayBeforeMonth(day = "", month = ""): boolean {
  return Number(day) > 12 && Number(day) <= 31 && Number(month) <= 12;
}

/**
 * The format that the texts of a column show by a day after the 12th. Undefined if they do not show it, or contradict each
 * other.
 */
export function proposeDateFormat(texts: Iterable<string>): DateFormat | undefined {
  let isIso = true;
  const shown = { dmy: false, mdy: false };
  for (const text of texts) {
    const [, before, , after] = yearLast.exec(text.trim()) ?? [];
    if (before === undefined) continue;
    isIso = false;
    shown.dmy ||= isDayBeforeMonth(before, after);
    shown.mdy ||= isDayBeforeMonth(after, before);
  }
  if (isIso) return "iso";
  if (shown.dmy === shown.mdy) return undefined;
  return shown.dmy ? "dmy" : "mdy";
}
