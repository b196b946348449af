import { fullGC } from "bun:jsc";

/** Bytes of bodies that are parsed and in progress at once: of all organizations, and of one. Others wait as bytes. */
const maxParsedBytes = 2 * 1_048_576;
const maxParsedBytesOfOne = 524_288;
/** After a body, the next one of its organization waits for a millisecond for each part of this size. */
const bytesPerPauseMillisecond = 65_536;
/** Garbage of parsed bodies that is left to the collector, in bytes. */
const maxGarbageBytes = 16 * 1_048_576;

type WaitingBody = { bytes: number; begin: () => void };

/**
 * Limits the memory of parsed bodies, which is many times their bytes. A body above the limit of an organization is
 * parsed when no other body of it is. Runs the garbage collector, which otherwise starts at a multiple of the memory in
 * use.
 */
export class ParseQueue {
  readonly #collect: () => void;
  #parsedBytes = 0;
  readonly #parsedBytesBy = new Map<number, number>();
  /** By owner. None is empty. The first owner is next: a map keeps the order of insertion. */
  readonly #waiting = new Map<number, WaitingBody[]>();
  #garbageBytes = 0;

  constructor(collect: () => void = fullGC) {
    this.#collect = collect;
  }

  /** Resolves when a body of the owner may be parsed. The owners are served in turn. */
  begin(owner: number, bytes: number): Promise<void> {
    return new Promise((resolve) => {
      const bodies = this.#waiting.get(owner) ?? [];
      bodies.push({ bytes, begin: resolve });
      this.#waiting.set(owner, bodies);
      this.#beginNext();
    });
  }

  /** Ends what began with `begin`. `garbageBytes` is about the memory that the body used. */
  end(owner: number, bytes: number, garbageBytes: number): void {
    this.#garbageBytes += garbageBytes;
    // In a later turn the request has no references, and the collector does not scan unreachable objects.
    setImmediate(() => {
      if (this.#garbageBytes > maxGarbageBytes) {
        this.#garbageBytes = 0;
        this.#collect();
      }
      // The pause lets other writes run between large bodies.
      setTimeout(() => {
        this.#use(owner, -bytes);
        this.#beginNext();
      }, bytes / bytesPerPauseMillisecond);
    });
  }

  #beginNext(): void {
    for (const [owner, bodies] of this.#waiting) {
      const [next] = bodies;
      const used = this.#parsedBytesBy.get(owner) ?? 0;
      if (!next || (used > 0 && used + next.bytes > maxParsedBytesOfOne)) continue;
      // No smaller body overtakes the one whose turn it is: it would wait forever.
      if (this.#parsedBytes + next.bytes > maxParsedBytes) return;
      bodies.shift();
      // This loop visits the owner again, after the others.
      this.#waiting.delete(owner);
      if (bodies.length > 0) this.#waiting.set(owner, bodies);
      this.#use(owner, next.bytes);
      next.begin();
    }
  }

  #use(owner: number, bytes: number): void {
    this.#parsedBytes += bytes;
    const used = (this.#parsedBytesBy.get(owner) ?? 0) + bytes;
    if (used > 0) this.#parsedBytesBy.set(owner, used);
    else this.#parsedBytesBy.delete(owner);
  }
}
