import { LoadConnection } from "./load-connection.ts";
import { sendWithoutReceiving } from "./stalled-client.ts";

/** A request that connections repeat. `hasNewKey`: with another `Idempotency-Key` each time. */
export type LoadRequest = {
  method: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  hasNewKey?: boolean;
};
/** Connection `i` sends request `i` of the list. The file has the number of replies as a 32-bit integer. */
export type LoadOrder = {
  url: string;
  key: string;
  connections: number;
  requests: readonly LoadRequest[];
  counterFile: string;
  /** Whether the connections receive the replies. */
  isReading: boolean;
  maxReplies?: number | undefined;
};
/** Numbers of replies by status, and code of a problem; the bytes of all bodies and of the largest one. */
export type LoadResult = { statuses: Record<string, number>; bytes: number; largest: number };

/** The pause after a 503, in milliseconds. */
const retryMilliseconds = 50;

/**
 * A process of its own, so that its work does not delay the measurement. Reads an order as a line of JSON, sends the
 * requests on all connections until its input ends or `maxReplies` are received, and prints the result as JSON.
 */
async function main(): Promise<void> {
  const input = Bun.stdin.stream().getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) text += decoder.decode((await input.read()).value, { stream: true });
  // Safe: the proof writes it.
  const order = JSON.parse(text) as LoadOrder;
  if (!order.isReading) {
    stall(order);
    while (!(await input.read()).done);
    console.log(JSON.stringify(emptyResult()));
    process.exit(0);
  }
  const load = new Load(order);
  const loops = Promise.all(Array.from({ length: order.connections }, (_, i) => load.run(i)));
  const ended = (async () => {
    while (!(await input.read()).done);
    load.stop();
  })();
  await (order.maxReplies !== undefined ? Promise.race([loops, ended]) : ended);
  load.stop();
  await loops;
  console.log(JSON.stringify(load.result));
  process.exit(0);
}

function emptyResult(): LoadResult {
  return { statuses: {}, bytes: 0, largest: 0 };
}

/** The connections close with this process. */
function stall({ url, key, connections, requests }: LoadOrder): void {
  for (let i = 0; i < connections; i += 1) {
    const request = requests[i % requests.length];
    if (request) sendWithoutReceiving(Number(new URL(url).port), wireOf(request, key));
  }
}

class Load {
  readonly result = emptyResult();
  readonly #order: LoadOrder;
  readonly #counter: Uint32Array;
  readonly #open = new Set<Bun.Socket>();
  #sentCount = 0;
  #isOver = false;

  constructor(order: LoadOrder) {
    this.#order = order;
    this.#counter = new Uint32Array(Bun.mmap(order.counterFile).buffer);
  }

  stop(): void {
    this.#isOver = true;
    for (const socket of this.#open) socket.terminate();
  }

  async run(index: number): Promise<void> {
    const { requests, maxReplies = Number.POSITIVE_INFINITY } = this.#order;
    const request = requests[index % requests.length];
    if (!request) throw new Error("an order without requests");
    let connection: LoadConnection | undefined;
    while (!this.#isOver && this.#sentCount < maxReplies) {
      this.#sentCount += 1;
      connection = connection?.isOpen ? connection : await this.#connect();
      const { status, size } = await connection.send(wireOf(request, this.#order.key));
      if (this.#isOver) return;
      this.result.statuses[status] = (this.result.statuses[status] ?? 0) + 1;
      this.result.bytes += size;
      this.result.largest = Math.max(this.result.largest, size);
      this.#counter[0] = (this.#counter[0] ?? 0) + 1;
      if (!/^2/.test(status)) await Bun.sleep(retryMilliseconds);
    }
  }

  async #connect(): Promise<LoadConnection> {
    const connection = new LoadConnection();
    const { hostname, port } = new URL(this.#order.url);
    const opened = Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void this.#open.add(socket),
        data: (_, chunk) => connection.receive(chunk),
        drain: () => connection.flush(),
        close: (socket) => {
          this.#open.delete(socket);
          connection.lose();
        },
        error: () => connection.lose(),
      },
    });
    connection.socket = await opened.catch(() => undefined);
    connection.isOpen = connection.socket !== undefined;
    return connection;
  }
}

function wireOf({ method, path, headers = {}, body, hasNewKey }: LoadRequest, key: string): Buffer {
  const lines = Object.entries({
    host: "localhost",
    "x-api-key": key,
    ...(hasNewKey && { "idempotency-key": crypto.randomUUID() }),
    ...headers,
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`);
}

if (import.meta.main) await main();
