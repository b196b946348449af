import { fullGC } from "bun:jsc";

/** Bytes of bodies that are parsed and in progress at once: of all organizations, and of one. Others wait as bytes. */
const maxParsedBytes = 2 * 1_048_576;
const maxParsedBytesOfOne = 524_288;
/** After a body, the next one of its organization waits for a millisecond for each part of this size. */
const bytesPerPauseMillisecond = 65_536;
/** Garbage of parsed bodies that is left to the collector, in bytes. */
const maxGarbageBytes = 32 * 1_048_576;

type WaitingBody = { owner: number; bytes: number; begin: () => void };

/**
 * Limits the memory of parsed bodies, which is many times their bytes. A body above the limit of an organization is
 * parsed when no other body of it is. Runs the garbage collector, which otherwise starts at a multiple of the memory in
 * use.
 */
export class ParseQueue {
  readonly #collect: () => void;
  #parsedBytes = 0;
  readonly #parsedBytesBy = new Map<number, number>();
  readonly #waiting: WaitingBody[] = [];
  #garbageBytes = 0;

  constructor(collect: () => void = fullGC) {
    this.#collect = collect;
  }

  /** Resolves when a body of the owner may be parsed: in the order of its bodies. */
  begin(owner: number, bytes: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ owner, bytes, begin: resolve });
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
    const blocked = new Set<number>();
    for (const body of [...this.#waiting]) {
      const { owner, bytes, begin } = body;
      const used = this.#parsedBytesBy.get(owner) ?? 0;
      // Bodies of an owner keep their order. A body that waits for the total limit stops all later ones.
      if (blocked.has(owner) || (used > 0 && used + bytes > maxParsedBytesOfOne)) blocked.add(owner);
      else if (this.#parsedBytes + bytes > maxParsedBytes) return;
      else {
        this.#waiting.splice(this.#waiting.indexOf(body), 1);
        this.#use(owner, bytes);
        begin();
      }
    }
  }

  #use(owner: number, bytes: number): void {
    this.#parsedBytes += bytes;
    const used = (this.#parsedBytesBy.get(owner) ?? 0) + bytes;
    if (used > 0) this.#parsedBytesBy.set(owner, used);
    else this.#parsedBytesBy.delete(owner);
  }
}
