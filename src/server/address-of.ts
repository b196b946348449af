import type { Server } from "bun";
import { clientAddress, networkOf, type TrustedProxies } from "../core/client-address.ts";

/** The address, or the IPv6 network, that a request is counted for; empty when its connection is closed. */
export function addressOf(server: Server<undefined>, request: Request, proxies: TrustedProxies): string {
  const peer = server.requestIP(request)?.address ?? "";
  return networkOf(clientAddress(peer, request.headers.get("x-forwarded-for"), proxies));
}
