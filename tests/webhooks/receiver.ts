import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { readNetworks } from "../../src/core/settings/networks.ts";
import { createWebhookRules, type WebhookRules } from "../../src/webhooks/send/address-rules.ts";
import { type AttemptRequest, attempt } from "../../src/webhooks/send/attempt.ts";
import type { Certificate } from "../support/certificates.ts";
import { closeAfterTest } from "../support/cleanup.ts";

export type Receiver = {
  port: number;
  /** The text of each request, one for each connection that sent something. */
  requests: string[];
  connectionCount: () => number;
  /** Resolves when all connections are closed. */
  closed: () => Promise<void>;
};

/** The reply to a request, or what to do with its connection. */
type Behaviour = string | ((socket: Socket) => void);

/** A server on a loopback address that speaks HTTP by hand. With a certificate it speaks TLS. */
export async function receive(
  reply: Behaviour,
  certificate?: Certificate,
  host = "127.0.0.1",
  port = 0,
): Promise<Receiver> {
  const requests: string[] = [];
  const open = new Set<Socket>();
  let connectionCount = 0;
  const onConnection = (socket: Socket) => {
    connectionCount += 1;
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    socket.once("data", (data) => {
      requests.push(data.toString());
      if (typeof reply === "string") socket.end(reply);
      else reply(socket);
    });
  };
  const server: Server =
    certificate === undefined
      ? createServer(onConnection)
      : createTlsServer({ cert: certificate.certificate, key: certificate.key }, onConnection);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  closeAfterTest(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    requests,
    connectionCount: () => connectionCount,
    async closed() {
      while (open.size > 0) await Bun.sleep(2);
    },
  };
}

type TestRules = Partial<WebhookRules> & {
  /** The addresses of each name. No other name has one, and no resolver is used. */
  names?: Record<string, readonly string[]>;
  /** A comma list of networks. */
  allow?: string;
};

export function rulesWith({ names = {}, allow = "", ...rules }: TestRules): WebhookRules {
  const networks = readNetworks(allow);
  if (networks === undefined) throw new Error(`invalid: ${allow}`);
  return {
    ...createWebhookRules({ isInsecure: false, networks, clock: Date.now }),
    resolve: async (name) => names[name] ?? Promise.reject(new Error("ENOTFOUND")),
    ...rules,
  };
}

/** One attempt with a body `{}`; to loopback addresses, also with http. */
export function attemptTo(
  url: string,
  { signal = new AbortController().signal, ...rules }: TestRules & { signal?: AttemptRequest["signal"] } = {},
) {
  const request = { url, headers: { "webhook-id": "msg_1" }, body: "{}", signal };
  return attempt(request, rulesWith({ isInsecure: true, ...rules }));
}

/** The result without the time that it took. */
export function untimed<T extends { milliseconds: number }>({ milliseconds, ...result }: T) {
  return result;
}
