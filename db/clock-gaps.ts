import { distrustMilliseconds } from "./clock.ts";

/** A start at which the clock was far ahead of the newest stored time, both in milliseconds since 1970 UTC. */
export type ClockGap = { startedAt: number; newestAt: number };

/** Called at a start with a gap: the clock, and the newest stored time before. */
export type OnClockAhead = (time: number, newestTime: number) => void;

/** Without a stored time for so long, the clock may be wrong: many machines start at another time after a power cut. */
const maxGapMilliseconds = 30 * 86_400_000;

const lastOf = (column: string, table: string, key: string) =>
  `SELECT max((SELECT ${column} FROM ${table} WHERE organization_id = organizations.id ORDER BY ${key} DESC LIMIT 1)) AS time FROM organizations`;
/** The newest time that the database has, as `time`, or null. It is read by indexes. */
export const newestTimeSql = `SELECT max(time) AS time FROM (
  SELECT max(created_at) AS time FROM organizations
  UNION ALL SELECT max(created_at) FROM api_keys
  UNION ALL SELECT max(last_used_at) FROM api_keys
  UNION ALL ${lastOf("changed_at", "changes", "sequence")}
  UNION ALL ${lastOf("received_at", "events", "id")}
) AS times`;
export const lastGapSql =
  "SELECT started_at, newest_at FROM clock_gaps WHERE started_at <= $1 ORDER BY started_at DESC LIMIT 1";
export const insertGapSql =
  "INSERT INTO clock_gaps (started_at, newest_at) VALUES ($1, $2) ON CONFLICT DO NOTHING";

/**
 * The gap in which the clock is not trusted now; undefined if it is trusted. A gap ends 24 hours after its start, also
 * if there were restarts: what was stored since then has the times of the same clock.
 */
export function gapAt(
  now: number,
  newestAt: number | null,
  last: ClockGap | undefined,
): ClockGap | undefined {
  if (last && now - last.startedAt < distrustMilliseconds) return last;
  // This gap ended, and nothing was stored since.
  if (last && last.newestAt === newestAt) return undefined;
  return newestAt !== null && now - newestAt > maxGapMilliseconds ? { startedAt: now, newestAt } : undefined;
}
