import { type AccountStatus, accountStatuses } from "../schema.ts";

/** The searched texts of an account. Matches are ordered by name, then by id. */
export type IndexedAccount = {
  id: number;
  foldedName: string;
  foldedExternalId: string | null;
  status: AccountStatus;
};

const encoder = new TextEncoder();
/** A longer needle usually matches few rows, so `Buffer.indexOf` searches the whole text at once. */
const maxShortNeedleBytes = 2;
/** Rows that a merge copies between two pauses. */
const mergeChunkRows = 5_000;
/** From this many matches on, if at least every fourth row matches, comparing row by row is faster. */
const denseMatchCount = 2_000;

/**
 * The case-folded names and external ids of an organization's accounts, in name order, as the bytes of one text.
 * Comparing UTF-8 bytes gives the same order and the same matches as the database.
 */
export class TextIndex {
  #text = new Uint8Array(1 << 16);
  #length = 0;
  #count = 0;
  /** For each row: the offset of its text, its account id, its status, and whether it is stale. */
  #starts = new Float64Array(1 << 10);
  #ids = new Float64Array(1 << 10);
  #statuses = new Uint8Array(1 << 10);
  #isStale = new Uint8Array(1 << 10);
  readonly #rows = new Map<number, number>();
  /** The result buffer of `find`, reused. */
  #found = new Uint32Array(0);

  get count(): number {
    return this.#count;
  }

  /** The size of the texts. */
  get byteLength(): number {
    return this.#length;
  }

  /** Appends an account that is after all others in the order. */
  push({ id, foldedName, foldedExternalId, status }: IndexedAccount): void {
    const texts = [foldedName, foldedExternalId ?? ""];
    this.#reserve(1, 3 * (foldedName.length + (foldedExternalId?.length ?? 0)) + texts.length);
    for (const text of texts) this.#write(text);
    this.#add(id, accountStatuses.indexOf(status), this.#length);
  }

  /**
   * Returns a new index of the rows that are not stale and of these accounts. Awaits `pause` between steps: an account
   * that becomes stale during a pause may be in the new index.
   */
  async mergedWith(accounts: readonly IndexedAccount[], pause: () => Promise<void>): Promise<TextIndex> {
    const merged = new TextIndex();
    let from = 0;
    let copiedRows = 0;
    const copyTo = async (to: number) => {
      while (from < to) {
        const next = Math.min(to, from + mergeChunkRows - copiedRows);
        merged.#copyLive(this, from, next);
        copiedRows = (copiedRows + next - from) % mergeChunkRows;
        from = next;
        if (copiedRows === 0) await pause();
      }
    };
    for (const account of sortedByName(accounts)) {
      await copyTo(lowerBound(this.#count, (row) => this.compare(row, account)));
      merged.push(account);
    }
    await copyTo(this.#count);
    return merged;
  }

  /** Excludes an account that has changed from the matches. */
  markStale(id: number): void {
    const row = this.#rows.get(id);
    if (row !== undefined) this.#isStale[row] = 1;
  }

  /** The same for accounts that changed while the index was built, and may therefore have two rows. */
  markAllStale(ids: ReadonlySet<number>): void {
    for (let row = 0; row < this.#count; row += 1) if (ids.has(this.idOf(row))) this.#isStale[row] = 1;
  }

  /** The rows with a text that contains the needle, in order; with `status`, only accounts of that status. */
  find(needle: string, status?: AccountStatus): Uint32Array {
    const statusIndex = status === undefined ? -1 : accountStatuses.indexOf(status);
    const bytes = encoder.encode(needle);
    if (this.#found.length < this.#count) this.#found = new Uint32Array(this.#count);
    const found = this.#found;
    let count = 0;
    let row = 0;
    if (bytes.length > maxShortNeedleBytes) {
      const text = Buffer.from(this.#text.buffer, 0, this.#length);
      let at = text.indexOf(bytes);
      while (at !== -1 && (count < denseMatchCount || count * 4 < row)) {
        while (this.#startOf(row + 1) <= at) row += 1;
        if (this.#isMatch(row, statusIndex)) found[count++] = row;
        row += 1;
        at = row < this.#count ? text.indexOf(bytes, this.#startOf(row)) : -1;
      }
      if (at === -1) return found.slice(0, count);
    }
    for (; row < this.#count; row += 1)
      if (
        this.#isMatch(row, statusIndex) &&
        contains(this.#text, bytes, this.#startOf(row), this.#startOf(row + 1))
      )
        found[count++] = row;
    return found.slice(0, count);
  }

  idOf(row: number): number {
    return this.#ids[row] ?? 0;
  }

  /** Negative when the row is before the account in the order of name and id. */
  compare(row: number, { nameBytes, id }: SortPosition): number {
    const start = this.#startOf(row);
    const end = this.#text.indexOf(0, start);
    return Buffer.compare(this.#text.subarray(start, end), nameBytes) || this.idOf(row) - id;
  }

  #startOf(row: number): number {
    return this.#starts[row] ?? 0;
  }

  #isMatch(row: number, status: number): boolean {
    return this.#isStale[row] === 0 && (status === -1 || this.#statuses[row] === status);
  }

  /** Appends the rows of another index that are not stale, in runs of neighbours. */
  #copyLive(source: TextIndex, from: number, to: number): void {
    for (let row = from; row < to; row += 1) {
      const first = row;
      while (row < to && source.#isStale[row] === 0) row += 1;
      if (row > first) this.#copyRun(source, first, row);
    }
  }

  #copyRun(source: TextIndex, from: number, to: number): void {
    const [start, end] = [source.#startOf(from), source.#startOf(to)];
    this.#reserve(to - from, end - start);
    this.#text.set(source.#text.subarray(start, end), this.#length);
    const shift = this.#length - start;
    this.#length += end - start;
    for (let row = from; row < to; row += 1)
      this.#add(source.idOf(row), source.#statuses[row] ?? 0, source.#startOf(row + 1) + shift);
  }

  #add(id: number, status: number, end: number): void {
    const row = this.#count;
    this.#ids[row] = id;
    this.#statuses[row] = status;
    this.#rows.set(id, row);
    this.#count += 1;
    this.#starts[this.#count] = end;
  }

  /** Each text ends in a NUL byte, which no text contains, so that no match spans two texts. */
  #write(text: string): void {
    this.#length += encoder.encodeInto(text, this.#text.subarray(this.#length)).written;
    this.#text[this.#length] = 0;
    this.#length += 1;
  }

  #reserve(rows: number, bytes: number): void {
    const length = this.#length + bytes;
    if (length > this.#text.length) this.#text = grow(this.#text, Math.max(length, this.#text.length * 1.5));
    // Plus one for the end of the last row.
    const count = this.#count + rows + 1;
    if (count <= this.#ids.length) return;
    const size = Math.max(count, this.#ids.length * 2);
    this.#ids = growNumbers(this.#ids, size);
    this.#starts = growNumbers(this.#starts, size);
    this.#statuses = grow(this.#statuses, size);
    this.#isStale = grow(this.#isStale, size);
  }
}

/** The sort key of an account. */
export type SortPosition = { id: number; nameBytes: Uint8Array };

/** The accounts in the order of the index. */
export function sortedByName<A extends { id: number; foldedName: string }>(
  accounts: readonly A[],
): (A & SortPosition)[] {
  return accounts
    .map((account) => ({ ...account, nameBytes: Buffer.from(account.foldedName) }))
    .sort((a, b) => Buffer.compare(a.nameBytes, b.nameBytes) || a.id - b.id);
}

/** Binary search: the number of positions below `count` for which `compare` is negative. */
export function lowerBound(count: number, compare: (position: number) => number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(middle) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function contains(text: Uint8Array, needle: Uint8Array, start: number, end: number): boolean {
  const first = needle[0];
  const last = end - needle.length;
  for (let at = start; at < last; at += 1) {
    if (text[at] !== first) continue;
    let i = 1;
    while (i < needle.length && text[at + i] === needle[i]) i += 1;
    if (i === needle.length) return true;
  }
  return false;
}

function grow(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.ceil(size));
  larger.set(bytes);
  return larger;
}

function growNumbers(numbers: Float64Array<ArrayBuffer>, size: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(size);
  larger.set(numbers);
  return larger;
}
