/** Reads the status and the end of each reply on a connection without pipelining. */
export class ReplyReader {
  /** The status of the last complete reply. */
  status = 0;
  #head = "";
  /** The remaining bytes of the body, or of a chunk and its line end. */
  #left = 0;
  #state: "head" | "body" | "size" | "chunk" | "trailer" = "head";
  #line = "";

  /** Processes received bytes. Returns true when the reply is complete. */
  feed(chunk: Buffer): boolean {
    let from = 0;
    if (this.#state === "head") {
      from = this.#readHead(chunk);
      if (from < 0) return false;
    }
    if (this.#state === "body") {
      this.#left -= chunk.length - from;
      return this.#left > 0 ? false : this.#end(-this.#left);
    }
    return this.#readChunks(chunk, from);
  }

  /** The offset of the body in the chunk, or -1 while the head is incomplete. */
  #readHead(chunk: Buffer): number {
    const end = chunk.indexOf("\r\n\r\n");
    const before = this.#head.length;
    if (before > 0 || end < 0) return this.#readBrokenHead(chunk);
    return this.#parseHead(chunk.toString("latin1", 0, end), end + 4);
  }

  /** A head that is received in several parts. */
  #readBrokenHead(chunk: Buffer): number {
    const before = this.#head.length;
    this.#head += chunk.toString("latin1", 0, chunk.length);
    const end = this.#head.indexOf("\r\n\r\n", Math.max(0, before - 3));
    return end < 0 ? -1 : this.#parseHead(this.#head.slice(0, end), end + 4 - before);
  }

  #parseHead(head: string, bodyFrom: number): number {
    this.#head = "";
    const status = /^HTTP\/1\.\d (\d{3})\b/.exec(head)?.[1];
    if (status === undefined) throw new Error(`a reply without a status: ${head}`);
    this.status = Number(status);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined || this.status === 204) {
      this.#left = Number(length ?? 0);
      this.#state = "body";
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#state = "size";
    else throw new Error(`a reply without a length: ${head}`);
    return bodyFrom;
  }

  #readChunks(chunk: Buffer, start: number): boolean {
    let from = start;
    while (from < chunk.length) {
      if (this.#state === "chunk") {
        const taken = Math.min(this.#left, chunk.length - from);
        this.#left -= taken;
        from += taken;
        if (this.#left === 0) this.#state = "size";
        continue;
      }
      const end = chunk.indexOf(10, from);
      this.#line += chunk.toString("latin1", from, end < 0 ? chunk.length : end);
      if (end < 0) return false;
      from = end + 1;
      const line = this.#line.trim();
      this.#line = "";
      if (this.#state === "trailer" && line === "") return this.#end(chunk.length - from);
      if (this.#state === "size") this.#beginChunk(Number.parseInt(line, 16));
    }
    return false;
  }

  #beginChunk(size: number): void {
    if (!(size >= 0)) throw new Error("a chunk without a size");
    // The line end after the chunk is included.
    this.#left = size + 2;
    this.#state = size === 0 ? "trailer" : "chunk";
  }

  #end(surplus: number): true {
    if (surplus > 0) throw new Error("the reply is longer than its length");
    this.#state = "head";
    this.#left = 0;
    return true;
  }
}
