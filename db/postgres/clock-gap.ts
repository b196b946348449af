import type { SQL } from "bun";
import { type ClockGap, gapAt, insertGapSql, lastGapSql, newestTimeSql } from "../clock-gaps.ts";

/** The gap in which the clock is not trusted now, after it was stored; undefined if it is trusted. */
export async function readClockGap(sql: SQL, now: number): Promise<ClockGap | undefined> {
  const [last] = await sql.unsafe(lastGapSql, [String(now)]);
  const [newest] = await sql.unsafe(newestTimeSql);
  const gap = gapAt(
    now,
    newest.time === null ? null : Number(newest.time),
    last && { startedAt: Number(last.started_at), newestAt: Number(last.newest_at) },
  );
  if (gap?.startedAt === now) await sql.unsafe(insertGapSql, [String(now), String(gap.newestAt)]);
  return gap;
}
