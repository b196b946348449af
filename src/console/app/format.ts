/** The language of the texts. */
export const language = "en";

/** How an organization shows amounts and numbers. */
export type NumberFormats = {
  /** An ISO 4217 code; null: amounts are plain numbers. */
  currency: string | null;
  /** The BCP 47 tag of a locale; null: the browser's. */
  numberFormat: string | null;
};

/** Dates have the form of the browser's locale, numbers of the organization's; words among them are in the language of the texts. */
let formatters = formattersOf({ currency: null, numberFormat: null });
const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
/** A day of the API is a UTC day, and is shown as that day everywhere. */
const utcDays = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const times = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const dayCounts = new Intl.NumberFormat(language, {
  style: "unit",
  unit: "day",
  unitDisplay: "long",
  maximumFractionDigits: 2,
});
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

function formattersOf({ currency, numberFormat }: NumberFormats) {
  const create = (options: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(numberFormat ?? undefined, options);
  const amount: Intl.NumberFormatOptions =
    currency === null
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : { style: "currency", currency };
  return {
    integers: create({ maximumFractionDigits: 0 }),
    decimals: create({ maximumFractionDigits: 2 }),
    signed: create({ maximumFractionDigits: 1, signDisplay: "exceptZero" }),
    amounts: create(amount),
    wholeAmounts: create({ ...amount, minimumFractionDigits: 0, maximumFractionDigits: 0 }),
    compact: create({ notation: "compact", maximumFractionDigits: 1 }),
    percents: create({ style: "percent", maximumFractionDigits: 0 }),
  };
}

/** Sets how the organization shows amounts and numbers. */
export function setNumberFormats(formats: NumberFormats): void {
  formatters = formattersOf(formats);
}

/** An amount in other formats than the organization's. */
export const formatAmountIn = (formats: NumberFormats, amount: number) =>
  formattersOf(formats).amounts.format(amount);

export const formatCount = (count: number) => formatters.integers.format(count);
export const formatNumber = (value: number) => formatters.decimals.format(value);
/** Such as "+1.5". */
export const formatSigned = (value: number) => formatters.signed.format(value);
/** Monthly recurring revenue, of one account or of many. */
export const formatMrr = (mrr: number) => formatters.amounts.format(mrr);
/** MRR without cents, for tables and sums. */
export const formatWholeMrr = (mrr: number) => formatters.wholeAmounts.format(mrr);
export const formatCompact = (value: number) => formatters.compact.format(value);
export const formatPercent = (part: number) => formatters.percents.format(part);
/** Such as "1.2 MB". */
export function formatBytes(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const unit = byteUnits[power] ?? "byte";
  // The short form of bytes has no plural.
  const unitDisplay = power === 0 ? "long" : "short";
  const options = { style: "unit", unit, unitDisplay, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, options).format(bytes / 1_000 ** power);
}
/** The local date of a timestamp. */
export const formatDate = (timestamp: string) => days.format(new Date(timestamp));
/** A UTC day such as `2026-05-01`. Another text, which an attribute with a changed type may have, stays as it is. */
export function formatDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? day : utcDays.format(date);
}
export const formatTime = (timestamp: string) => times.format(new Date(timestamp));

/** Such as "Nov 3, 2026, 10:00 – 10:30 AM". */
export const formatTimeRange = (start: string, end: string) =>
  times.formatRange(new Date(start), new Date(end));
/** Such as "20 days". */
export const formatDays = (count: number) => dayCounts.format(count);

/** Such as "Europe/Berlin". */
export const timeZoneName = () => times.resolvedOptions().timeZone;

/** Such as "3 days ago". */
export function formatAge(timestamp: string, now = Date.now()): string {
  const seconds = Math.round((new Date(timestamp).getTime() - now) / 1000);
  const units = [
    ["year", 31_536_000],
    ["month", 2_592_000],
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ] as const;
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  return relative.format(0, "minute");
}
