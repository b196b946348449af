import type { Server } from "bun";
import {
  clientAddress,
  clientProtocol,
  networkOf,
  type TrustedProxies,
} from "../core/settings/client-address.ts";

/** The address, or the IPv6 network, that a request is counted for; empty when its connection is closed. */
export function addressOf(server: Server<undefined>, request: Request, proxies: TrustedProxies): string {
  const peer = server.requestIP(request)?.address ?? "";
  return networkOf(clientAddress(peer, request.headers.get("x-forwarded-for"), proxies));
}

/** Whether the client sent a request over TLS, to this server or to a trusted proxy. */
export function isOverTls(server: Server<undefined>, request: Request, proxies: TrustedProxies): boolean {
  if (request.url.startsWith("https:")) return true;
  const peer = server.requestIP(request)?.address ?? "";
  return clientProtocol(peer, request.headers.get("x-forwarded-proto"), proxies) === "https";
}
