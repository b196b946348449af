/** Called with organizations that were written to. Throws nothing. */
export type WriteListener = (organizationIds: readonly number[]) => void;

/** The listeners of `Engine.watchWrites`. */
export class WriteWatchers {
  readonly #listeners = new Set<WriteListener>();

  get count(): number {
    return this.#listeners.size;
  }

  /** Returns a function that removes the listener. */
  add(listener: WriteListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(organizationIds: readonly number[]): void {
    for (const listener of this.#listeners) listener(organizationIds);
  }
}
