/** The JSON of a page by cursor is at most this many bytes of UTF-8, unless it has one row. */
export const maxPageBytes = 2_097_152;
/** The same of a page by number, which cannot end earlier: a larger one is refused, also with one row. */
const maxNumberedPageBytes = 8_388_608;
/** The bytes of a page besides its rows, at most. */
const envelopeBytes = 1_024;
/** The rows that are read at once for a page that may become too large. */
export const sliceSize = 100;

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
    return Math.min(sliceSize, this.#limit - this.texts.length + 1);
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
}
