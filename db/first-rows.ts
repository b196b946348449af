/** The first `count` rows of many lists, each in the order of `compare`. */
export class FirstRows<R> {
  readonly #count: number;
  readonly #compare: (a: R, b: R) => number;
  /** Each list is at least twice as long as the next, so that merging takes amortized O(log n) time per row. */
  readonly #lists: R[][] = [];

  constructor(count: number, compare: (a: R, b: R) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  add(rows: R[]): void {
    let list = rows;
    for (let last = this.#lists.at(-1); last && last.length < 2 * list.length; last = this.#lists.at(-1)) {
      this.#lists.pop();
      list = this.#merge(last, list);
    }
    if (list.length > 0) this.#lists.push(list);
  }

  /** The first `count` rows, in order. */
  get rows(): R[] {
    return this.#lists.reduceRight((merged, list) => this.#merge(list, merged), []);
  }

  #merge(a: R[], b: R[]): R[] {
    const merged: R[] = [];
    let i = 0;
    let j = 0;
    while (merged.length < this.#count) {
      const x = a[i];
      const y = b[j];
      if (x && (!y || this.#compare(x, y) <= 0)) {
        merged.push(x);
        i += 1;
      } else if (y) {
        merged.push(y);
        j += 1;
      } else break;
    }
    return merged;
  }
}
