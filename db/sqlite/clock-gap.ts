import type { Database } from "bun:sqlite";
import { type ClockGap, gapAt, insertGapSql, lastGapSql, newestTimeSql } from "../clock-gaps.ts";
import { isBusy } from "../errors.ts";
import { withWritableDatabase } from "./file.ts";

type GapRow = { started_at: number; newest_at: number };

/** The gap in which the clock is not trusted now, after it was stored; undefined if it is trusted. */
export function readClockGap(file: string, now: number): ClockGap | undefined {
  return withWritableDatabase(file, ({ client }) => {
    const last = client.query<GapRow, [number]>(lastGapSql).get(now);
    const newest = client.query<{ time: number | null }, []>(newestTimeSql).get();
    const gap = gapAt(
      now,
      newest?.time ?? null,
      last ? { startedAt: last.started_at, newestAt: last.newest_at } : undefined,
    );
    if (gap && gap.startedAt === now) storeGap(client, gap);
    return gap;
  });
}

/** While another program has the write lock, the gap is of this process alone. */
function storeGap(client: Database, { startedAt, newestAt }: ClockGap): void {
  try {
    client.query(insertGapSql).run(startedAt, newestAt);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}
