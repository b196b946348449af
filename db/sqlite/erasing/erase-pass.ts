import { fdatasyncSync, fstatSync, readSync, writeSync } from "node:fs";
import { DatabaseDamaged } from "../../errors.ts";
import { chunkBytes } from "../wal.ts";
import {
  ChangedPages,
  type FileFormat,
  fileHeaderBytes,
  maxPages,
  type Part,
  parseFileHeader,
  parseTrunk,
  unusedPartOfTrunk,
  unusedParts,
} from "./pages.ts";

/** The largest page. */
const zeros = Buffer.alloc(65_536);

/**
 * Erases the unused parts of all pages of a file: free pages first, one trunk of the freelist in each part, then the
 * others in order. A commit between two parts can move an unerased page to the place of an erased one, so each part
 * also erases the pages that were written since the one before.
 */
export class ErasePass {
  readonly changes: ChangedPages;
  readonly #erasedTrunks = new Set<number>();
  #next: number | undefined;

  constructor(file: string) {
    this.changes = new ChangedPages(file);
  }

  /**
   * Erases one part. Returns whether there is more. The caller has the write lock, and the WAL is empty, so that no
   * process can change the file. A crash loses nothing: only unused bytes change.
   */
  erasePart(descriptor: number): boolean {
    const file = new PageFile(descriptor);
    const changed = this.changes.take();
    const hasMore = this.#eraseNextPages(file);
    const next = this.#next ?? 0;
    for (const number of changed) if (number < next) file.eraseUnused(number, 1);
    file.sync();
    return hasMore;
  }

  #eraseNextPages(file: PageFile): boolean {
    if (this.#next === undefined) {
      if (this.#eraseTrunk(file)) return true;
      if (file.pageCount >= maxPages) return false;
      this.#next = 1;
    }
    const count = chunkBytes / file.format.pageBytes;
    file.eraseUnused(this.#next, count);
    this.#next += count;
    return this.#next <= file.pageCount;
  }

  /**
   * Erases the free pages of one trunk. Returns false when there is none left. The freelist is read again at each
   * part, because a commit changes it. Pages that become free are zeros: `secure_delete`.
   */
  #eraseTrunk(file: PageFile): boolean {
    for (let number = file.format.firstTrunk, count = 0; number !== 0; count += 1) {
      if (count === file.pageCount) throw damagedFreelist();
      const page = file.readPage(number);
      const trunk = parseTrunk(page, file.format);
      if (!this.#erasedTrunks.has(number)) {
        this.#erasedTrunks.add(number);
        file.erase(page, number, [unusedPartOfTrunk(trunk, file.format)]);
        const whole: Part = [0, file.format.usableBytes];
        for (const leaf of trunk.leaves) file.erase(file.readPage(leaf), leaf, [whole]);
        return true;
      }
      number = trunk.next;
    }
    return false;
  }
}

/** The pages of an open file. */
class PageFile {
  readonly format: FileFormat;
  readonly pageCount: number;
  readonly #descriptor: number;
  #isWritten = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.format = parseFileHeader(this.#readBytes(0, fileHeaderBytes));
    this.pageCount = Math.ceil(fstatSync(descriptor).size / this.format.pageBytes);
  }

  /** A page of the freelist. Throws DatabaseDamaged when the file has no such page. */
  readPage(number: number): Buffer {
    if (number < 2 || number > this.pageCount) throw damagedFreelist();
    return this.#readPages(number, 1);
  }

  eraseUnused(first: number, count: number): void {
    const { pageBytes } = this.format;
    const pages = this.#readPages(first, count);
    for (let offset = 0; offset + pageBytes <= pages.length; offset += pageBytes) {
      const number = first + offset / pageBytes;
      const page = pages.subarray(offset, offset + pageBytes);
      this.erase(page, number, unusedParts(page, number, this.format));
    }
  }

  /** Writes zeros over the parts that have anything else. */
  erase(page: Buffer, number: number, parts: readonly Part[]): void {
    for (const [start, end] of parts) {
      const part = page.subarray(start, end);
      const empty = zeros.subarray(0, part.length);
      if (part.equals(empty)) continue;
      writeSync(this.#descriptor, empty, 0, empty.length, (number - 1) * this.format.pageBytes + start);
      this.#isWritten = true;
    }
  }

  sync(): void {
    if (this.#isWritten) fdatasyncSync(this.#descriptor);
  }

  /** Fewer pages at the end of the file. */
  #readPages(first: number, count: number): Buffer {
    const { pageBytes } = this.format;
    return this.#readBytes((first - 1) * pageBytes, count * pageBytes);
  }

  #readBytes(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(this.#descriptor, bytes, 0, length, position));
  }
}

function damagedFreelist(): DatabaseDamaged {
  return new DatabaseDamaged("The freelist of the database is damaged. Restore a backup.");
}
