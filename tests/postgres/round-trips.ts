import { ClientMessages } from "../faults/postgres-messages.ts";
import { startTcpProxy } from "./proxy.ts";

/**
 * A proxy before a server. `roundTrips` is how often a connection sends data after it received some, `statements` the
 * number of statements that the server executes.
 */
export async function startCounter(target: string) {
  let roundTrips = 0;
  let statements = 0;
  const url = await startTcpProxy(target, (client, upstream) => {
    let isAnswered = true;
    const messages = new ClientMessages();
    client.on("data", (data: Buffer) => {
      if (isAnswered) roundTrips += 1;
      isAnswered = false;
      statements += messages.push(data).filter(({ isExecution }) => isExecution).length;
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      isAnswered = true;
      client.write(data);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  return { url, roundTrips: () => roundTrips, statements: () => statements };
}
