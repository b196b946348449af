/** What holds a connection open without ever asking for something whole. */
const kinds = ["half a head", "half a body", "a head that drips", "a body that drips"] as const;

export type Stalled = {
  /** How many the other side has not closed yet. */
  open: () => number;
  /** Milliseconds from the opening of each that was closed by the other side to that moment. */
  closedAfter: readonly number[];
  /** Closes those that are open, and sends nothing more. */
  end: () => void;
};

/** Milliseconds between two bytes of what drips. */
const drip = 1_000;
const dripsAtOnce = 10;

/** Opens so many connections, of all kinds in turn, with a key that is good. */
export async function stall(url: string, key: string, count: number): Promise<Stalled> {
  const closedAfter: number[] = [];
  const open = new Set<Bun.Socket>();
  const dripping: Bun.Socket[] = [];
  const { hostname, port } = new URL(url);
  for (let i = 0; i < count; i += 1) {
    const kind = kinds[i % kinds.length] ?? "half a head";
    const start = performance.now();
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: () => {},
        close: (closed) => {
          if (open.delete(closed)) closedAfter.push(performance.now() - start);
        },
        error: () => {},
      },
    });
    open.add(socket);
    socket.write(kind.endsWith("head") || kind.startsWith("a head") ? halfHead(key) : halfBody(key));
    if (kind.endsWith("drips")) dripping.push(socket);
  }
  let next = 0;
  // A few at a time, so that those who send do not stop for long those who measure beside them.
  const timer = setInterval(
    () => {
      for (let i = 0; i < dripsAtOnce; i += 1) {
        const socket = dripping[next++ % dripping.length];
        if (socket && open.has(socket)) socket.write("x");
      }
    },
    (drip * dripsAtOnce) / Math.max(dripsAtOnce, dripping.length),
  );
  return {
    open: () => open.size,
    closedAfter,
    end: () => {
      clearInterval(timer);
      const rest = [...open];
      open.clear();
      for (const socket of rest) socket.terminate();
    },
  };
}

const halfHead = (key: string) =>
  `GET /api/v1/accounts HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\nx-more: `;
const halfBody = (key: string) =>
  `POST /api/v1/accounts HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"name":"`;
