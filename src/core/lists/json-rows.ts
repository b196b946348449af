import { defaultPageSize } from "./paging.ts";

/** The JSON of a page by cursor is at most this many bytes of UTF-8, unless it has one row. */
export const maxPageBytes = 2_097_152;
/** The maximum of a page by number, which cannot end earlier: a larger one is rejected, also with one row. */
export const maxNumberedPageBytes = 8_388_608;
/** The bytes of a page besides its rows, at most. */
const envelopeBytes = 1_024;
/** The rows that are read at once for a page that may become too large, and their JSON, by the average of those before. */
const maxSlice = { rows: 100, bytes: 1_048_576 };
/**
 * A longer body is made as bytes, row by row: the whole text would be in memory next to its bytes. `large-replies.ts`
 * limits the bytes of all such bodies.
 */
export const maxTextBytes = 65_536;

/** The rows of a page as JSON texts, up to a number of rows and a size. */
export class JsonRows {
  readonly texts: string[] = [];
  readonly #limit: number;
  readonly #isNumbered: boolean;
  #bytes = envelopeBytes;

  constructor(limit: number, { isNumbered = false } = {}) {
    this.#limit = limit;
    this.#isNumbered = isNumbered;
  }

  /** The number of rows to read next: one more than fit shows whether there are further ones. */
  get nextCount(): number {
    const { length } = this.texts;
    const rows = length === 0 ? defaultPageSize + 1 : Math.ceil((maxSlice.bytes * length) / this.#bytes);
    return Math.min(rows, maxSlice.rows, this.#limit - length + 1);
  }

  /** Adds a row; returns false if the page has no room for it. */
  add(row: object): boolean {
    if (this.texts.length === this.#limit) return false;
    const text = JSON.stringify(row);
    const bytes = Buffer.byteLength(text) + ",".length;
    const isTooLarge = this.#bytes + bytes > (this.#isNumbered ? maxNumberedPageBytes : maxPageBytes);
    if (isTooLarge && (this.#isNumbered || this.texts.length > 0)) return false;
    this.texts.push(text);
    this.#bytes += bytes;
    return true;
  }

  /** JSON of an object with the rows as `data`, and these other members: a text, or the bytes of a long one. */
  bodyWith(others: object): string | Uint8Array<ArrayBuffer> {
    return this.#between('{"data":[', `],${JSON.stringify(others).slice(1)}`);
  }

  /** JSON of the list of the rows: a text, or the bytes of a long one. */
  list(): string | Uint8Array<ArrayBuffer> {
    return this.#between("[", "]");
  }

  #between(start: string, end: string): string | Uint8Array<ArrayBuffer> {
    if (this.#bytes <= maxTextBytes) return `${start}${this.texts.join()}${end}`;
    return encodeList(start, this.texts, end, this.#bytes + Buffer.byteLength(end));
  }
}

/** JSON of a list of these texts, between a start and an end, in UTF-8: at most `maxBytes`. */
export function encodeList(
  start: string,
  texts: readonly string[],
  end: string,
  maxBytes: number,
): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(maxBytes);
  let length = bytes.write(start);
  for (const [i, text] of texts.entries()) {
    if (i > 0) length += bytes.write(",", length);
    length += bytes.write(text, length);
  }
  length += bytes.write(end, length);
  return bytes.subarray(0, length);
}
