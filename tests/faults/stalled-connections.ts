import { readFileSync } from "node:fs";

const sampleMilliseconds = 200;
/** Connections without progress for longer are stalled. */
const minStalledSeconds = 5;
/** More bytes than a small reply, whose acknowledgment can be under way. */
const minUnsentBytes = 16_384;
const established = "01";

/** `seconds`: between the last bytes that the server wrote, and its close of the connection or the end of the watch. */
export type StalledConnection = { seconds: number; isClosed: boolean };
/** `written`: the bytes of the server, of which some are not yet acknowledged. */
type Queues = { written: number; isUnsent: boolean };
type Followed = Queues & { progressAt: number };

/**
 * Follows the IPv4 connections of a server by the states and the queues that Linux shows. Returns a function that ends
 * it and returns the connections that have a reply which the client does not receive.
 */
export function watchStalled(port: number): () => StalledConnection[] {
  const followed = new Map<string, Followed>();
  const stalled: StalledConnection[] = [];
  const end = (name: string, isClosed: boolean) => {
    const { progressAt = 0, isUnsent = false } = followed.get(name) ?? {};
    const seconds = (performance.now() - progressAt) / 1_000;
    if (isUnsent && seconds > minStalledSeconds) stalled.push({ seconds, isClosed });
    followed.delete(name);
  };
  const sample = () => {
    const open = connectionsOf(port);
    for (const name of followed.keys()) if (!open.has(name)) end(name, true);
    for (const [name, { written, isUnsent }] of open) {
      const last = followed.get(name);
      const isProgress = last === undefined || written > last.written;
      followed.set(
        name,
        isProgress ? { written, isUnsent, progressAt: performance.now() } : { ...last, isUnsent },
      );
    }
  };
  const timer = setInterval(sample, sampleMilliseconds);
  return () => {
    clearInterval(timer);
    sample();
    for (const name of [...followed.keys()]) end(name, false);
    return stalled;
  };
}

/**
 * The established connections, by the client's port. A client that reads nothing has all acknowledged bytes in its queue,
 * and the server all others.
 */
function connectionsOf(port: number): Map<string, Queues> {
  const [served, received] = [new Map<string, number>(), new Map<string, number>()];
  const serverPort = port.toString(16).toUpperCase().padStart(4, "0");
  for (const line of readFileSync("/proc/net/tcp", "latin1").split("\n").slice(1)) {
    const [, local = "", remote = "", state = "", queues = ""] = line.trim().split(/\s+/);
    const [localPort = "", remotePort = ""] = [local, remote].map((address) => address.slice(-4));
    const [unsent = 0, unread = 0] = queues.split(":").map((size) => Number.parseInt(size, 16));
    if (localPort === serverPort && state === established) served.set(remotePort, unsent);
    if (remotePort === serverPort) received.set(localPort, unread);
  }
  return new Map(
    [...served].map(([name, unsent]) => [
      name,
      { written: unsent + (received.get(name) ?? 0), isUnsent: unsent > minUnsentBytes },
    ]),
  );
}
