import type { Change } from "./power-disk.ts";

/** The bytes of a file of changing length. Bytes that were never written are zeros. */
export class Content {
  #bytes: Uint8Array;
  #size: number;

  constructor(bytes = new Uint8Array(0)) {
    this.#bytes = bytes;
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  change(change: Change): void {
    if ("size" in change) this.resize(change.size);
    else this.write(change.offset, change.data);
  }

  write(offset: number, data: Uint8Array): void {
    if (offset + data.length > this.#size) this.resize(offset + data.length);
    this.#bytes.set(data, offset);
  }

  resize(size: number): void {
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#size = size;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  /** A copy with this capacity in bytes. */
  copy(room: number): Content {
    const copy = new Content(new Uint8Array(Math.max(room, this.#size)));
    copy.#bytes.set(this.bytes());
    copy.#size = this.#size;
    return copy;
  }
}
