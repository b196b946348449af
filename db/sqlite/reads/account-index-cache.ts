import type { AccountMatches, AccountSearch, Engine, Snapshot } from "../../engine.ts";
import { yieldToEventLoop } from "../../event-loop.ts";
import type { ChangedAccount } from "../writes/transaction.ts";
import { countIndexable, readAccounts, readAccountsAfter, searchIndex } from "./account-index.ts";
import { type FoundRows, MovedSearch } from "./index-searches.ts";
import { maxLocalRows } from "./slow-reads.ts";
import { type IndexedAccount, TextIndex } from "./text-index.ts";

export type IndexLimits = typeof defaultLimits;
export const defaultLimits = {
  /** With fewer accounts, a search of the table is as fast, and stays on the serving thread. */
  minAccounts: maxLocalRows,
  /** In all organizations together. */
  maxAccounts: 1_500_000,
  maxBytes: 134_217_728,
  /** With more changed accounts, they are merged into the index. */
  mergeAfter: 200,
  /** With more, the table is searched until they are merged. */
  maxChanged: 2_000,
  /** With more, the index is dropped and built again. */
  dropAfter: 20_000,
  /** The minimum time between two builds for an organization, and between an eviction and the next build. */
  rebuildMilliseconds: 1_000,
  evictedMilliseconds: 60_000,
  /** Accounts to read in one turn of the event loop. */
  chunkRows: 1_000,
  /** Accounts to search in one turn of the event loop, or fewer with many matches: some milliseconds. */
  searchRows: 50_000,
  /** Checked after each step: a search that took longer continues in later turns of the event loop. */
  maxAtOnceMilliseconds: 0.5,
};

/** The index of one organization, and the accounts that changed since it was read. */
type Entry = {
  index?: TextIndex;
  changed: Set<number>;
  /** The accounts that changed since the build or merge began; undefined when neither is running. */
  changedDuringBuild?: Set<number>;
  buildFrom: number;
  usedAt: number;
};

/** In-memory indexes of account names. The least recently used is evicted first. One is built at a time. */
export class AccountIndexCache {
  readonly #read: Engine["read"];
  readonly #limits: IndexLimits;
  readonly #entries = new Map<number, Entry>();
  #isBuilding = false;

  constructor(read: Engine["read"], limits: IndexLimits = defaultLimits) {
    this.#read = read;
    this.#limits = limits;
  }

  /** Called after a commit, before its promises are resolved. */
  markChanged(accounts: readonly ChangedAccount[]): void {
    for (const { organizationId, accountId } of accounts) {
      const entry = this.#entries.get(organizationId);
      entry?.changedDuringBuild?.add(accountId);
      if (!entry?.index) continue;
      entry.changed.add(accountId);
      if (entry.changed.size > this.#limits.dropAfter) delete entry.index;
    }
  }

  /**
   * Undefined when the organization has no index now. Starts to build an index
   * for later searches. Throws MovedSearch as `findAtOnce`, unless the rows are `found`.
   */
  async search(
    snapshot: Snapshot,
    search: AccountSearch,
    found?: FoundRows,
  ): Promise<AccountMatches | undefined> {
    const { index, changed } = this.#entryOf(search.organizationId);
    if (!index || changed.size > this.#limits.maxChanged) return undefined;
    const isFound = found?.index === index;
    const rows = isFound ? found.rows : findAtOnce(index, search, this.#limits.maxAtOnceMilliseconds);
    return searchIndex(snapshot, { index, rows, changed }, search);
  }

  /** Whether the organization has an index. */
  has(organizationId: number): boolean {
    return this.#entries.get(organizationId)?.index !== undefined;
  }

  /** The entry of an organization; starts a build or a merge when one is due. */
  #entryOf(organizationId: number): Entry {
    const entry = this.#entries.get(organizationId) ?? {
      changed: new Set<number>(),
      buildFrom: 0,
      usedAt: 0,
    };
    this.#entries.set(organizationId, entry);
    entry.usedAt = performance.now();
    const { index, changed, changedDuringBuild, buildFrom } = entry;
    if (index && !changedDuringBuild && changed.size > this.#limits.mergeAfter)
      void this.#merge(organizationId, entry);
    if (!index && !changedDuringBuild && !this.#isBuilding && performance.now() >= buildFrom)
      void this.#build(organizationId, entry);
    return entry;
  }

  /** Reads all names in steps. `markChanged` collects the accounts that change during the build. */
  async #build(organizationId: number, entry: Entry): Promise<void> {
    const changed = new Set<number>();
    entry.changedDuringBuild = changed;
    this.#isBuilding = true;
    let pause = this.#limits.rebuildMilliseconds;
    try {
      const count = await this.#read((snapshot) => countIndexable(snapshot, organizationId));
      if (count < this.#limits.minAccounts || count > this.#limits.maxAccounts) return;
      const index = await this.#readAll(organizationId);
      if (!index) pause = this.#limits.evictedMilliseconds;
      if (!index || changed.size > this.#limits.dropAfter) return;
      entry.index = index;
      entry.changed = changed;
    } catch {
      // The database is closed or cannot be read. Searches report this to their callers.
    } finally {
      delete entry.changedDuringBuild;
      this.#isBuilding = false;
      entry.buildFrom = performance.now() + pause;
      this.#evict();
    }
  }

  /** Undefined when the texts exceed `maxBytes`. */
  async #readAll(organizationId: number): Promise<TextIndex | undefined> {
    const { chunkRows, searchRows, maxBytes } = this.#limits;
    const index = new TextIndex(searchRows);
    let last = { foldedName: "", id: 0 };
    for (let hasMore = true; hasMore; await yieldToEventLoop()) {
      const after = last;
      const found = await this.#read((snapshot) =>
        readAccountsAfter(snapshot, organizationId, after, chunkRows),
      );
      for (const account of found) index.push(account);
      if (index.byteLength > maxBytes) return undefined;
      hasMore = found.length === chunkRows;
      last = found.at(-1) ?? last;
    }
    return index;
  }

  /** Builds a new index with the changed accounts, in steps. */
  async #merge(organizationId: number, entry: Entry): Promise<void> {
    const { index: previous } = entry;
    const changed = new Set<number>();
    entry.changedDuringBuild = changed;
    try {
      const merged = new Set(entry.changed);
      const found = await this.#readChanged(organizationId, [...merged]);
      const index = await previous?.mergedWith(found, merged, yieldToEventLoop);
      if (!index || entry.index !== previous) return;
      entry.index = index;
      entry.changed = changed;
    } catch {
      // As in `#build`.
    } finally {
      delete entry.changedDuringBuild;
      this.#evict();
    }
  }

  async #readChanged(organizationId: number, ids: number[]): Promise<IndexedAccount[]> {
    const { chunkRows } = this.#limits;
    const found: IndexedAccount[] = [];
    for (let start = 0; start < ids.length; start += chunkRows) {
      if (start > 0) await yieldToEventLoop();
      const chunk = ids.slice(start, start + chunkRows);
      found.push(...(await this.#read((snapshot) => readAccounts(snapshot, organizationId, chunk))));
    }
    return found;
  }

  /** Drops the least recently used indexes until the others are within the limits. */
  #evict(): void {
    let accounts = this.#limits.maxAccounts;
    let bytes = this.#limits.maxBytes;
    for (const entry of [...this.#entries.values()].sort((a, b) => b.usedAt - a.usedAt)) {
      accounts -= entry.index?.count ?? 0;
      bytes -= entry.index?.byteLength ?? 0;
      if ((accounts >= 0 && bytes >= 0) || !entry.index) continue;
      delete entry.index;
      entry.buildFrom = performance.now() + this.#limits.evictedMilliseconds;
    }
  }
}

/**
 * The rows of the index that match. Throws MovedSearch when more than `maxLocalRows` match, or the steps take longer than
 * `maxMilliseconds`.
 */
function findAtOnce(index: TextIndex, search: AccountSearch, maxMilliseconds: number): number[] {
  const steps = index.find(search);
  const end = performance.now() + maxMilliseconds;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    // Searches that wait keep no found rows: they begin again.
    if (step.value > maxLocalRows || performance.now() >= end)
      throw new MovedSearch(index, search.organizationId, index.find(search));
  }
}
