/** A map of a transaction, whose changes by an attempt that fails are undone. */
export class UndoableMap<V> {
  readonly #values: Map<string, V>;
  /** The values before the changes of the last attempt. */
  readonly #before = new Map<string, V | undefined>();

  constructor(entries: Iterable<readonly [key: string, value: V]> = []) {
    this.#values = new Map(entries);
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  get size(): number {
    return this.#values.size;
  }

  /** Removes all values; returns them. */
  take(): ReadonlyMap<string, V> {
    const taken = new Map(this.#values);
    for (const key of taken.keys()) this.set(key, undefined);
    return taken;
  }

  /** The keys, also those that are added meanwhile. */
  keys(): Iterable<string> {
    return this.#values.keys();
  }

  /** Undefined removes the value. */
  set(key: string, value: V | undefined): void {
    if (!this.#before.has(key)) this.#before.set(key, this.#values.get(key));
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
  }

  beginAttempt(): void {
    this.#before.clear();
  }

  undoAttempt(): void {
    for (const [key, value] of this.#before) this.set(key, value);
  }
}
