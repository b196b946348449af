import { connect as connectTo, createServer, type Socket } from "node:net";
import { closeAfterTest } from "../support/cleanup.ts";

/** What happens to the next request of a connection, and to its reply. */
type Fault =
  /** The connection is reset before the server receives the request. */
  | "cut"
  /** The server receives the request; the connection is reset instead of the reply. */
  | "cutReply"
  /** The connection is reset, and the server receives the request half a second later. */
  | "cutLate"
  /** The request and all later data are lost, without a reset. */
  | "mute"
  /** The server receives the request and later ones; all replies are lost, without a reset. */
  | "muteReply"
  /** The data of all connections are lost, also of new ones. */
  | "dead";

/** A TCP proxy before a server. The faults, except "dead", end with the connection that they hit. */
export async function startProxy(target: string) {
  let fault: Fault | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const { hostname, port } = new URL(target);
    const upstream = connectTo(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on("error", () => {});
    }
    let state: Fault | undefined;
    client.on("data", (data) => {
      if (fault && fault !== "dead" && !state) {
        state = fault;
        fault = undefined;
      }
      if (state === "cutLate") setTimeout(() => upstream.write(data), 500);
      if (state === "cut" || state === "cutLate") return void client.resetAndDestroy();
      if (state === "mute" || fault === "dead") return;
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (state === "cutReply") return void client.resetAndDestroy();
      if (state === "mute" || state === "muteReply" || fault === "dead") return;
      client.write(data);
    });
    upstream.on("close", () => state || client.destroy());
    // The server does not learn about a connection that was lost silently.
    client.on("close", () => /mute|Late/.test(state ?? "") || fault === "dead" || upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeAfterTest(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(target);
  const address = server.address();
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" && address ? address.port : 0);
  return {
    url: url.href,
    inject(next: Fault | undefined) {
      fault = next;
    },
  };
}
