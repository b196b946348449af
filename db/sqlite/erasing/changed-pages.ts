import { closeSync, openSync, readSync } from "node:fs";
import { errorCode } from "../../errors.ts";

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
