import type { Server } from "bun";
import { clientAddress, forwardedValue, networkOf } from "../core/settings/client-address.ts";
import type { Networks } from "../core/settings/networks.ts";
import { hostPattern } from "../http/guard/request-line.ts";

/** The address, or the IPv6 network, that a request is counted for; empty when its connection is closed. */
export function addressOf(server: Server<undefined>, request: Request, proxies: Networks): string {
  return networkOf(clientOf(server, request, proxies));
}

/** The address of the client; empty when its connection is closed. */
export function clientOf(server: Server<undefined>, request: Request, proxies: Networks): string {
  const peer = server.requestIP(request)?.address ?? "";
  return clientAddress(peer, request.headers.get("x-forwarded-for"), proxies);
}

/** Whether the client sent a request over TLS, to this server or to a trusted proxy. */
export function isOverTls(server: Server<undefined>, request: Request, proxies: Networks): boolean {
  if (request.url.startsWith("https:")) return true;
  const peer = server.requestIP(request)?.address ?? "";
  return forwardedValue(peer, request.headers.get("x-forwarded-proto"), proxies) === "https";
}

/**
 * The origin that a client sent a request to, such as `https://accounts.example.com`. Needs a request whose Host was
 * checked. A host of a trusted proxy that is no Host is ignored.
 */
export function originOf(server: Server<undefined>, request: Request, proxies: Networks): string {
  const peer = server.requestIP(request)?.address ?? "";
  const forwarded = forwardedValue(peer, request.headers.get("x-forwarded-host"), proxies) ?? "";
  const host = hostPattern.test(forwarded) ? forwarded : request.headers.get("host");
  return `${isOverTls(server, request, proxies) ? "https" : "http"}://${host}`;
}
