import { bytesOf, type Shape } from "./large-bodies-shapes.ts";

export type Order = { url: string; key: string; shape: Shape; connections: number };

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
  // Safe: the proof writes it.
  const { url, key, shape, connections } = JSON.parse(text) as Order;
  const bytes = bytesOf(shape, key);
  const open = new Set<Bun.Socket>();
  let isOver = false;
  let count = 0;
  const loops = Array.from({ length: connections }, async () => {
    while (!isOver) {
      await sendOnce(new URL(url), bytes, open);
      count += 1;
      await Bun.sleep(pause);
    }
  });
  while (!(await input.read()).done);
  isOver = true;
  for (const socket of open) socket.terminate();
  await Promise.all(loops);
  console.log(count);
}

/** Sends the bytes on a new connection. Resolves with its end or the first bytes of a reply. */
function sendOnce({ hostname, port }: URL, bytes: Buffer, open: Set<Bun.Socket>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let unsent = bytes;
  const flush = (socket: Bun.Socket) => {
    if (unsent.length > 0) unsent = unsent.subarray(Math.max(0, socket.write(unsent)));
  };
  const end = (socket: Bun.Socket) => {
    open.delete(socket);
    resolve();
  };
  const connected = Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => {
        open.add(socket);
        flush(socket);
      },
      drain: flush,
      data: (socket) => socket.terminate(),
      close: end,
      error: end,
    },
  });
  connected.catch(() => resolve());
  return promise;
}

if (import.meta.main) await main();
