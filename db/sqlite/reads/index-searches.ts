import { QueryTimeout, TooManyReads } from "../../errors.ts";
import type { ReadTurns } from "./read-turns.ts";
import { defaultTimeoutMilliseconds } from "./read-workers.ts";
import { MovedRead } from "./slow-reads.ts";
import type { TextIndex } from "./text-index.ts";

/** The searches of one organization that wait: each takes some milliseconds. */
const maxWaiting = 1_000;

/** The rows of an index that a search found. */
export type FoundRows = { index: TextIndex; rows: number[] };

/** Thrown by a search that takes several steps: the engine runs them, and then the read again with the found rows. */
export class MovedSearch extends MovedRead {
  readonly index: TextIndex;
  /** The steps of the search, of which none was run. */
  readonly steps: ReturnType<TextIndex["find"]>;

  constructor(index: TextIndex, organizationId: number, steps: ReturnType<TextIndex["find"]>) {
    super(organizationId, "later turn");
    this.index = index;
    this.steps = steps;
  }
}

/** The last search of an organization, and the number of those that have not ended. */
type Searches = { last: Promise<void>; count: number };

/** Searches of large indexes of account names, in steps between which other work runs. */
export class IndexSearches {
  readonly #turns: ReadTurns;
  readonly #byOrganization = new Map<number, Searches>();

  constructor(turns: ReadTurns) {
    this.#turns = turns;
  }

  /**
   * Finds the rows and calls `read` with them. One search of an organization runs at a time, because its rows take
   * memory. Throws TooManyReads, QueryTimeout, EngineBusy, and what `read` throws.
   */
  async run<T>(
    { organizationId, index, steps }: MovedSearch,
    read: (found: FoundRows) => Promise<T>,
  ): Promise<T> {
    const searches = this.#byOrganization.get(organizationId) ?? { last: Promise.resolve(), count: 0 };
    if (searches.count > maxWaiting)
      throw new TooManyReads("Too many searches of the organization are waiting.");
    this.#byOrganization.set(organizationId, searches);
    const { promise, resolve } = Promise.withResolvers<void>();
    const previous = searches.last;
    searches.last = promise;
    searches.count += 1;
    const deadline = performance.now() + defaultTimeoutMilliseconds;
    try {
      await previous;
      for (;;) {
        if (performance.now() > deadline) throw new QueryTimeout("The search took too long.");
        const step = await this.#turns.run(organizationId, async () => steps.next());
        if (step.done) return await read({ index, rows: step.value });
      }
    } finally {
      resolve();
      searches.count -= 1;
      if (searches.count === 0) this.#byOrganization.delete(organizationId);
    }
  }
}
