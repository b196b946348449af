import type { Random } from "../support/random.ts";
import type { Content } from "./power-content.ts";
import type { Change, Naming } from "./power-disk.ts";

/** The part of the unsynced changes that is on the disk after the loss. */
export type Loss = {
  keepsName(change: Naming): boolean;
  /** The file's content after the loss. */
  left(synced: Content, changes: readonly Change[]): Content;
};

/** A disk writes this number of bytes atomically. */
const sector = 512;

/** The kinds of losses by name. `unsynced` are the steps whose effect may be lost. */
export const losses: Record<string, (random: Random, unsynced: readonly number[]) => Loss> = {
  "nothing kept": () => keeping(() => false),
  "all kept": () => keeping(() => true),
  // A prefix of the changes in their order, the last one in part.
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
  // The metadata of the file system is on the disk, and a part of the data.
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

/** The write, split at the boundaries of sectors. */
function* sectorsOf({ offset, data }: { offset: number; data: Uint8Array }) {
  for (let from = 0; from < data.length; ) {
    const end = Math.min(data.length, from + sector - ((offset + from) % sector));
    yield { offset: offset + from, data: data.subarray(from, end) };
    from = end;
  }
}
