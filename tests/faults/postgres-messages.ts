const startupHeaderBytes = 4;
const messageHeaderBytes = 5;

/**
 * A message of a client. `text` is the statement that it prepares or runs, `isExecution` whether it runs one; the server
 * replies to a command end with ReadyForQuery.
 */
export type ClientMessage = { bytes: Buffer; text?: string; isExecution?: boolean; isCommandEnd?: boolean };

/** Splits the bytes of a client without TLS into messages (https://www.postgresql.org/docs/18/protocol-message-formats.html). */
export class ClientMessages {
  #rest: Buffer = Buffer.alloc(0);
  #isStarted = false;
  /** The texts of the prepared statements, by name. */
  readonly #texts = new Map<string, string>();

  /** The messages that these bytes complete. */
  push(bytes: Buffer): ClientMessage[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: ClientMessage[] = [];
    for (
      let length = this.#nextLength();
      length > 0 && length <= this.#rest.length;
      length = this.#nextLength()
    ) {
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      messages.push(this.#read(message));
    }
    return messages;
  }

  /** The bytes of the next message; 0 without its header. */
  #nextLength(): number {
    const headerBytes = this.#isStarted ? messageHeaderBytes : startupHeaderBytes;
    if (this.#rest.length < headerBytes) return 0;
    return this.#isStarted ? 1 + this.#rest.readInt32BE(1) : this.#rest.readInt32BE(0);
  }

  #read(bytes: Buffer): ClientMessage {
    if (!this.#isStarted) {
      this.#isStarted = true;
      return { bytes };
    }
    const [first = "", second = ""] = bytes.toString("latin1", messageHeaderBytes).split("\0", 2);
    const type = String.fromCharCode(bytes[0] ?? 0);
    if (type === "P") {
      this.#texts.set(first, second);
      return { bytes, text: second.trim() };
    }
    if (type === "Q") return { bytes, text: first.trim(), isExecution: true, isCommandEnd: true };
    if (type === "E") return { bytes, isExecution: true };
    if (type === "S") return { bytes, isCommandEnd: true };
    if (type === "B") return { bytes, text: (this.#texts.get(second) ?? "").trim() };
    return { bytes };
  }
}

/** Counts the messages of a server that end the reply to a command (ReadyForQuery). */
export class ReadyCounter {
  #rest: Buffer = Buffer.alloc(0);

  /** The number of those that these bytes complete. */
  push(bytes: Buffer): number {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    let count = 0;
    while (this.#rest.length >= messageHeaderBytes) {
      const length = 1 + this.#rest.readInt32BE(1);
      if (this.#rest.length < length) break;
      if (this.#rest[0] === "Z".charCodeAt(0)) count += 1;
      this.#rest = this.#rest.subarray(length);
    }
    return count;
  }
}
