import type { Socket } from "bun";

/** A request as it is sent. Names and values of headers are sent unchanged. */
export type Sent = {
  method: string;
  /** The percent-encoded path and query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
};
/** A reply: the head with its status line, and the decoded body. */
export type Answer = { status: number; head: string; body: Buffer };

const patience = 30_000;
const none = Buffer.alloc(0);

/** The bytes of a request, with a content-length, and a Host unless the headers have one. */
export function wire({ method, path, headers = {}, body }: Sent): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const all = { host: "localhost", ...headers, ...(bytes && { "content-length": String(bytes.byteLength) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n"), "latin1");
  return bytes ? Buffer.concat([head, bytes]) : head;
}

type Waiting = { isHead: boolean; sentAt: number } & Pick<PromiseWithResolvers<Answer>, "resolve" | "reject">;

/**
 * A keep-alive connection with one open request at a time. If the service closes it, as it may after a malformed
 * request, the next request opens another one.
 */
export class Client {
  readonly #port: number;
  #socket: Socket<undefined> | undefined;
  #waiting: Waiting | undefined;
  #received: Buffer = none;
  #unsent: Uint8Array = none;
  readonly #watch: Timer;

  constructor(port: number) {
    this.#port = port;
    this.#watch = setInterval(() => this.#lookAtTheTime(), 1_000);
  }

  /** Sends a request and resolves with its reply. Throws if there is none within the timeout. */
  async send(sent: Sent): Promise<Answer> {
    if (this.#waiting) throw new Error("a request is under way on this connection");
    this.#socket ??= await this.#connect();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting = { isHead: sent.method === "HEAD", sentAt: performance.now(), resolve, reject };
    this.#unsent = wire(sent);
    this.#flush();
    return promise;
  }

  close(): void {
    clearInterval(this.#watch);
    this.#socket?.terminate();
  }

  #connect(): Promise<Socket<undefined>> {
    return Bun.connect({
      hostname: "127.0.0.1",
      port: this.#port,
      socket: {
        data: (_, chunk) => this.#take(chunk),
        drain: () => this.#flush(),
        close: (socket) => this.#lose(socket),
        error: (socket) => this.#lose(socket),
      },
    });
  }

  #flush(): void {
    if (this.#unsent.length === 0 || !this.#socket) return;
    const written = Math.max(0, this.#socket.write(this.#unsent));
    this.#unsent = this.#unsent.subarray(written);
  }

  #take(chunk: Buffer): void {
    this.#received =
      this.#received.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = this.#received.toString("latin1", 0, end);
    if (!this.#waiting?.isHead && /\r\ntransfer-encoding: *chunked/i.test(head)) {
      const chunks = readChunks(this.#received, end + 4);
      if (chunks) this.#answer(head, chunks.body, chunks.end);
      return;
    }
    const length = this.#waiting?.isHead ? 0 : lengthIn(head);
    // Without a length, the reply ends with the connection.
    if (length === undefined || this.#received.length < end + 4 + length) return;
    this.#answer(head, this.#received.subarray(end + 4, end + 4 + length), end + 4 + length);
  }

  #answer(head: string, body: Buffer, size: number): void {
    const waiting = this.#waiting;
    const isMore = this.#received.length > size;
    this.#waiting = undefined;
    this.#received = none;
    if (isMore) waiting?.reject(new Error(`more came than one answer: ${head}`));
    else waiting?.resolve({ status: Number(head.split(" ", 2)[1]), head, body });
  }

  #lose(socket: Socket<undefined>): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    const end = this.#received.indexOf("\r\n\r\n");
    if (end >= 0 && lengthIn(this.#received.toString("latin1", 0, end)) === undefined)
      this.#answer(
        this.#received.toString("latin1", 0, end),
        this.#received.subarray(end + 4),
        this.#received.length,
      );
    this.#received = none;
    this.#waiting?.reject(new Error("the connection was closed without an answer"));
    this.#waiting = undefined;
  }

  #lookAtTheTime(): void {
    if (!this.#waiting || performance.now() - this.#waiting.sentAt < patience) return;
    this.#waiting.reject(new Error(`no answer in ${patience / 1000} s`));
    this.#waiting = undefined;
    this.#socket?.terminate();
  }
}

/** The body in chunks (RFC 9112, section 7.1), and where it ends; undefined if the last chunk is missing. */
function readChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { body: Buffer.concat(parts), end };
    parts.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}

function lengthIn(head: string): number | undefined {
  if (/^HTTP\/1\.1 204\b/.test(head)) return 0;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  return length === undefined ? undefined : Number(length);
}

/** The value of a header of a reply, or undefined. */
export function headerOf({ head }: Answer, name: string): string | undefined {
  const line = head.split("\r\n").find((one) => one.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}
