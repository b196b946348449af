import type { Database } from "bun:sqlite";

/** A word in every text and key of the rows to delete. */
export const marker = "quetzalcoatlus";

/** Maximum lengths of texts: most are short, some have a third of a page, some need overflow pages. */
const maxLengths = [...Array(15).fill(100), ...Array(5).fill(1_200), 20_000];

/** A number of [0, 1): from the seed, always the same ones. */
export type Random = () => number;
export function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x8000_0000;
  };
}

/** Rows in a rowid table with an index and in a table without rowids, and their expected values. */
export class RandomRows {
  readonly expected = new Map<number, [key: string, text: string]>();
  readonly #client: Database;
  readonly #random: Random;
  #lastId = 0;

  constructor(client: Database, random: Random) {
    this.#client = client;
    this.#random = random;
    client.run("CREATE TABLE rows (id INTEGER PRIMARY KEY, key TEXT, text TEXT)");
    client.run("CREATE INDEX rows_by_key ON rows (key, id)");
    client.run("CREATE TABLE keyed (key TEXT, id INTEGER, text TEXT, PRIMARY KEY (key, id)) WITHOUT ROWID");
  }

  /** Inserts, updates and deletes rows; the texts of some of the inserted ones have the marker. */
  change(count: number, markedShare: number): void {
    this.#client.transaction(() => {
      for (let i = 0; i < count; i += 1) {
        const kind = this.#random();
        const id = 1 + Math.floor(this.#random() * this.#lastId);
        if (kind < 0.6 || !this.expected.has(id))
          this.#insert(this.#random() < markedShare ? marker : "kept");
        else if (kind < 0.85) this.#update(id);
        else this.#delete(id);
      }
    })();
  }

  deleteMarked(): void {
    this.#client.transaction(() => {
      for (const [id, [key]] of this.expected) if (key.includes(marker)) this.#delete(id);
    })();
  }

  #insert(word: string): void {
    this.#lastId += 1;
    const key = `${Math.floor(this.#random() * 1e9).toString(36)} ${word}`;
    const row: [string, string] = [key, this.#text(word)];
    this.expected.set(this.#lastId, row);
    this.#client.run("INSERT INTO rows VALUES (?1, ?2, ?3)", [this.#lastId, ...row]);
    this.#client.run("INSERT INTO keyed VALUES (?2, ?1, ?3)", [this.#lastId, ...row]);
  }

  #update(id: number): void {
    const [key = ""] = this.expected.get(id) ?? [];
    const text = this.#text(key.includes(marker) ? marker : "kept");
    this.expected.set(id, [key, text]);
    this.#client.run("UPDATE rows SET text = ? WHERE id = ?", [text, id]);
    this.#client.run("UPDATE keyed SET text = ? WHERE key = ? AND id = ?", [text, key, id]);
  }

  #delete(id: number): void {
    const [key = ""] = this.expected.get(id) ?? [];
    this.expected.delete(id);
    this.#client.run("DELETE FROM rows WHERE id = ?", [id]);
    this.#client.run("DELETE FROM keyed WHERE key = ? AND id = ?", [key, id]);
  }

  #text(word: string): string {
    const maxLength = maxLengths[Math.floor(this.#random() * maxLengths.length)] ?? 0;
    return `${word} `.repeat(1 + (this.#random() * maxLength) / word.length);
  }
}
