/** The ways to keep a connection open without a complete request. */
const kinds = ["half a head", "half a body", "a head that drips", "a body that drips"] as const;

export type Stalled = {
  /** The number of connections that the server has not closed. */
  open: () => number;
  /** The milliseconds until the server closed a connection, for each closed one. */
  closedAfter: readonly number[];
  /** Closes the open connections, and stops sending. */
  end: () => void;
};

/** The milliseconds between two bytes of a slow request. */
const drip = 1_000;
const dripsAtOnce = 10;

/** Opens this number of connections, of all kinds in rotation, with a valid key. */
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
  // A few at a time, so that sending does not delay the concurrent measurement.
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
