import { connect, createServer, type Socket } from "node:net";
import { closeAfterTest } from "../support/cleanup.ts";

/** Starts a TCP proxy before a server, and resolves with the URL through it, without TLS, so that messages can be read. */
export async function startTcpProxy(
  target: string,
  forward: (client: Socket, upstream: Socket) => void,
): Promise<string> {
  const url = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    forward(client, upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeAfterTest(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const through = new URL(target);
  const address = server.address();
  through.hostname = "127.0.0.1";
  through.port = String(typeof address === "object" && address ? address.port : 0);
  through.searchParams.set("sslmode", "disable");
  return through.href;
}

/** Starts a proxy that delays all data by 2 ms. */
export function startDelay(target: string): Promise<string> {
  const later = (work: () => void) => setTimeout(work, 2);
  return startTcpProxy(target, (client, upstream) => {
    client.on("data", (data) => later(() => upstream.write(data)));
    upstream.on("data", (data) => later(() => client.write(data)));
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
}
