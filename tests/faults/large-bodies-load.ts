/** A request that all connections send. `sent` is less than the body where the rest never arrives. */
export type Shape = { name: string; path: string; hasKey: boolean; body: string; sent?: number };
type Order = { url: string; key: string; shape: Shape; connections: number };

/** The pause between a reply and the next body of a connection, in milliseconds. */
const pause = 50;

/**
 * A process of its own, so that its work does not delay the measurement. Reads an order as a line of JSON, sends the
 * body on all connections until its input ends, and prints the number of bodies.
 */
async function main(): Promise<void> {
  const input = Bun.stdin.stream().getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) text += decoder.decode((await input.read()).value, { stream: true });
  // Safe: `sendAll` writes it.
  const { url, key, shape, connections } = JSON.parse(text) as Order;
  let isOver = false;
  let count = 0;
  const bytes = requestOf(key, shape);
  const loops = Array.from({ length: connections }, async () => {
    while (!isOver) {
      await sendOnce(new URL(url), bytes, () => isOver);
      count += 1;
      await Bun.sleep(pause);
    }
  });
  while (!(await input.read()).done);
  isOver = true;
  await Promise.all(loops);
  console.log(count);
}

function requestOf(key: string, { path, hasKey, body, sent = body.length }: Shape): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "content-type: application/json",
    `content-length: ${body.length}`,
    ...(hasKey ? [`x-api-key: ${key}`] : []),
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body.slice(0, sent)}`);
}

/** Sends the bytes on a new connection. Resolves with its end or the first bytes of a reply. */
function sendOnce({ hostname, port }: URL, bytes: Buffer, isOver: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let unsent = bytes;
  const flush = (socket: Bun.Socket) => {
    if (unsent.length > 0) unsent = unsent.subarray(Math.max(0, socket.write(unsent)));
  };
  let timer: Timer | undefined;
  const end = () => {
    clearInterval(timer);
    resolve();
  };
  Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: flush,
      drain: flush,
      data: (socket) => socket.terminate(),
      close: end,
      error: end,
      connectError: end,
    },
  }).then(
    (socket) => {
      timer = setInterval(() => isOver() && socket.terminate(), 50);
    },
    () => setTimeout(end, 50),
  );
  return promise;
}

if (import.meta.main) await main();
