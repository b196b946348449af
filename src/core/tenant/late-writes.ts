export type LateWrite = (sum: number) => Promise<void>;
type Entry = { readonly sum: number; readonly write: LateWrite };

/** What a transaction writes once before it ends instead of at each change, such as the counts of many new rows. */
export class LateWrites {
  readonly #entries = new Map<string, Entry>();
  /** The entries before the changes of the last attempt, by key. */
  #before = new Map<string, Entry | undefined>();

  add(key: string, added: number, write: LateWrite): void {
    this.#set(key, { sum: this.sumOf(key) + added, write });
  }

  sumOf(key: string): number {
    return this.#entries.get(key)?.sum ?? 0;
  }

  /** Removes the entries whose keys begin with the prefix, also those that are added meanwhile. */
  *take(prefix: string): Generator<Entry> {
    for (const [key, entry] of this.#entries) {
      if (!key.startsWith(prefix)) continue;
      this.#set(key, undefined);
      yield entry;
    }
  }

  /** Begins an attempt. Returns a function that undoes its changes of the entries. */
  begin(): () => void {
    this.#before.clear();
    return () => {
      for (const [key, entry] of this.#before) this.#set(key, entry);
    };
  }

  #set(key: string, entry: Entry | undefined): void {
    if (!this.#before.has(key)) this.#before.set(key, this.#entries.get(key));
    if (entry) this.#entries.set(key, entry);
    else this.#entries.delete(key);
  }
}
