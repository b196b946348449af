import { connect, createServer, type Socket } from "node:net";
import { closeAfterTest } from "../support/cleanup.ts";
import { ClientMessages, ReadyCounter } from "./postgres-messages.ts";

/** The statement at which a connection is lost. */
const statements = {
  "key lookup": /from "api_keys"/,
  "begin of a read": /^begin isolation level/,
  begin: /^begin(?:;|$)/,
  change: /^(?:insert into|update) "/,
  commit: /^commit$/,
  rollback: /^rollback$/,
};
/** How a connection is lost: "idle" is a pause between two write transactions. */
export type ConnectionLoss = {
  state: keyof typeof statements | "idle";
  /**
   * When the server gets the statement, if at all; "in part": without the message that ends the command, after which the
   * server waits for more. Its reply is lost in any case.
   */
  arrives: "never" | "in part" | "now" | "late";
  /** Which sides learn that the connection is lost. */
  resets: "both" | "client" | "none";
};
type Armed = { loss: ConnectionLoss; onHit: () => void };

const lateMilliseconds = 500;

/** A TCP proxy before a PostgreSQL server, which loses connections in chosen states. */
export async function startLossProxy(target: string) {
  const armed: Armed[] = [];
  const sockets = new Set<Socket>();
  const lost = new Set<Socket>();
  const takeLoss = (matches: (state: ConnectionLoss["state"]) => boolean): ConnectionLoss | undefined => {
    const index = armed.findIndex(({ loss }) => matches(loss.state));
    const [found] = index < 0 ? [] : armed.splice(index, 1);
    found?.onHit();
    return found?.loss;
  };
  const server = createServer((client) => {
    const { hostname, port } = new URL(target);
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    forward(client, upstream, { takeLoss, onLost: () => lost.add(upstream) });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeAfterTest(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(target);
  const address = server.address();
  url.port = String(typeof address === "object" && address ? address.port : 0);
  // Messages in TLS cannot be read.
  url.searchParams.set("sslmode", "disable");
  return {
    url: url.href,
    /** Closes the lost connections on the side of the server, as its operating system does in the end. */
    closeLost(): void {
      for (const socket of lost) socket.destroy();
      lost.clear();
    },
    /** Loses the next connection that is in the state. Resolves when that has happened. */
    lose: (loss: ConnectionLoss) => new Promise<void>((onHit) => void armed.push({ loss, onHit })),
  };
}

/** Forwards the data of a connection until it is lost. */
function forward(
  client: Socket,
  upstream: Socket,
  {
    takeLoss,
    onLost,
  }: {
    takeLoss: (matches: (state: ConnectionLoss["state"]) => boolean) => ConnectionLoss | undefined;
    onLost: () => void;
  },
): void {
  const messages = new ClientMessages();
  const replies = new ReadyCounter();
  let loss: ConnectionLoss | undefined;
  let isForwarding = true;
  let writeTransactionCount = 0;
  let isInTransaction = false;
  // The startup message has a reply, too.
  let pendingCount = 1;

  function end({ resets, arrives }: ConnectionLoss): void {
    isForwarding = false;
    onLost();
    if (resets !== "none") client.resetAndDestroy();
    if (resets === "both" && arrives !== "late") upstream.end();
  }
  client.on("data", (data: Buffer) => {
    for (const { bytes, text = "", isCommandEnd } of messages.push(data)) {
      if (!isForwarding) return;
      loss ??=
        text === "" ? undefined : takeLoss((state) => state !== "idle" && statements[state].test(text));
      if (loss?.arrives === "never" || (loss?.arrives === "in part" && isCommandEnd)) return end(loss);
      if (statements.begin.test(text)) writeTransactionCount += 1;
      if (/^(?:begin|commit|rollback)/.test(text)) isInTransaction = text.startsWith("begin");
      if (isCommandEnd) pendingCount += 1;
      if (loss?.arrives === "late") setTimeout(() => upstream.write(bytes), lateMilliseconds);
      else upstream.write(bytes);
      if (loss && isCommandEnd) end(loss);
    }
  });
  upstream.on("data", (data: Buffer) => {
    if (loss) return;
    client.write(data);
    pendingCount -= replies.push(data);
    if (pendingCount > 0 || isInTransaction || writeTransactionCount === 0) return;
    loss = takeLoss((state) => state === "idle");
    // The client gets the reply first.
    if (loss) setTimeout(end, 1, loss);
  });
  upstream.on("close", () => loss || client.destroy());
  client.on("close", () => loss || upstream.destroy());
}
