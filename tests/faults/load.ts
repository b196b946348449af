import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "../binary/binary.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { withTimeLimit } from "../support/time-limit.ts";
import { LoadConnection } from "./load-connection.ts";
import { sendWithoutReceiving } from "./stalled-client.ts";

/** Connection `i` sends the request `i` of the list, again and again. */
export type LoadOrder = {
  url: string;
  connections: number;
  /** The texts of requests. Each `newKey` is replaced by another text each time. */
  requests: readonly string[];
  /** Whether the connections do not receive the replies. */
  isStalled?: boolean | undefined;
  /** Whether each request has a new connection, and is followed by the pause of a rejected one. */
  isFresh?: boolean;
  maxReplies?: number | undefined;
};
/** Numbers of replies by status, and code of a problem; the bytes of the largest body. */
export type LoadResult = { statuses: Record<string, number>; largest: number };
type FileOrder = LoadOrder & { counterFile: string };

export const newKey = "{new key}";
/** The pause after a reply that is no success, in milliseconds. */
const retryMilliseconds = 50;
/** The time in which a load with a number of replies must end. */
const hopelessMilliseconds = 120_000;

/** The text of a request of a key, with the length of its body. */
export function loadRequest(
  key: string,
  method: string,
  path: string,
  { body, headers = {} }: { body?: string | undefined; headers?: Readonly<Record<string, string>> } = {},
): string {
  const lines = Object.entries({
    host: "localhost",
    "x-api-key": key,
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`;
}

/** Starts the load in another process, so that its work does not delay the measurement. */
export function startLoad(order: LoadOrder) {
  const counterFile = join(folder(), "replies");
  writeFileSync(counterFile, new Uint8Array(8));
  const counters = new Uint32Array(Bun.mmap(counterFile).buffer);
  const { maxReplies = Number.POSITIVE_INFINITY } = order;
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  closeAfterTest(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  child.stdin.write(`${JSON.stringify({ ...order, counterFile } satisfies FileOrder)}\n`);
  child.stdin.flush();
  const replyCount = () => counters[0] ?? 0;
  return {
    replyCount,
    successCount: () => counters[1] ?? 0,
    isOver: () => child.exitCode !== null,
    ended: () => withTimeLimit(hopelessMilliseconds, child.exited, 0),
    /** Resolves after this many replies, or after the time. */
    async received(count: number, milliseconds: number): Promise<void> {
      const end = performance.now() + milliseconds;
      while (replyCount() < Math.min(count, maxReplies) && performance.now() < end) await Bun.sleep(5);
    },
    async stop(): Promise<LoadResult> {
      child.stdin.end();
      return JSON.parse(await new Response(child.stdout).text());
    },
  };
}

/** Reads an order as a line of JSON, sends until its input ends or `maxReplies` are received, and prints the result. */
async function main(): Promise<void> {
  const input = Bun.stdin.stream().getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) text += decoder.decode((await input.read()).value, { stream: true });
  // Safe: `startLoad` writes it.
  const load = new Load(JSON.parse(text) as FileOrder);
  const loops = load.run();
  const inputEnds = (async () => {
    while (!(await input.read()).done);
  })();
  await Promise.race([loops, inputEnds]);
  load.stop();
  await loops;
  console.log(JSON.stringify(load.result));
  process.exit(0);
}

class Load {
  readonly result: LoadResult = { statuses: {}, largest: 0 };
  readonly #order: FileOrder;
  readonly #counters: Uint32Array;
  readonly #open = new Set<Bun.Socket>();
  readonly #stopped = Promise.withResolvers<void>();
  #sentCount = 0;
  #isOver = false;

  constructor(order: FileOrder) {
    this.#order = order;
    this.#counters = new Uint32Array(Bun.mmap(order.counterFile).buffer);
  }

  stop(): void {
    this.#isOver = true;
    this.#stopped.resolve();
    for (const socket of this.#open) socket.terminate();
  }

  async run(): Promise<void> {
    const { connections, requests, isStalled, url } = this.#order;
    const texts = requests.map((text) => ({ text, bytes: Buffer.from(text) }));
    const rounds = Math.ceil(connections / texts.length);
    const all = Array.from({ length: rounds }, () => texts)
      .flat()
      .slice(0, connections);
    if (!isStalled) return void (await Promise.all(all.map((request) => this.#repeat(request))));
    // These connections close with this process.
    for (const { bytes } of all) sendWithoutReceiving(Number(new URL(url).port), bytes);
    await this.#stopped.promise;
  }

  async #repeat({ text, bytes }: { text: string; bytes: Buffer }): Promise<void> {
    const { maxReplies = Number.POSITIVE_INFINITY, isFresh = false } = this.#order;
    const hasNewKey = text.includes(newKey);
    let connection: LoadConnection | undefined;
    while (!this.#isOver && this.#sentCount < maxReplies) {
      this.#sentCount += 1;
      connection = connection?.isOpen ? connection : await this.#connect();
      const { status, size } = await connection.send(
        hasNewKey ? Buffer.from(text.replace(newKey, crypto.randomUUID())) : bytes,
      );
      if (this.#isOver) return;
      this.result.statuses[status] = (this.result.statuses[status] ?? 0) + 1;
      this.result.largest = Math.max(this.result.largest, size);
      const isSuccess = status.startsWith("2");
      for (const counter of isSuccess ? [0, 1] : [0])
        this.#counters[counter] = (this.#counters[counter] ?? 0) + 1;
      if (isFresh) connection.socket?.terminate();
      if (isFresh || !isSuccess) await Bun.sleep(retryMilliseconds);
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

if (import.meta.main) await main();
