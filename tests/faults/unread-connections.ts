import { readFileSync } from "node:fs";

const sampleMilliseconds = 100;
const established = "01";
/** A connection whose reply is not received: what was received of it, when that changed, and whether more waits at the server. */
type Unread = { received: string; progressAt: number; hasMore: boolean; closedAt: number | undefined };

/**
 * Watches the connections of clients of 127.0.0.1 that do not receive, as Linux counts their bytes. Returns a function
 * that ends it and returns the seconds from the last progress of each unread reply until the server closed its connection.
 */
export function watchUnread(port: number): () => number[] {
  const connections = new Map<string, Unread>();
  const timer = setInterval(() => sample(port, connections), sampleMilliseconds);
  return () => {
    clearInterval(timer);
    return [...connections.values()].flatMap(({ progressAt, closedAt, hasMore }) =>
      closedAt !== undefined && hasMore ? [(closedAt - progressAt) / 1_000] : [],
    );
  };
}

function sample(port: number, connections: Map<string, Unread>): void {
  const now = performance.now();
  const serverPort = port.toString(16).toUpperCase().padStart(4, "0");
  const open = new Set<string>();
  const lines = readFileSync("/proc/net/tcp", "latin1").trim().split("\n").slice(1);
  const sockets = lines.map((line) => {
    const [, local = "", remote = "", state = "", queues = ""] = line.trim().split(/\s+/);
    const [unsent = "", received = ""] = queues.split(":");
    return { local: local.slice(-4), remote: remote.slice(-4), state, unsent, received };
  });
  for (const { local, remote, received } of sockets) {
    if (remote !== serverPort) continue;
    const connection = connections.get(local);
    if (connection?.received !== received)
      connections.set(local, {
        hasMore: false,
        closedAt: undefined,
        ...connection,
        received,
        progressAt: now,
      });
  }
  for (const { local, remote, state, unsent } of sockets) {
    const connection = connections.get(remote);
    if (local !== serverPort || state !== established || !connection) continue;
    open.add(remote);
    connection.hasMore = Number.parseInt(unsent, 16) > 0;
    connection.closedAt = undefined;
  }
  for (const [client, connection] of connections) if (!open.has(client)) connection.closedAt ??= now;
}
