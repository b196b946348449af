import { fullGC } from "bun:jsc";

/** Large bodies that are parsed and in progress at once, one of an organization. Others wait as bytes. */
const maxParsed = 2;
/** Garbage of large bodies that is left to the collector, in bytes. */
const maxGarbageBytes = 32 * 1_048_576;

type WaitingBody = { owner: number; begin: () => void };

/**
 * Limits the memory of large bodies that are parsed, which is many times their bytes. It collects the garbage itself:
 * the collector starts late, at a multiple of the memory in use.
 */
export class ParseQueue {
  readonly #collect: () => void;
  readonly #parsed = new Set<number>();
  readonly #waiting: WaitingBody[] = [];
  #garbageBytes = 0;

  constructor(collect: () => void = fullGC) {
    this.#collect = collect;
  }

  /** Resolves when a large body of the owner may be parsed. */
  begin(owner: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ owner, begin: resolve });
      this.#beginNext();
    });
  }

  /** Ends what began with `begin`. `garbageBytes` is about the memory that the body used. */
  end(owner: number, garbageBytes: number): void {
    this.#garbageBytes += garbageBytes;
    // In a later turn the request references nothing any more. Unreachable objects take no time of a collection.
    setImmediate(() => {
      if (this.#garbageBytes > maxGarbageBytes) {
        this.#garbageBytes = 0;
        this.#collect();
      }
      this.#parsed.delete(owner);
      this.#beginNext();
    });
  }

  #beginNext(): void {
    const next = this.#waiting.findIndex(({ owner }) => this.#canBegin(owner));
    const [body] = next === -1 ? [] : this.#waiting.splice(next, 1);
    if (!body) return;
    this.#parsed.add(body.owner);
    body.begin();
  }

  #canBegin(owner: number): boolean {
    return this.#parsed.size < maxParsed && !this.#parsed.has(owner);
  }
}
