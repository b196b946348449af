import { connect as connectTo, createServer, type Socket } from "node:net";
import { closeAfterTest } from "../support/cleanup.ts";

/**
 * A TCP proxy before a server. `roundTrips` is how often a connection sends data after it received some, `statements` the
 * number of statements that the server executes.
 */
export async function startCounter(target: string) {
  let roundTrips = 0;
  let statements = 0;
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(target);
  const server = createServer((client) => {
    const upstream = connectTo(Number(port), hostname);
    for (const socket of [client, upstream]) sockets.add(socket.setNoDelay(true).on("error", () => {}));
    let isAnswered = true;
    const countStatements = statementCounter();
    client.on("data", (data: Buffer) => {
      if (isAnswered) roundTrips += 1;
      isAnswered = false;
      statements += countStatements(data);
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
  return { url: url.href, roundTrips: () => roundTrips, statements: () => statements };
}

/** The messages of a client that execute a statement: Execute, and Query with one statement. */
const executing = new Set(["E", "Q"].map((type) => type.charCodeAt(0)));

const sslRequest = 80_877_103;

/**
 * Counts the statements of the data of one client. Its first message, and an SSLRequest before it, have no type
 * (PostgreSQL, "Message Formats").
 */
function statementCounter(): (data: Buffer) => number {
  let pending: Buffer = Buffer.alloc(0);
  let isStarted = false;
  return (data) => {
    pending = Buffer.concat([pending, data]);
    let count = 0;
    for (;;) {
      const start = isStarted ? 1 : 0;
      if (pending.length < start + 4) return count;
      const end = start + pending.readUInt32BE(start);
      if (pending.length < end) return count;
      if (isStarted && executing.has(pending.readUInt8(0))) count += 1;
      isStarted ||= pending.readUInt32BE(4) !== sslRequest;
      pending = pending.subarray(end);
    }
  };
}
