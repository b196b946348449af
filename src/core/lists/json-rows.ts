/** The JSON of a page is at most this many bytes of UTF-8, unless it has one row. */
export const maxPageBytes = 2_097_152;
/** The bytes of a page besides its rows, at most. */
const envelopeBytes = 1_024;
/** The rows that are read at once for a page that may become too large. */
export const sliceSize = 100;

/** The rows of a page as JSON texts, up to a number of rows and `maxPageBytes`. */
export class JsonRows {
  readonly texts: string[] = [];
  readonly #limit: number;
  #bytes = envelopeBytes;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of rows to read next: one more than fit shows whether there are further ones. */
  get nextCount(): number {
    return Math.min(sliceSize, this.#limit - this.texts.length + 1);
  }

  /** Adds a row; returns false if the page has no room for it. */
  add(row: object): boolean {
    if (this.texts.length === this.#limit) return false;
    const text = JSON.stringify(row);
    const bytes = Buffer.byteLength(text) + ",".length;
    if (this.texts.length > 0 && this.#bytes + bytes > maxPageBytes) return false;
    this.texts.push(text);
    this.#bytes += bytes;
    return true;
  }
}
