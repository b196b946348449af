import { accountStatuses } from "../../../src/shared/fields/accounts.ts";
import type { AccountStatus } from "../../schema.ts";

/** The searched texts of an account. Matches are ordered by name, then by id. */
export type IndexedAccount = {
  id: number;
  foldedName: string;
  foldedExternalId: string | null;
  status: AccountStatus;
};

const encoder = new TextEncoder();
/** Rows that a merge copies between two pauses. */
const mergeChunkRows = 5_000;
export type IndexSearch = {
  needle: string;
  status?: AccountStatus | undefined;
};

/** A row that matches takes the time of so many that do not. */
const matchCost = 8;

/**
 * The case-folded names and external ids of an organization's accounts, in name order, as the bytes of one text.
 * Comparing UTF-8 bytes gives the same order and the same matches as the database.
 */
export class TextIndex {
  readonly #searchRows: number;
  #text = new Uint8Array(1 << 16);
  #length = 0;
  #count = 0;
  /** For each row: the offset of its text, its account id and its status. */
  #starts = new Uint32Array(1 << 10);
  #ids = new Float64Array(1 << 10);
  #statuses = new Uint8Array(1 << 10);
  #firstId = Number.POSITIVE_INFINITY;
  #lastId = Number.NEGATIVE_INFINITY;

  /** With the number of rows that a search reads in one step. */
  constructor(searchRows: number) {
    this.#searchRows = searchRows;
  }

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

  /** Returns a new index of these accounts and of the rows of all others except `except`. Awaits `pause` between steps. */
  async mergedWith(
    accounts: readonly IndexedAccount[],
    except: ReadonlySet<number>,
    pause: () => Promise<void>,
  ): Promise<TextIndex> {
    const merged = new TextIndex(this.#searchRows);
    let from = 0;
    let copiedRows = 0;
    const copyTo = async (to: number) => {
      while (from < to) {
        const next = Math.min(to, from + mergeChunkRows - copiedRows);
        merged.#copyRows(this, from, next, except);
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

  /** The rows with a text that contains the needle, in order. Yields the number of found rows between steps. */
  *find({ needle, status }: IndexSearch): Generator<number, number[]> {
    const statusIndex = status === undefined ? -1 : accountStatuses.indexOf(status);
    const bytes = encoder.encode(needle);
    const found: number[] = [];
    for (let row = 0; row < this.#count; ) {
      if (row > 0) yield found.length;
      const end = Math.min(this.#count, row + this.#searchRows);
      const maxFound = found.length + this.#searchRows / matchCost;
      const text = Buffer.from(this.#text.buffer, 0, this.#startOf(end));
      while (row < end) {
        const at = text.indexOf(bytes, this.#startOf(row));
        if (at === -1) row = end;
        else {
          while (this.#startOf(row + 1) <= at) row += 1;
          if (statusIndex === -1 || this.#statuses[row] === statusIndex) found.push(row);
          row += 1;
          if (found.length > maxFound) break;
        }
      }
    }
    return found;
  }

  /** The rows whose account is not one of these. */
  withoutAccounts(rows: number[], ids: ReadonlySet<number>): number[] {
    return ids.size === 0 ? rows : rows.filter((row) => !ids.has(this.idOf(row)));
  }

  /** Between these are the ids of all rows. */
  get idRange(): { first: number; last: number } {
    return { first: this.#firstId, last: this.#lastId };
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

  /** Appends the rows of another index except those of `except`, in runs of neighbours. */
  #copyRows(source: TextIndex, from: number, to: number, except: ReadonlySet<number>): void {
    for (let row = from; row < to; row += 1) {
      const first = row;
      while (row < to && !except.has(source.idOf(row))) row += 1;
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
    if (id < this.#firstId) this.#firstId = id;
    if (id > this.#lastId) this.#lastId = id;
    this.#statuses[row] = status;
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
    if (length > this.#text.length)
      this.#text = grow(this.#text, new Uint8Array(Math.ceil(Math.max(length, this.#text.length * 1.5))));
    // Plus one for the end of the last row.
    const count = this.#count + rows + 1;
    if (count <= this.#ids.length) return;
    const size = Math.max(count, this.#ids.length * 2);
    this.#ids = grow(this.#ids, new Float64Array(size));
    this.#starts = grow(this.#starts, new Uint32Array(size));
    this.#statuses = grow(this.#statuses, new Uint8Array(size));
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

function grow<A extends Uint8Array | Uint32Array | Float64Array>(array: A, larger: A): A {
  larger.set(array);
  return larger;
}
