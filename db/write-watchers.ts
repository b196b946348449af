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
    // An object of its own: a listener can be added twice.
    const added: WriteListener = (ids) => listener(ids);
    this.#listeners.add(added);
    return () => {
      this.#listeners.delete(added);
    };
  }

  notify(organizationIds: readonly number[]): void {
    for (const listener of this.#listeners) listener(organizationIds);
  }
}
