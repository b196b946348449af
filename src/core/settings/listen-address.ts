import { form } from "./kinds.ts";

/** Names and addresses, with the zone of an IPv6 address. */
const hostPattern = /^(?:[^\s"'[\]/\p{Cc}]+|\[[\p{Hex_Digit}:.]+\])$/u;
const maxPort = 65_535;

/** A host without the brackets of an IPv6 address; undefined for a text that is no host, such as the empty one. */
export function readHost(text: string): string | undefined {
  return hostPattern.test(text) ? text.replace(/^\[(.*)\]$/, "$1") : undefined;
}

/** `HOST:PORT`, with brackets around an IPv6 address, or `off`. */
export const listenAddress = form("an address with a port, such as 127.0.0.1:9464, or off", (text) => {
  if (text === "off") return text;
  const [, hostText = "", digits] = /^([^[\]:]+|\[.+\]):(\d{1,5})$/.exec(text) ?? [];
  const [host, port] = [readHost(hostText), Number(digits)];
  return host !== undefined && port <= maxPort ? { host, port } : undefined;
});
