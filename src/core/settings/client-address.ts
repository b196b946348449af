import ipaddr from "ipaddr.js";
import { isAddress, isInNetworks, type Networks } from "./networks.ts";

/**
 * The address of the client: the peer of the connection, or, where that is a trusted proxy, the last address of
 * `X-Forwarded-For` that is no trusted proxy. An entry that is no address ends the search at the proxy that sent it.
 */
export function clientAddress(peer: string, forwardedFor: string | null, proxies: Networks): string {
  let address = withoutMapping(peer);
  for (const entry of (forwardedFor ?? "").split(",").toReversed()) {
    if (!isInNetworks(address, proxies)) break;
    const previous = withoutMapping(withoutPort(entry.trim()));
    if (!isAddress(previous)) break;
    address = previous;
  }
  return address;
}

/**
 * The protocol or host that the client used for the first proxy, in lower case: the first value of `X-Forwarded-Proto` or
 * `X-Forwarded-Host` from a trusted proxy; undefined from another peer. A proxy that adds its value leaves one that the
 * client wrote: it concerns that client's cookie and document only.
 */
export function forwardedValue(peer: string, header: string | null, proxies: Networks): string | undefined {
  if (header === null || !isInNetworks(withoutMapping(peer), proxies)) return undefined;
  return header.split(",")[0]?.trim().toLowerCase();
}

/** The unit that is limited: an IPv4 address, or the /64 network of an IPv6 address, because one client has all of it. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [withoutZone = ""] = address.split("%");
  const groups = ipaddr.IPv6.parse(withoutZone).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}

/** An IPv4 address as such, where the socket has both families: `::ffff:10.0.0.1`. */
function withoutMapping(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** Some proxies add the port: `10.0.0.1:443`, `[::1]:443`. */
function withoutPort(entry: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  return bracketed ?? plain ?? entry;
}
