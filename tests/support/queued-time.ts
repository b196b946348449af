import { readFileSync } from "node:fs";

/** Milliseconds for which the main thread waited for a processor, as Linux counts it; 0 elsewhere. */
export function queuedTimeOf(process: number | "self"): number {
  try {
    return Number(readFileSync(`/proc/${process}/schedstat`, "latin1").split(" ")[1]) / 1_000_000;
  } catch {
    return 0;
  }
}
