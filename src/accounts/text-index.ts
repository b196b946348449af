import { type AccountStatus, accountStatuses } from "../../db/schema.ts";

/** What of an account is searched, and what its matches are ordered by: the name, then the id. */
export type IndexedAccount = {
  id: number;
  foldedName: string;
  foldedExternalId: string | null;
  status: AccountStatus;
};

const encoder = new TextEncoder();
/** A needle of more bytes is in few rows, most often: it is looked for in the whole text at once. */
const maxShortNeedleBytes = 2;
/** So many rows are taken over at once. */
const mergeChunkRows = 5_000;
/** After so many matches, in every fourth row or more, it is faster to look at row by row. */
const denseMatchCount = 2_000;

/**
 * The names and external ids of an organization's accounts, in their order, as the bytes of one text. They
 * are compared as UTF-8, which orders and finds as the database does.
 */
export class TextIndex {
  #text = new Uint8Array(1 << 16);
  #length = 0;
  #count = 0;
  /** Of each row: where its text begins, its account, its status, and whether it no longer holds. */
  #starts = new Float64Array(1 << 10);
  #ids = new Float64Array(1 << 10);
  #statuses = new Uint8Array(1 << 10);
  #isStale = new Uint8Array(1 << 10);
  readonly #rows = new Map<number, number>();
  /** Where `find` puts what it finds, each time anew. */
  #found = new Uint32Array(0);

  get count(): number {
    return this.#count;
  }

  /** How many bytes all texts are. */
  get size(): number {
    return this.#length;
  }

  /** Adds an account that stands after all others. */
  push({ id, foldedName, foldedExternalId, status }: IndexedAccount): void {
    const texts = [foldedName, foldedExternalId ?? ""];
    this.#reserve(1, 3 * (foldedName.length + (foldedExternalId?.length ?? 0)) + texts.length);
    for (const text of texts) this.#write(text);
    this.#add(id, accountStatuses.indexOf(status), this.#length);
  }

  /**
   * A haystack of the same rows without those that were taken out, and of these accounts in their places. It is
   * made in steps, with a `pause` after each: what is taken out meanwhile may stand in it.
   */
  async mergedWith(accounts: readonly IndexedAccount[], pause: () => Promise<void>): Promise<TextIndex> {
    const merged = new TextIndex();
    let from = 0;
    let taken = 0;
    const takeTo = async (to: number) => {
      while (from < to) {
        const next = Math.min(to, from + mergeChunkRows - taken);
        merged.#copyLive(this, from, next);
        taken = (taken + next - from) % mergeChunkRows;
        from = next;
        if (taken === 0) await pause();
      }
    };
    for (const account of sortedByName(accounts)) {
      await takeTo(lowerBound(this.#count, (row) => this.compare(row, account)));
      merged.push(account);
    }
    await takeTo(this.#count);
    return merged;
  }

  /** Takes out an account, which has changed since. */
  markStale(id: number): void {
    const row = this.#rows.get(id);
    if (row !== undefined) this.#isStale[row] = 1;
  }

  /** Takes out accounts that may stand here twice, for they changed while they were added. */
  markAllStale(ids: ReadonlySet<number>): void {
    for (let row = 0; row < this.#count; row += 1) if (ids.has(this.idOf(row))) this.#isStale[row] = 1;
  }

  /** The rows with a text that holds the needle, in their order, and of one status if it is given. */
  find(needle: string, status?: AccountStatus): Uint32Array {
    const wanted = status === undefined ? -1 : accountStatuses.indexOf(status);
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
        if (this.#isMatch(row, wanted)) found[count++] = row;
        row += 1;
        at = row < this.#count ? text.indexOf(bytes, this.#startOf(row)) : -1;
      }
      if (at === -1) return found.slice(0, count);
    }
    for (; row < this.#count; row += 1)
      if (
        this.#isMatch(row, wanted) &&
        contains(this.#text, bytes, this.#startOf(row), this.#startOf(row + 1))
      )
        found[count++] = row;
    return found.slice(0, count);
  }

  idOf(row: number): number {
    return this.#ids[row] ?? 0;
  }

  /** How the row stands to an account by name and id: before it when negative. */
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

  /** Adds the rows of another haystack that still hold, run by run. */
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

  /** Each text ends in a byte of 0, which no text holds: no needle runs over from one into the next. */
  #write(text: string): void {
    this.#length += encoder.encodeInto(text, this.#text.subarray(this.#length)).written;
    this.#text[this.#length] = 0;
    this.#length += 1;
  }

  #reserve(rows: number, bytes: number): void {
    const length = this.#length + bytes;
    if (length > this.#text.length) this.#text = grow(this.#text, Math.max(length, this.#text.length * 1.5));
    // One more, for where the last row ends.
    const count = this.#count + rows + 1;
    if (count <= this.#ids.length) return;
    const size = Math.max(count, this.#ids.length * 2);
    this.#ids = growNumbers(this.#ids, size);
    this.#starts = growNumbers(this.#starts, size);
    this.#statuses = grow(this.#statuses, size);
    this.#isStale = grow(this.#isStale, size);
  }
}

/** What an account's place follows from. */
export type SortPosition = { id: number; nameBytes: Uint8Array };

/** The accounts by name and id, as they stand in a haystack. */
export function sortedByName<A extends { id: number; foldedName: string }>(
  accounts: readonly A[],
): (A & SortPosition)[] {
  return accounts
    .map((account) => ({ ...account, nameBytes: Buffer.from(account.foldedName) }))
    .sort((one, other) => Buffer.compare(one.nameBytes, other.nameBytes) || one.id - other.id);
}

/** How many of `count` things in order stand before one, to which `compare` compares each by its place. */
export function lowerBound(count: number, compare: (place: number) => number): number {
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
