import { connect as connectTo, createServer, type Socket } from "node:net";
import { closeAfterTest } from "../support/cleanup.ts";

/** A TCP proxy before a server that counts how often a connection sends data after it received some. */
export async function startCounter(target: string) {
  let count = 0;
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(target);
  const server = createServer((client) => {
    const upstream = connectTo(Number(port), hostname);
    for (const socket of [client, upstream]) sockets.add(socket.setNoDelay(true).on("error", () => {}));
    let isAnswered = true;
    client.on("data", (data) => {
      if (isAnswered) count += 1;
      isAnswered = false;
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      isAnswered = true;
      client.write(data);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeAfterTest(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(target);
  const address = server.address();
  url.port = String(typeof address === "object" && address ? address.port : 0);
  return { url: url.href, roundTrips: () => count };
}
