import { connect, createServer, type Socket } from "node:net";
import { closeAfterTest } from "../support/cleanup.ts";

/** A TCP link to a server that delays each direction, also the end of a connection. Ends after the test. */
export async function startLink(target: string, delayMilliseconds: number): Promise<string> {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(target);
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from.setNoDelay(true));
      const later = (send: () => void) => setTimeout(send, delayMilliseconds);
      from.on("data", (bytes) => later(() => to.write(bytes)));
      from.on("close", () => later(() => to.destroy()));
      from.on("error", () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeAfterTest(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}
