import type { Engine, ReadHints, Snapshot } from "../../engine.ts";
import { type IndexSearches, MovedSearch } from "./index-searches.ts";
import type { ReadTurns } from "./read-turns.ts";
import type { ReadWorkers } from "./read-workers.ts";
import { MovedRead } from "./slow-reads.ts";
import type { SnapshotReader } from "./snapshots.ts";

/** A search moves again when its index was renewed meanwhile. After so many moves, a read runs on a worker thread. */
const maxMoves = 3;

type Places = { reader: SnapshotReader; turns: ReadTurns; searches: IndexSearches; workers: ReadWorkers };

/** Runs reads where they delay others least: at once, in later turns of the event loop, or on a worker thread. */
export function movingReads({ reader, turns, searches, workers }: Places): Engine["read"] {
  return async function read<T>(fn: (snapshot: Snapshot) => Promise<T>, hints: ReadHints = {}): Promise<T> {
    if (hints.place === "reader") return workers.read(hints.organizationId ?? 0, fn);
    let run = () => reader.read(fn);
    for (let moves = 0; ; moves += 1) {
      let moved: unknown;
      try {
        return await run();
      } catch (error) {
        moved = error;
      }
      if (!(moved instanceof MovedRead)) throw moved;
      const { organizationId, to } = moved;
      if (to === "worker" || moves === maxMoves) return workers.read(organizationId, fn);
      if (moved instanceof MovedSearch) {
        const search = moved;
        run = () => searches.run(search, (found) => reader.read(fn, { hasTurn: true, found }));
      } else run = () => turns.run(organizationId, () => reader.read(fn, { hasTurn: true }));
    }
  };
}
