import { Pauses } from "../pauses.ts";

/** Changes that a transaction makes once, before it ends, instead of one by one. */
export type Combination<Tx, Item> = {
  /** The key of items that are combined. */
  keyOf(item: Item): string;
  /** Combines two items with the same key into a new one. */
  merge(sum: Item, item: Item): Item;
  /** Makes the changes of a combined item. */
  write(tx: Tx, item: Item): Promise<void>;
};
type Items<Tx> = Map<Combination<Tx, unknown>, Map<string, unknown>>;

/** The combined items of one transaction. */
export class CombinedWrites<Tx extends { pause(): Promise<void> }> {
  /** Stored rows that the transaction has read, by key. Cleared when the combined changes are written or undone. */
  readonly storedRows = new Map<string, unknown>();
  #items: Items<Tx> = new Map();
  /** Each takes back one change of the items: those of the attempts that run now. */
  readonly #undo: (() => void)[] = [];
  #attempts = 0;
  readonly #deferred = new Map<string, (tx: Tx) => Promise<void>>();

  /** Combines an item with those before it. Their changes are made once, before the transaction ends. */
  add<Item>(combination: Combination<Tx, Item>, item: Item): void {
    // Safe: the items of a combination have its type.
    const items = (this.#items.get(combination) ?? new Map()) as Map<string, Item>;
    this.#items.set(combination, items);
    const key = combination.keyOf(item);
    const sum = items.get(key);
    this.#onUndo(() => (sum === undefined ? items.delete(key) : items.set(key, sum)));
    items.set(key, sum === undefined ? item : combination.merge(sum, item));
  }

  /** The combined item that is not written yet, with the key of `item`. */
  pending<Item>(combination: Combination<Tx, Item>, item: Item): Item | undefined {
    // Safe: the items of a combination have its type.
    const items = this.#items.get(combination) as ReadonlyMap<string, Item> | undefined;
    return items?.get(combination.keyOf(item));
  }

  /** Runs a part of the transaction that may fail or run again: without what an earlier run of it has added. */
  attempt<T>(run: (work: () => Promise<T>) => Promise<T>, work: () => Promise<T>): Promise<T> {
    const start = this.#undo.length;
    this.#attempts += 1;
    return run(() => {
      this.#undoTo(start);
      return work();
    })
      .catch((error: unknown) => {
        this.#undoTo(start);
        throw error;
      })
      .finally(() => {
        this.#attempts -= 1;
        if (this.#attempts === 0) this.#undo.length = 0;
      });
  }

  /** Makes the changes of all items, before a statement that depends on them. */
  async write(tx: Tx): Promise<void> {
    const items = this.#items;
    this.#items = new Map();
    this.storedRows.clear();
    this.#onUndo(() => {
      this.#items = items;
      this.storedRows.clear();
    });
    const pauses = new Pauses(tx);
    for (const [combination, combined] of items)
      for (const item of combined.values()) {
        await combination.write(tx, item);
        await pauses.next();
      }
  }

  /** Runs `work` once before the transaction ends, after all attempts, also if the attempt that defers it fails. */
  defer(name: string, work: (tx: Tx) => Promise<void>): void {
    this.#deferred.set(name, work);
  }

  /** Runs the transaction and the deferred work, then makes the changes. */
  async complete<T>(tx: Tx, fn: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await fn(tx);
    for (const work of this.#deferred.values()) await work(tx);
    await this.write(tx);
    return result;
  }

  #onUndo(undo: () => void): void {
    if (this.#attempts > 0) this.#undo.push(undo);
  }

  #undoTo(start: number): void {
    for (const undo of this.#undo.splice(start).reverse()) undo();
  }
}
