import type { Value } from "../engine.ts";

/** Compares rows of values as SQLite orders them: null, numbers, texts by their UTF-8 bytes. */
export function compareRows(a: readonly Value[], b: readonly Value[]): number {
  for (let i = 0; i < a.length; i += 1) {
    const difference = compareValues(a[i] ?? null, b[i] ?? null);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareValues(a: Value, b: Value): number {
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : 1;
  return rankOfType(a) - rankOfType(b);
}

function rankOfType(value: Value): number {
  if (value === null) return 0;
  return typeof value === "number" ? 1 : 2;
}

function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rankOfUnit(x) - rankOfUnit(y);
  }
  return a.length - b.length;
}

/** UTF-8 orders by code point: surrogates sort after all other UTF-16 units. */
function rankOfUnit(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

type Compare = (a: Value[], b: Value[]) => number;

/** The first `count` rows of many lists, each in the order of `compare`. */
export class FirstRows {
  readonly #count: number;
  readonly #compare: Compare;
  /** Each list is at least twice as long as the next, so that merging takes amortized O(log n) time per row. */
  readonly #lists: Value[][][] = [];

  constructor(count: number, compare: Compare) {
    this.#count = count;
    this.#compare = compare;
  }

  add(rows: Value[][]): void {
    let list = rows;
    for (let last = this.#lists.at(-1); last && last.length < 2 * list.length; last = this.#lists.at(-1)) {
      this.#lists.pop();
      list = this.#merge(last, list);
    }
    if (list.length > 0) this.#lists.push(list);
  }

  /** The first `count` rows, in order. */
  get rows(): Value[][] {
    return this.#lists.reduceRight((merged, list) => this.#merge(list, merged), []);
  }

  #merge(a: Value[][], b: Value[][]): Value[][] {
    const merged: Value[][] = [];
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
