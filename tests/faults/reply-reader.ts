const lastChunk = "\r\n0\r\n\r\n";
/** Of a problem, which is small. */
const maxProblemBytes = 4_096;

/** Finds the end of a reply without storing its body. */
export class ReplyReader {
  /** The status; of an error with the code of its problem. */
  status = "";
  /** The bytes of the body, with the sizes of its chunks. */
  size = 0;
  #head = "";
  #tail = "";
  /** The bytes of the body; infinite for one in chunks. */
  #length: number | undefined;

  /** Returns true at the end of the reply. */
  read(chunk: Buffer): boolean {
    if (this.#length !== undefined) return this.#readBody(chunk);
    const before = Buffer.byteLength(this.#head, "latin1");
    this.#head += chunk.toString("latin1");
    const end = this.#head.indexOf("\r\n\r\n");
    if (end < 0) return false;
    this.#head = this.#head.slice(0, end + 2);
    this.status = /^HTTP\/1\.1 (\d{3})/.exec(this.#head)?.[1] ?? "no status";
    const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(this.#head)?.[1];
    this.#length = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
    if (this.status === "204" || this.status === "304") this.#length = 0;
    return this.#readBody(chunk.subarray(end + 4 - before));
  }

  #readBody(chunk: Buffer): boolean {
    this.size += chunk.length;
    const isProblem = this.status >= "400" && this.size <= maxProblemBytes;
    const maxTail = isProblem ? maxProblemBytes : lastChunk.length;
    this.#tail = (this.#tail + chunk.subarray(-maxTail).toString("latin1")).slice(-maxTail);
    const isInChunks = this.#length === Number.POSITIVE_INFINITY;
    const isEnd = isInChunks ? this.#tail.endsWith(lastChunk) : this.size >= (this.#length ?? 0);
    const code = isEnd && isProblem ? /"code":"(\w+)"/.exec(this.#tail)?.[1] : undefined;
    if (code !== undefined) this.status += ` ${code}`;
    return isEnd;
  }
}
