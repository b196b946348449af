import { expect, test } from "bun:test";
import { clientAddress, forwardedValue, networkOf } from "../../src/core/settings/client-address.ts";
import { readNetworks } from "../../src/core/settings/networks.ts";

function addressOf(peer: string, forwardedFor: string | null, list: string): string {
  const proxies = readNetworks(list);
  if (!proxies) throw new Error(`invalid: ${list}`);
  return clientAddress(peer, forwardedFor, proxies);
}

test.each([
  // By default no proxy is trusted, so a caller cannot choose its address.
  ["192.0.2.1", "203.0.113.9", "", "192.0.2.1"],
  ["127.0.0.1", "203.0.113.9", "", "127.0.0.1"],
  ["10.0.0.1", null, "10.0.0.0/8", "10.0.0.1"],
  ["10.0.0.1", "", "10.0.0.0/8", "10.0.0.1"],
  ["10.0.0.1", "203.0.113.9", "10.0.0.0/8", "203.0.113.9"],
  ["11.0.0.1", "203.0.113.9", "10.0.0.0/8", "11.0.0.1"],
  // What is before the first untrusted address was written by the client.
  ["10.0.0.1", "198.51.100.1, 203.0.113.9", "10.0.0.0/8", "203.0.113.9"],
  ["10.0.0.1", "198.51.100.1,203.0.113.9 , 10.2.3.4", "10.0.0.0/8", "203.0.113.9"],
  ["10.0.0.1", "10.9.9.9, 10.2.3.4", "10.0.0.0/8", "10.9.9.9"],
  ["10.0.0.1", "203.0.113.9, unknown, 10.2.3.4", "10.0.0.0/8", "10.2.3.4"],
  ["10.0.0.1", "<script>", "10.0.0.0/8", "10.0.0.1"],
  ["10.0.0.1", "203.0.113.9:5000", "10.0.0.0/8", "203.0.113.9"],
  ["10.0.0.1", "[2001:db8::9]:443", "10.0.0.0/8", "2001:db8::9"],
  ["::ffff:10.0.0.1", "::ffff:203.0.113.9", "10.0.0.1", "203.0.113.9"],
  ["::1", "2001:db8::9", "::1", "2001:db8::9"],
  ["fd00::7", "2001:db8::9", "127.0.0.1, fd00::/8", "2001:db8::9"],
  ["", "203.0.113.9", "0.0.0.0/0,::/0", ""],
])(
  "a request from %j with X-Forwarded-For %j and the proxies %j is from %j",
  (peer, header, list, expected) => {
    expect(addressOf(peer, header, list)).toBe(expected);
  },
);

test.each([
  "10.0.0.0/33",
  "::1/129",
  "10.0.0",
  "localhost",
  "10.0.0.1/",
  "10.0.0.1/8/8",
  "fe80::1%eth0",
  "a b",
])("the proxies %j are invalid", (list) => {
  expect(readNetworks(list)).toBeUndefined();
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:db8::9", "2001:db8:0:0::/64"],
  ["2001:0db8:0000::9", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["1::", "1:0:0:0::/64"],
  ["::2:3:4:5:6:7:8", "0:2:3:4::/64"],
  ["1::2:3:4:192.0.2.1", "1:0:0:2::/64"],
  ["fe80::1%eth-0", "fe80:0:0:0::/64"],
  ["", ""],
])("the address %j is counted as %j", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ["192.0.2.1", "https", "", undefined],
  ["10.0.0.1", "https", "10.0.0.0/8", "https"],
  ["::ffff:10.0.0.1", " HTTPS ", "10.0.0.0/8", "https"],
  ["10.0.0.1", "http, https", "10.0.0.0/8", "http"],
  ["11.0.0.1", "https", "10.0.0.0/8", undefined],
  ["10.0.0.1", null, "10.0.0.0/8", undefined],
  ["", "https", "0.0.0.0/0,::/0", undefined],
])(
  "the protocol of a request from %j with X-Forwarded-Proto %j and the proxies %j is %j",
  (peer, header, list, expected) => {
    const proxies = readNetworks(list);
    if (!proxies) throw new Error(`invalid: ${list}`);
    expect(forwardedValue(peer, header, proxies)).toBe(expected);
  },
);
