import type { AccountSearch } from "../engine.ts";
import type { ReadTurns } from "./read-turns.ts";
import { MovedRead } from "./slow-reads.ts";
import type { TextIndex } from "./text-index.ts";

/** The rows of an index that a search found; undefined when they are too many. */
export type FoundRows = { index: TextIndex; rows: number[] | undefined };

/** Thrown by a search of a large index: the engine finds the rows in steps and runs the read again with them. */
export class MovedSearch extends MovedRead {
  readonly index: TextIndex;
  readonly search: AccountSearch;

  constructor(index: TextIndex, search: AccountSearch) {
    super(search.organizationId, "later turn");
    this.index = index;
    this.search = search;
  }
}

/** Searches of large indexes of account names, in steps between which other work runs. */
export class IndexSearches {
  readonly #turns: ReadTurns;
  /** The last search of each organization. */
  readonly #last = new Map<number, Promise<void>>();

  constructor(turns: ReadTurns) {
    this.#turns = turns;
  }

  /**
   * Finds the rows and calls `read` with them. One search of an organization runs at a time, because its rows take
   * memory. Throws EngineBusy, and what `read` throws.
   */
  async run<T>({ search, index }: MovedSearch, read: (found: FoundRows) => Promise<T>): Promise<T> {
    const { organizationId } = search;
    const previous = this.#last.get(organizationId);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(organizationId, promise);
    try {
      await previous;
      const steps = index.find(search);
      for (;;) {
        const step = await this.#turns.run(organizationId, async () => steps.next());
        if (step.done) return await read({ index, rows: step.value });
      }
    } finally {
      resolve();
      if (this.#last.get(organizationId) === promise) this.#last.delete(organizationId);
    }
  }
}
