/** Numbers that depend on a text only: the minimal standard generator of Park and Miller. */
export class Random {
  static readonly #modulus = 2 ** 31 - 1;
  #state: number;

  constructor(text: string) {
    this.#state = 1 + (Bun.hash.crc32(text) % (Random.#modulus - 1));
    this.next();
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state * 48_271) % Random.#modulus;
    return this.#state / Random.#modulus;
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** About normal, with the mean 0 and the deviation 1; from -3 to 3. */
  normal(): number {
    return 2 * (this.next() + this.next() + this.next()) - 3;
  }

  /** An item of a list that is not empty. */
  item<T>(list: readonly T[]): T {
    // Safe: the index is below the length.
    return list[this.integer(0, list.length - 1)] as T;
  }
}
