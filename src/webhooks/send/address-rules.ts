import { dns } from "bun";
import ipaddr from "ipaddr.js";
import type { ValueCode } from "../../core/errors.ts";
import type { Networks } from "../../core/settings/networks.ts";

/** Where webhooks may be sent to, and how an attempt gets there. */
export type WebhookRules = {
  /** Whether loopback addresses are allowed, also with http. */
  isInsecure: boolean;
  /** Allowed with https, although they are not public. */
  networks: Networks;
  /** The addresses of a host name. Rejects when it has none. */
  resolve: (name: string) => Promise<readonly string[]>;
  /** The present time in milliseconds since 1970 UTC. */
  clock: () => number;
  /** The time limit of an attempt, from the resolution of the name to the end of the response. */
  maxMilliseconds: number;
  /** The certificate authority as PEM. Absent: the authorities of the system. */
  authority?: string;
};

const maxUrlLength = 2_000;
/** The creation of a webhook does not wait longer for the address of a name: each attempt resolves it again. */
const maxResolveMilliseconds = 3_000;
/** The metadata service of Azure has a public address. */
const publicMetadataAddress = "168.63.129.16";
const globalIpv6 = ipaddr.parseCIDR("2000::/3");

export function createWebhookRules(
  settings: Pick<WebhookRules, "isInsecure" | "networks" | "clock">,
): WebhookRules {
  return { ...settings, resolve: resolveName, maxMilliseconds: 15_000 };
}

/** With `getaddrinfo`, which `node:dns` uses, a few names whose servers are silent block all others for seconds. */
async function resolveName(name: string): Promise<string[]> {
  return (await dns.lookup(name, { backend: "c-ares" })).map(({ address }) => address);
}

/**
 * Why a webhook may not have the URL, for a 400; undefined when it may. A name is resolved once; a name that does not
 * resolve is accepted, because each attempt checks the address that it connects to.
 */
export async function checkWebhookUrl(
  text: string,
  rules: WebhookRules,
): Promise<{ code: ValueCode; detail: string } | undefined> {
  if (text.length > maxUrlLength)
    return { code: "too_long", detail: `must have at most ${maxUrlLength} characters` };
  const url = URL.parse(text);
  // The parser removes tabs and line breaks, and accepts `https:host`: such a URL is not what it seems to be.
  if (url === null || /\s/.test(text)) return { code: "invalid_url", detail: "must be an https URL" };
  if (!(rules.isInsecure ? /^https?:\/\//i : /^https:\/\//i).test(text))
    return { code: "invalid_url", detail: "must begin with https://" };
  if (url.username !== "" || url.password !== "")
    return { code: "invalid_url", detail: "must not contain a user name or a password" };
  if (url.href.includes("#")) return { code: "invalid_url", detail: "must not contain a fragment (#)" };
  const addresses = await Promise.race([
    addressesOf(url, rules),
    Bun.sleep(maxResolveMilliseconds).then(() => []),
  ]);
  if (addresses.length === 0 || allowedAddresses(addresses, url, rules).length > 0) return undefined;
  return {
    code: "not_allowed",
    detail:
      "must be the URL of a public server: this one has a private, local or reserved address, which the operator can allow (--webhooks-allow)",
  };
}

/** The addresses of the host of a URL; none when its name does not resolve. Never rejects. */
export async function addressesOf({ hostname }: URL, { resolve }: WebhookRules): Promise<readonly string[]> {
  const name = nameOf(hostname);
  if (ipaddr.isValid(name)) return [name];
  // RFC 6761: each name below localhost is a loopback address; resolvers differ.
  return resolve(name.replace(/^.+\.localhost$/, "localhost")).catch(() => []);
}

/**
 * The first IPv4 and the first IPv6 address that may be connected to; an IPv4-mapped one is IPv4. IPv4 is first: without
 * it a connection is refused at once, whereas a host without IPv6 may lose packets.
 */
export function allowedAddresses(
  addresses: readonly string[],
  url: URL,
  rules: WebhookRules,
): readonly string[] {
  const allowed = addresses
    .filter((address) => ipaddr.isValid(address))
    .map((address) => ipaddr.process(address))
    .filter((address) => isAllowed(address, url, rules));
  return ["ipv4", "ipv6"].flatMap(
    (kind) => allowed.find((address) => address.kind() === kind)?.toString() ?? [],
  );
}

/** The name or the address of a host: without the brackets of an IPv6 address and without the final dot of a name. */
export function nameOf(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$|\.$/, "$1");
}

function isAllowed(address: ipaddr.IPv4 | ipaddr.IPv6, url: URL, rules: WebhookRules): boolean {
  if (rules.isInsecure && address.range() === "loopback") return true;
  if (url.protocol !== "https:") return false;
  return rules.networks.check(address.toString(), address.kind()) || isGlobal(address);
}

/**
 * Whether an address is global unicast (IANA's special-purpose registries). Forms that contain an IPv4 address (NAT64,
 * 6to4, Teredo, IPv4-compatible) are not: they may lead to a private one.
 */
function isGlobal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv6" ? address.match(globalIpv6) : address.toString() !== publicMetadataAddress;
}
