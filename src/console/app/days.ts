/** UTC days, such as `2026-05-01`. */
const msPerDay = 86_400_000;

/** The UTC day `count` days before today. */
export function dayBefore(count: number, now = Date.now()): string {
  return new Date(now - count * msPerDay).toISOString().slice(0, 10);
}

/** The UTC days from `from` to `to`, both included. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += msPerDay)
    days.push(new Date(time).toISOString().slice(0, 10));
  return days;
}
