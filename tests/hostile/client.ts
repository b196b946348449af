import { type Connection, connectTo, type Reply } from "../faults/raw-connection.ts";
import { withTimeLimit } from "../support/time-limit.ts";

/** A request as it is sent. Names and values of headers are sent unchanged. */
export type Sent = {
  method: string;
  /** The percent-encoded path and query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
};

const patience = 30_000;

/** The bytes of a request, with a content-length, and a Host unless the headers have one. */
function wire({ method, path, headers = {}, body }: Sent): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const all = { host: "localhost", ...headers, ...(bytes && { "content-length": String(bytes.byteLength) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, "", ""].join("\r\n"), "latin1");
  return bytes ? Buffer.concat([head, bytes]) : head;
}

/**
 * A keep-alive connection with one open request at a time. If the service closes it, as it may after a malformed
 * request, the next request opens another one.
 */
export class Client {
  readonly #url: string;
  #connection: Connection | undefined;

  constructor(port: number) {
    this.#url = `http://127.0.0.1:${port}`;
  }

  /** Sends a request and resolves with its reply. Throws if there is none within the timeout. */
  async send(sent: Sent): Promise<Reply> {
    if (!this.#connection?.isOpen()) this.#connection = await connectTo(this.#url);
    const sending = this.#connection.send(wire(sent), { isHead: sent.method === "HEAD" });
    const answer = await withTimeLimit(patience, sending, undefined);
    if (answer && !("cut" in answer)) return answer;
    this.close();
    throw new Error(
      answer ? "the connection was closed without an answer" : `no answer in ${patience / 1000} s`,
    );
  }

  close(): void {
    this.#connection?.close();
  }
}

/** The value of a header of a reply, or undefined. */
export function headerOf({ head }: Reply, name: string): string | undefined {
  const line = head.split("\r\n").find((one) => one.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}
