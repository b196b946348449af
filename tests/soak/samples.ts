import { readdirSync, statSync } from "node:fs";
import { childrenOf, privateKilobytes } from "../faults/memory.ts";

/** `minutes` since the start of the run; the other fields are what is measured, each with its unit or as a count. */
export type Sample = { minutes: number } & Record<Measure, number>;
export type Measure = "privateMB" | "databaseServerMB" | "descriptors" | "readers" | "walMB";

export type Sampled = {
  pid: number;
  /** The SQLite file. */
  file?: string;
  /** The PostgreSQL server. */
  databasePid?: number;
};

/** Measures the processes of a server once, and the WAL of its file. */
export function sample({ pid, file, databasePid }: Sampled, minutes: number): Sample {
  const readers = childrenOf(pid);
  const privateOf = (pids: readonly number[]) =>
    pids.reduce((sum, process) => sum + privateKilobytes(process), 0) / 1_024;
  return {
    minutes,
    privateMB: privateOf([pid, ...readers]),
    databaseServerMB: databasePid === undefined ? 0 : privateOf([databasePid, ...childrenOf(databasePid)]),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    readers: readers.length,
    walMB: file === undefined ? 0 : (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20,
  };
}

/** The samples of a window are one value, their smallest: memory rises and falls with each garbage collection. */
const windowCount = 8;

/**
 * The change of a measure per hour: the median of the slopes between all pairs of windows (Theil 1950, Sen 1968), which
 * a few outliers do not change.
 */
export function slopePerHour(samples: readonly Sample[], measure: Measure): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) return Number.NaN;
  const windowMinutes = (last.minutes - first.minutes) / windowCount;
  const windows = Map.groupBy(samples, ({ minutes }) =>
    Math.min(windowCount - 1, Math.floor((minutes - first.minutes) / windowMinutes)),
  );
  const lowest = [...windows].map(([number, all]) => ({
    hours: (number * windowMinutes) / 60,
    value: Math.min(...all.map((each) => each[measure])),
  }));
  const slopes = lowest.flatMap((earlier, i) =>
    lowest.slice(i + 1).map((later) => (later.value - earlier.value) / (later.hours - earlier.hours)),
  );
  return slopes.toSorted((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? Number.NaN;
}
