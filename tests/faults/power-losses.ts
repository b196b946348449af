import type { Random } from "../support/random.ts";
import type { Content } from "./power-content.ts";
import type { Change, Naming } from "./power-disk.ts";

/** What of the changes that were not synced a disk is left with. */
export type Loss = {
  keepsName(change: Naming): boolean;
  /** The file's content after the loss. */
  left(synced: Content, changes: readonly Change[]): Content;
};

/** A disk writes this many bytes whole or not at all. */
const sector = 512;

/** The ways in which the power may be lost, by their names. `unsynced` are the steps whose effect may be lost. */
export const losses: Record<string, (random: Random, unsynced: readonly number[]) => Loss> = {
  "nothing kept": () => keeping(() => false),
  "all kept": () => keeping(() => true),
  // In the order in which they were made, the last of them in parts.
  "kept up to a moment": (random, unsynced) => {
    const last = unsynced[random.below(unsynced.length)] ?? 0;
    return keeping(
      ({ at }) => at <= last,
      ({ at }) => at < last || random.next() < 0.5,
    );
  },
  "some kept": (random) => {
    const share = random.next();
    return keeping(() => random.next() < share);
  },
  "sectors kept": (random) => {
    const share = random.next();
    return keeping(
      (change) => "data" in change || random.next() < share,
      () => random.next() < share,
    );
  },
  // The file system's own journal is on the disk, and the data that it is about is in part.
  "names and sizes kept": (random) => {
    const share = random.next();
    const loss = keeping(
      () => true,
      () => random.next() < share,
    );
    return {
      ...loss,
      left(synced, changes) {
        const whole = synced.copy(roomFor(changes));
        for (const change of changes) whole.change(change);
        const left = loss.left(synced, changes);
        if (left.size < whole.size) left.resize(whole.size);
        return left;
      },
    };
  },
};

function keeping(
  keeps: (change: Change | Naming) => boolean,
  keepsSector: (change: Change) => boolean = () => true,
): Loss {
  return {
    keepsName: keeps,
    left(synced, changes) {
      const left = synced.copy(roomFor(changes));
      for (const change of changes) {
        if (!keeps(change)) continue;
        if ("size" in change) left.resize(change.size);
        else
          for (const part of sectorsOf(change)) if (keepsSector(change)) left.write(part.offset, part.data);
      }
      return left;
    },
  };
}

function roomFor(changes: readonly Change[]): number {
  return changes.reduce(
    (room, change) => Math.max(room, "size" in change ? change.size : change.offset + change.data.length),
    0,
  );
}

/** The write, cut where one sector of the file ends and the next begins. */
function* sectorsOf({ offset, data }: { offset: number; data: Uint8Array }) {
  for (let from = 0; from < data.length; ) {
    const end = Math.min(data.length, from + sector - ((offset + from) % sector));
    yield { offset: offset + from, data: data.subarray(from, end) };
    from = end;
  }
}
