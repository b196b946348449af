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

/** The samples of so many minutes are one value, their smallest: memory rises and falls with each garbage collection. */
const windowMinutes = 2;

/**
 * The change of a measure per hour: the median of the slopes between all pairs of windows (Theil 1950, Sen 1968), which
 * a few outliers do not change.
 */
export function slopePerHour(samples: readonly Sample[], measure: Measure): number {
  const windows = Map.groupBy(samples, ({ minutes }) => Math.floor(minutes / windowMinutes));
  const lowest = [...windows].map(([number, all]) => ({
    hours: (number * windowMinutes) / 60,
    value: Math.min(...all.map((each) => each[measure])),
  }));
  const slopes = lowest.flatMap((first, i) =>
    lowest.slice(i + 1).map(({ hours, value }) => (value - first.value) / (hours - first.hours)),
  );
  return slopes.toSorted((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? Number.NaN;
}
