import { closeSync, fsyncSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { isBusy } from "../errors.ts";
import type { Connection } from "./connection.ts";

/** Pages that are read in one part: a few milliseconds. */
const pagesPerPart = 256;
/** Where the first page has the number of the first free page; before it is the header of the file. */
const freelistOffset = 32;
const fileHeaderBytes = 100;
/** The header of a page with a B-tree, by the type in its first byte. Other pages begin with a page number. */
const pageHeaderBytes: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 };
/** From so many pages on, a page number can begin with a byte that is a type. */
const maxPages = 2 ** 25;
/** The largest page. */
const zeros = Buffer.alloc(65_536);

/**
 * Erases what deleted rows left in the database file. With `secure_delete`, SQLite zeroes a row that is deleted, but
 * not the copy that stays in the unused part of a page when it moves rows to another page.
 */
export class Eraser {
  readonly #file: string;
  #descriptor: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Erases the pages from `first` on, one part. Returns the page after them, undefined after the last, or the same
   * page while another program reads or writes. `connection` is the one for writing, outside a transaction.
   */
  erasePart(connection: Connection, first: number): number | undefined {
    if (!emptyWal(connection) || !hasBegun(connection)) return first;
    try {
      // With the lock and an empty WAL, no process can change the file.
      if (statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size) return first;
      return this.#erasePages(first);
    } finally {
      connection.execute("ROLLBACK");
      // The connection's copies of these pages would bring back what was erased.
      connection.execute("PRAGMA shrink_memory");
    }
  }

  /** Call it after the connections are closed: closing a file releases the locks that they have on it. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #erasePages(first: number): number | undefined {
    this.#descriptor ??= openSync(this.#file, "r+");
    const descriptor = this.#descriptor;
    const header = readBytes(descriptor, 0, fileHeaderBytes);
    const pageBytes = pageSize(header);
    if (statSync(this.#file).size / pageBytes >= maxPages) return undefined;
    const free = new FreePages(descriptor, pageBytes, header.readUInt32BE(freelistOffset));
    const pages = readBytes(descriptor, (first - 1) * pageBytes, pagesPerPart * pageBytes);
    for (let offset = 0; offset < pages.length; offset += pageBytes) {
      const number = first + offset / pageBytes;
      const page = pages.subarray(offset, offset + pageBytes);
      for (const [start, end] of free.unusedParts(number, pageBytes) ?? unusedParts(page, number)) {
        const part = page.subarray(start, end);
        if (!isZero(part))
          writeSync(descriptor, part.fill(0), 0, part.length, (number - 1) * pageBytes + start);
      }
    }
    if (pages.length === pagesPerPart * pageBytes) return first + pagesPerPart;
    fsyncSync(descriptor);
    return undefined;
  }
}

/** Moves the WAL into the file and truncates it. Returns false when a reader prevents it. */
function emptyWal(connection: Connection): boolean {
  const result = connection.client.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get();
  return result?.busy === 0;
}

/** Takes the write lock. Returns false when another process has it. */
function hasBegun(connection: Connection): boolean {
  try {
    connection.execute("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

type Part = readonly [start: number, end: number];

/** The pages that belong to no table: trunks, with lists of page numbers, and leaves, with nothing. */
class FreePages {
  readonly #leaves = new Set<number>();
  /** The number of page numbers in each trunk. */
  readonly #trunks = new Map<number, number>();

  constructor(descriptor: number, pageBytes: number, firstTrunk: number) {
    for (let trunk = firstTrunk; trunk !== 0 && !this.#trunks.has(trunk); ) {
      const page = readBytes(descriptor, (trunk - 1) * pageBytes, pageBytes);
      const count = Math.min(page.readUInt32BE(4), pageBytes / 4 - 2);
      this.#trunks.set(trunk, count);
      for (let i = 0; i < count; i += 1) this.#leaves.add(page.readUInt32BE(8 + 4 * i));
      trunk = page.readUInt32BE(0);
    }
  }

  /** Undefined for a page that is in use. */
  unusedParts(number: number, pageBytes: number): Part[] | undefined {
    const count = this.#trunks.get(number);
    if (count !== undefined) return [[8 + 4 * count, pageBytes]];
    return this.#leaves.has(number) ? [[0, pageBytes]] : undefined;
  }
}

/** The gap of a B-tree page between its list of rows and its first row, and its free blocks. */
function unusedParts(page: Buffer, number: number): Part[] {
  const start = number === 1 ? fileHeaderBytes : 0;
  const headerBytes = pageHeaderBytes[page.readUInt8(start)];
  if (headerBytes === undefined) return [];
  const gap = start + headerBytes + 2 * page.readUInt16BE(start + 3);
  const content = page.readUInt16BE(start + 5) || 65_536;
  if (gap > content || content > page.length) return [];
  const parts: Part[] = [[gap, content]];
  let block = page.readUInt16BE(start + 1);
  // Each is after the one before; its first four bytes are the next one's place and its own size.
  while (block >= content && block + 4 <= page.length) {
    const end = block + page.readUInt16BE(block + 2);
    if (end > page.length) break;
    parts.push([block + 4, end]);
    const next = page.readUInt16BE(block);
    if (next < end) break;
    block = next;
  }
  return parts;
}

function isZero(bytes: Buffer): boolean {
  return bytes.equals(zeros.subarray(0, bytes.length));
}

function pageSize(header: Buffer): number {
  const size = header.readUInt16BE(16);
  return size === 1 ? 65_536 : size;
}

/** Fewer bytes at the end of the file. */
function readBytes(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}
