const length = 12;

/** Finds keys in a text: also a part of one, in another letter case, and in base64. */
export class Needles {
  readonly #parts = new Set<string>();

  constructor(keys: readonly string[]) {
    for (const key of keys) {
      // Without the common prefix `ak_` and the last four characters, which may be shown.
      for (const at of [3, 13, 23]) this.#parts.add(key.slice(at, at + length).toLowerCase());
      this.#parts.add(
        Buffer.from(`${key}:`)
          .toString("base64")
          .slice(8, 8 + length)
          .toLowerCase(),
      );
    }
    if (this.#parts.size === 0) throw new Error("there is nothing to look for");
  }

  /** The first part of a key in the text, or undefined. */
  foundIn(text: string): string | undefined {
    // A key is an uninterrupted sequence of letters and digits.
    for (const { 0: run, index } of text.matchAll(/[a-z0-9+/]{12,}/gi)) {
      const folded = run.toLowerCase();
      for (let at = 0; at + length <= folded.length; at++)
        if (this.#parts.has(folded.slice(at, at + length)))
          return text.slice(Math.max(0, index + at - 60), index + at + length);
    }
    return undefined;
  }
}
