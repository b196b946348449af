import type { Socket } from "node:net";
import { startTcpProxy } from "../postgres/proxy.ts";
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

/** A proxy before a PostgreSQL server, which loses connections in chosen states. */
export async function startLossProxy(target: string) {
  const armed: Armed[] = [];
  const lost = new Set<Socket>();
  const state = { isSilent: false };
  const takeLoss: TakeLoss = (matches) => {
    const index = armed.findIndex(({ loss }) => matches(loss.state));
    const [found] = index < 0 ? [] : armed.splice(index, 1);
    found?.onHit();
    return found?.loss;
  };
  const url = await startTcpProxy(target, (client, upstream) =>
    forward(client, upstream, { takeLoss, onLost: () => lost.add(upstream), state }),
  );
  return {
    url,
    /** Closes the lost connections on the side of the server, as its operating system does in the end. */
    closeLost(): void {
      for (const socket of lost) socket.destroy();
      lost.clear();
    },
    /** Loses the next connection that is in the state. Resolves when that has happened. */
    lose: (loss: ConnectionLoss) => new Promise<void>((onHit) => void armed.push({ loss, onHit })),
    /** While it is silent, the data of all connections are lost, also of new ones. */
    setSilent(isSilent: boolean): void {
      state.isSilent = isSilent;
    },
  };
}

type TakeLoss = (matches: (state: ConnectionLoss["state"]) => boolean) => ConnectionLoss | undefined;
type Shared = { takeLoss: TakeLoss; onLost: () => void; state: { isSilent: boolean } };

/** Forwards the data of a connection until it is lost. */
function forward(client: Socket, upstream: Socket, { takeLoss, onLost, state }: Shared): void {
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
    if (state.isSilent) return;
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
    if (loss || state.isSilent) return;
    client.write(data);
    pendingCount -= replies.push(data);
    if (pendingCount > 0 || isInTransaction || writeTransactionCount === 0) return;
    loss = takeLoss((state) => state === "idle");
    // The client gets the reply first.
    if (loss) setTimeout(end, 1, loss);
  });
  upstream.on("close", () => loss || client.destroy());
  // The server does not learn about a connection that was lost silently.
  client.on("close", () => loss || state.isSilent || upstream.destroy());
}
