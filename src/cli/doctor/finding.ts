/** One line of `accountd doctor`: `found` are sentences, and so is `action`, which says what to do; null: nothing. */
export type Finding = {
  check: string;
  status: "ok" | "warning" | "error";
  found: string;
  action: string | null;
};
/** What to do about an error, or else about a warning; false or undefined: the finding is no error, or no warning. */
export type Actions = { error?: string | false | undefined; warning?: string | false | undefined };

export function finding(check: string, found: string, { error, warning }: Actions = {}): Finding {
  if (error) return { check, status: "error", found, action: error };
  if (warning) return { check, status: "warning", found, action: warning };
  return { check, status: "ok", found, action: null };
}

/** The size, rounded, in the largest unit that is not larger than it. */
export function formatBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const index = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Math.round(bytes / 1024 ** index)} ${units[index]}`;
}

/** Such as `3 days`, rounded, in the largest unit that fits twice. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  const units = Object.entries({ days: 86_400, hours: 3_600, minutes: 60 });
  const [name, length] = units.find(([, length]) => seconds >= 2 * length) ?? ["seconds", 1];
  return `${Math.round(seconds / length)} ${name}`;
}
