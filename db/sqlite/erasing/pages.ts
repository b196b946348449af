import { closeSync, openSync, readSync } from "node:fs";
import { errorCode } from "../../errors.ts";

/** The parts of SQLite's file format that erasing uses: https://www.sqlite.org/fileformat2.html. */
export type FileFormat = {
  pageBytes: number;
  /** Without the bytes at the end of each page that are reserved for extensions. */
  usableBytes: number;
  /** The first page of the freelist; 0 for an empty one. */
  firstTrunk: number;
  /** Whether some pages map pages to their parents (auto_vacuum): their first byte can be the type of a B-tree page. */
  hasPointerMap: boolean;
};
/** A page of the freelist: the numbers of free pages, and the number of the next trunk or 0. */
type Trunk = { leaves: number[]; next: number };
/** Offsets in a page. */
export type Part = readonly [start: number, end: number];

export const fileHeaderBytes = 100;
/** From here on, the page number that begins an overflow page can look like the type of a B-tree page. */
export const maxPages = 2 ** 25;
/** Section 1.6, by the type in the first byte. Free pages and overflow pages begin with a page number. */
const pageHeaderBytes: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 };
/** Section 1.4: the page with this byte is not used. */
const lockByte = 2 ** 30;

/** Section 1.3. */
export function parseFileHeader(header: Buffer): FileFormat {
  const size = header.readUInt16BE(16);
  const pageBytes = size === 1 ? 65_536 : size;
  return {
    pageBytes,
    usableBytes: pageBytes - header.readUInt8(20),
    firstTrunk: header.readUInt32BE(32),
    hasPointerMap: header.readUInt32BE(52) !== 0,
  };
}

/** Section 1.5. */
export function parseTrunk(page: Buffer, { usableBytes }: FileFormat): Trunk {
  const count = Math.min(page.readUInt32BE(4), usableBytes / 4 - 2);
  const leaves = Array.from({ length: count }, (_, i) => page.readUInt32BE(8 + 4 * i));
  return { leaves, next: page.readUInt32BE(0) };
}

/** The bytes of a trunk after its list. */
export function unusedPartOfTrunk({ leaves }: Trunk, { usableBytes }: FileFormat): Part {
  return [8 + 4 * leaves.length, usableBytes];
}

/**
 * Section 1.6: the gap of a B-tree page between its cell pointers and its first cell, and its free blocks. Nothing for
 * other pages. A fragment, the third kind of unused space, has at most three bytes.
 */
export function unusedParts(page: Buffer, number: number, format: FileFormat): Part[] {
  const start = number === 1 ? fileHeaderBytes : 0;
  const headerBytes = pageHeaderBytes[page.readUInt8(start)];
  if (headerBytes === undefined || isPointerMap(number, format)) return [];
  const gap = start + headerBytes + 2 * page.readUInt16BE(start + 3);
  const content = page.readUInt16BE(start + 5) || 65_536;
  if (gap > content || content > format.usableBytes) return [];
  // A row outside the content area: the page is damaged, and the gap may have live rows.
  for (let pointer = start + headerBytes; pointer < gap; pointer += 2)
    if (page.readUInt16BE(pointer) < content) return [];
  const parts: Part[] = [[gap, content]];
  let block = page.readUInt16BE(start + 1);
  // Each is after the one before; its first four bytes are the next one's offset and its own size.
  while (block >= content && block + 4 <= format.usableBytes) {
    const end = block + page.readUInt16BE(block + 2);
    if (end > format.usableBytes) break;
    parts.push([block + 4, end]);
    const next = page.readUInt16BE(block);
    if (next < end) break;
    block = next;
  }
  return parts;
}

/** Section 1.8. */
function isPointerMap(number: number, { hasPointerMap, pageBytes, usableBytes }: FileFormat): boolean {
  if (!hasPointerMap || number < 2) return false;
  const pagesPerMap = Math.floor(usableBytes / 5) + 1;
  const map = number - ((number - 2) % pagesPerMap);
  const lockPage = lockByte / pageBytes + 1;
  return number === (map === lockPage ? map + 1 : map);
}

/** https://www.sqlite.org/fileformat2.html, section 4.1. */
const walHeaderBytes = 32;
const frameHeaderBytes = 24;

/** Collects the numbers of the pages that are written, from the WAL. */
export class ChangedPages {
  readonly #wal: string;
  readonly #numbers = new Set<number>();
  /** Of the WAL's present content: SQLite changes it when it begins to overwrite the frames. */
  #salt: number | undefined;
  /** The frames that were read. */
  #frameCount = 0;

  constructor(file: string) {
    this.#wal = `${file}-wal`;
  }

  /** Call it after each commit: the next one may overwrite the frames of this one. */
  collect(): void {
    const descriptor = openIfExists(this.#wal);
    if (descriptor === undefined) return;
    try {
      this.#readFrames(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** The pages that were written since the last call. */
  take(): number[] {
    const numbers = [...this.#numbers];
    this.#numbers.clear();
    return numbers;
  }

  #readFrames(descriptor: number): void {
    const header = Buffer.alloc(walHeaderBytes);
    if (readSync(descriptor, header, 0, walHeaderBytes, 0) < walHeaderBytes) return;
    const pageBytes = header.readUInt32BE(8);
    const salt = header.readUInt32BE(16);
    if (salt !== this.#salt) this.#frameCount = 0;
    this.#salt = salt;
    const frame = Buffer.alloc(frameHeaderBytes);
    for (let i = this.#frameCount; ; i += 1) {
      const position = walHeaderBytes + i * (frameHeaderBytes + pageBytes);
      if (readSync(descriptor, frame, 0, frameHeaderBytes, position) < frameHeaderBytes) return;
      if (frame.readUInt32BE(8) !== salt) return;
      this.#numbers.add(frame.readUInt32BE(0));
      // The last frame of a transaction: what follows it may be rolled back and overwritten.
      if (frame.readUInt32BE(4) !== 0) this.#frameCount = i + 1;
    }
  }
}

function openIfExists(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
