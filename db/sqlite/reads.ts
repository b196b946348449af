import type { Engine, Snapshot } from "../engine.ts";
import type { ReadTurns } from "./read-turns.ts";
import type { ReadWorkers } from "./read-workers.ts";
import { MovedRead } from "./slow-reads.ts";
import type { SnapshotReader } from "./snapshots.ts";

/** Runs reads where they delay others least: at once, in a later turn of the event loop, or on a worker thread. */
export function movingReads(reader: SnapshotReader, turns: ReadTurns, workers: ReadWorkers): Engine["read"] {
  return async function read<T>(fn: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    let moved: unknown;
    try {
      return await reader.read(fn);
    } catch (error) {
      moved = error;
    }
    if (moved instanceof MovedRead && moved.to === "later turn") {
      try {
        return await turns.run(moved.organizationId, () => reader.read(fn, { hasTurn: true }));
      } catch (error) {
        moved = error;
      }
    }
    if (moved instanceof MovedRead) return workers.read(moved.organizationId, fn);
    throw moved;
  };
}
