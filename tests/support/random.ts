/** Scrambles 32 bits, each number to another one (the last step of MurmurHash3). */
export function scramble(number: number): number {
  let bits = number | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** The n-th number from 0 up to 1 of a series; any of them can be asked for without those before it. */
export function numberAt(series: number, n: number): number {
  return scramble(scramble(series + 0x9e3779b9) ^ n) / 0x1_0000_0000;
}

/** Numbers from 0 up to 1, the same ones for the same seed. */
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

  /** A whole number from 0 up to `limit`, without it. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  of<T>(list: readonly T[]): T {
    return at(list, this.below(list.length));
  }

  /** The earlier ones more often, as words are used. */
  ofRanked<T>(list: readonly T[]): T {
    return at(list, Math.floor(this.next() * this.next() * list.length));
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error("nothing can be chosen from an empty list");
  return item;
}
