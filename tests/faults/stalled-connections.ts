import { readFileSync } from "node:fs";

const sampleMilliseconds = 200;
/** Connections without progress for longer are stalled. */
const minStalledSeconds = 5;
const established = "01";

/** `seconds`: between the last bytes that the kernel took or sent, and the close by the server or the end of the watch. */
export type StalledConnection = { seconds: number; isClosed: boolean };
type Followed = { queues: string; progressAt: number; isUnsent: boolean };

/**
 * Follows the IPv4 connections of a server by the states and the queues that Linux shows. Returns a function that ends
 * it and returns the connections that have a reply which the client does not receive.
 */
export function watchStalled(port: number): () => StalledConnection[] {
  const followed = new Map<string, Followed>();
  const stalled: StalledConnection[] = [];
  const end = (name: string, isClosed: boolean) => {
    const { progressAt, isUnsent } = followed.get(name) ?? { progressAt: 0, isUnsent: false };
    const seconds = (performance.now() - progressAt) / 1_000;
    if (isUnsent && seconds > minStalledSeconds) stalled.push({ seconds, isClosed });
    followed.delete(name);
  };
  const sample = () => {
    const open = connectionsOf(port);
    for (const name of followed.keys()) if (!open.has(name)) end(name, true);
    for (const [name, { queues, isUnsent }] of open)
      if (followed.get(name)?.queues !== queues)
        followed.set(name, { queues, isUnsent, progressAt: performance.now() });
  };
  const timer = setInterval(sample, sampleMilliseconds);
  return () => {
    clearInterval(timer);
    sample();
    for (const name of [...followed.keys()]) end(name, false);
    return stalled;
  };
}

/** The established connections, by the client's port: the unsent bytes of the server and the unread ones of the client. */
function connectionsOf(port: number): Map<string, { queues: string; isUnsent: boolean }> {
  const [served, received] = [new Map<string, string>(), new Map<string, string>()];
  const serverPort = port.toString(16).toUpperCase().padStart(4, "0");
  for (const line of readFileSync("/proc/net/tcp", "latin1").split("\n").slice(1)) {
    const [, local = "", remote = "", state = "", queues = ""] = line.trim().split(/\s+/);
    const [localPort = "", remotePort = ""] = [local, remote].map((address) => address.slice(-4));
    const [unsent = "", unread = ""] = queues.split(":");
    if (localPort === serverPort && state === established) served.set(remotePort, unsent);
    if (remotePort === serverPort) received.set(localPort, unread);
  }
  return new Map(
    [...served].map(([name, unsent]) => [
      name,
      { queues: `${unsent} ${received.get(name)}`, isUnsent: Number.parseInt(unsent, 16) > 0 },
    ]),
  );
}
