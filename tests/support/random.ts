/** A bijection of 32-bit numbers: the final mix of MurmurHash3. */
export function scramble(number: number): number {
  let bits = number | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** The n-th number of a series in [0, 1), computed without the numbers before it. */
export function numberAt(series: number, n: number): number {
  return scramble(scramble(series + 0x9e3779b9) ^ n) / 0x1_0000_0000;
}

/** Pseudo-random numbers in [0, 1), determined by the seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  of<T>(list: readonly T[]): T {
    return at(list, this.below(list.length));
  }

  /** Prefers earlier elements, in the distribution of words in a text. */
  ofRanked<T>(list: readonly T[]): T {
    return at(list, Math.floor(this.next() * this.next() * list.length));
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error("nothing can be chosen from an empty list");
  return item;
}
