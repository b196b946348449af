/** Changes that a transaction makes once, before it ends, instead of one by one. */
export type Combination<Tx, Item> = {
  /** The key of items that are combined. */
  keyOf(item: Item): string;
  /** Combines two items with the same key into a new one. */
  merge(sum: Item, item: Item): Item;
  /** Makes the changes of a combined item. */
  write(tx: Tx, item: Item): Promise<void>;
};
type Items<Tx> = ReadonlyMap<Combination<Tx, unknown>, ReadonlyMap<string, unknown>>;

/** The combined items of one transaction. */
export class CombinedWrites<Tx> {
  #items: Items<Tx> = new Map();

  /** Combines an item with those before it. Their changes are made once, before the transaction ends. */
  add<Item>(combination: Combination<Tx, Item>, item: Item): void {
    // Safe: the items of a combination have its type.
    const existing = this.#items.get(combination) as ReadonlyMap<string, Item> | undefined;
    const key = combination.keyOf(item);
    const sum = existing?.get(key);
    const items = new Map(existing).set(key, sum === undefined ? item : combination.merge(sum, item));
    this.#items = new Map(this.#items).set(combination, items);
  }

  /** The combined item that is not written yet, with the key of `item`. */
  pending<Item>(combination: Combination<Tx, Item>, item: Item): Item | undefined {
    // Safe: the items of a combination have its type.
    const items = this.#items.get(combination) as ReadonlyMap<string, Item> | undefined;
    return items?.get(combination.keyOf(item));
  }

  /** Runs a part of the transaction that may fail or run again: without what an earlier run of it has added. */
  attempt<T>(run: (work: () => Promise<T>) => Promise<T>, work: () => Promise<T>): Promise<T> {
    const before = this.#items;
    const undo = () => {
      this.#items = before;
    };
    return run(() => {
      undo();
      return work();
    }).catch((error: unknown) => {
      undo();
      throw error;
    });
  }

  /** Makes the changes of all items, before a statement that depends on them. */
  async write(tx: Tx): Promise<void> {
    const items = this.#items;
    this.#items = new Map();
    for (const [combination, combined] of items)
      for (const item of combined.values()) await combination.write(tx, item);
  }

  /** Runs the transaction, then makes the changes. */
  async complete<T>(tx: Tx, fn: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await fn(tx);
    await this.write(tx);
    return result;
  }
}
