import { readFileSync } from "node:fs";

/** Milliseconds for which the main thread waited for a processor, as Linux counts it; 0 elsewhere. */
export function queuedTimeOf(process: number | "self"): number {
  return scheduledTimeOf(process, 1);
}

/** Milliseconds for which the main thread ran, as Linux counts it; 0 elsewhere. */
export function runningTimeOf(process: number | "self"): number {
  return scheduledTimeOf(process, 0);
}

function scheduledTimeOf(process: number | "self", column: number): number {
  try {
    return Number(readFileSync(`/proc/${process}/schedstat`, "latin1").split(" ")[column]) / 1_000_000;
  } catch {
    return 0;
  }
}
