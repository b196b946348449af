import { invalidSetting, type SettingKind } from "./kinds.ts";

/** Names and addresses, with the zone of an IPv6 address. */
const hostPattern = /^(?:[^\s"'[\]/\p{Cc}]+|\[[\p{Hex_Digit}:.]+\])$/u;
const maxPort = 65_535;

/** A host without the brackets of an IPv6 address; undefined for a text that is no host, such as the empty one. */
export function readHost(text: string): string | undefined {
  return hostPattern.test(text) ? text.replace(/^\[(.*)\]$/, "$1") : undefined;
}

/** `HOST:PORT`, with brackets around an IPv6 address; `off`: undefined. */
export const listenAddress: SettingKind<{ host: string; port: number } | undefined> = {
  parse(text, name) {
    if (text === "off") return undefined;
    const [, hostText = "", digits] = /^([^[\]:]+|\[.+\]):(\d{1,5})$/.exec(text) ?? [];
    const [host, port] = [readHost(hostText), Number(digits)];
    if (host !== undefined && port <= maxPort) return { host, port };
    throw invalidSetting(`${name} must be an address with a port, such as 127.0.0.1:9464, or off.`);
  },
};
