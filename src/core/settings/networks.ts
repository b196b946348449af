export type Networks = { check(address: string, family: "ipv4" | "ipv6"): boolean };

const noNetworks: Networks = { check: () => false };

/** Loaded where it is needed: an import would slow down every start. */
function loadNet(): typeof import("node:net") {
  return process.getBuiltinModule("node:net");
}

/** The networks of a comma list such as `10.0.0.0/8, ::1`, empty for none; undefined when one is invalid. */
export function readNetworks(list: string): Networks | undefined {
  if (list.trim() === "") return noNetworks;
  const { BlockList, isIP } = loadNet();
  const networks = new BlockList();
  for (const part of list.split(",").map((text) => text.trim())) {
    if (part === "") continue;
    const [, address = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
    const family = isIP(address);
    const bits = family === 4 ? 32 : 128;
    if (family === 0 || address.includes("%") || Number(prefix ?? bits) > bits) return undefined;
    networks.addSubnet(address, Number(prefix ?? bits), family === 4 ? "ipv4" : "ipv6");
  }
  return networks;
}

/** Whether the text is an IPv4 or IPv6 address. */
export function isAddress(text: string): boolean {
  return loadNet().isIP(text) !== 0;
}

export function isInNetworks(text: string, networks: Networks): boolean {
  if (networks === noNetworks) return false;
  const family = loadNet().isIP(text);
  return family !== 0 && networks.check(text, family === 4 ? "ipv4" : "ipv6");
}
