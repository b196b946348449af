import { expect, test } from "bun:test";
import { checkWebhookUrl } from "../../src/webhooks/send/address-rules.ts";
import { attemptTo, rulesWith, untimed } from "./receiver.ts";

const codeOf = async (url: string, rules = rulesWith({})) => (await checkWebhookUrl(url, rules))?.code;

test.each([
  ["https://example.com/hook?a=b", undefined],
  ["https://example.com:8443", undefined],
  ["https://exämple.com/", undefined],
  ["HTTPS://EXAMPLE.COM./", undefined],
  ["https://8.8.8.8/", undefined],
  ["https://[2606:4700::1111]/", undefined],
  ["https://[::ffff:8.8.8.8]/", undefined],
  [`https://example.com/${"a".repeat(1_980)}`, undefined],
  [`https://example.com/${"a".repeat(1_981)}`, "too_long"],
  ["http://example.com/", "invalid_url"],
  ["http://127.0.0.1/", "invalid_url"],
  ["ftp://example.com/", "invalid_url"],
  ["file:///etc/passwd", "invalid_url"],
  ["gopher://example.com/", "invalid_url"],
  ["javascript:alert(1)", "invalid_url"],
  ["data:text/plain,x", "invalid_url"],
  ["unix:///var/run/docker.sock", "invalid_url"],
  ["https://", "invalid_url"],
  ["example.com", "invalid_url"],
  ["", "invalid_url"],
  [" https://example.com/", "invalid_url"],
  ["https://user@example.com/", "invalid_url"],
  ["https://:secret@example.com/", "invalid_url"],
  ["https://8.8.8.8@127.0.0.1/", "invalid_url"],
  ["https://example.com/#", "invalid_url"],
  ["https://example.com/#part", "invalid_url"],
  ["https://example.com:99999/", "invalid_url"],
  ["https:example.com", "invalid_url"],
  ["https:\\\\example.com", "invalid_url"],
  ["https://example.com/a\r\nb", "invalid_url"],
  ["https://exam\tple.com/", "invalid_url"],
])("the URL %s is reported as %s", async (url, code) => {
  expect<unknown>(await codeOf(url)).toBe(code);
});

/** Hosts that are no public servers, in every form that a URL has for them. */
test.each([
  ...["127.0.0.1", "127.1", "127.0.0.1.", "2130706433", "017700000001", "0x7f000001", "0x7f.1", "0177.0.0.1"],
  ...["１２７.0.0.1", "127。0。0。1", "%31%32%37.0.0.1", "127.255.255.254"],
  ...["localhost", "LOCALHOST", "localhost.", "ⓛocalhost", "a.localhost", "a.b.LocalHost."],
  ...[
    "0.0.0.0",
    "0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "100.64.0.1",
    "100.100.100.200",
  ],
  ...["169.254.169.254", "2852039166", "0xa9fea9fe", "169.254.1.1", "168.63.129.16", "192.0.0.192"],
  ...["192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1"],
  ...["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
  ...["[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::127.0.0.1]", "[::8.8.8.8]"],
  ...[
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::FFFF:7F00:1]",
    "[::ffff:a9fe:a9fe]",
    "[::ffff:0:127.0.0.1]",
  ],
  ...["[64:ff9b::7f00:1]", "[64:ff9b::8.8.8.8]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:1::1]"],
  ...["[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[fd20:ce::254]", "[ff02::1]"],
  ...["[2001:db8::1]", "[3fff::1]", "[100::1]", "[2001:10::1]", "[5f00::1]", "[4000::1]", "[e000::1]"],
])("the host %s is refused, also as the address of a name and at an attempt", async (host) => {
  const hostname = new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, "");
  const isName = /^[^:]*localhost/.test(hostname);
  const names = { localhost: ["127.0.0.1"], "rebound.test": [isName ? "::1" : hostname] };
  const rules = rulesWith({ names });
  expect(await codeOf(`https://${host}/`, rules)).toBe("not_allowed");
  expect(await codeOf(`https://${host}:8443/x`, rules)).toBe("not_allowed");
  expect(await codeOf("https://rebound.test/", rules)).toBe("not_allowed");
  for (const url of [`https://${host}/`, "https://rebound.test/"])
    expect(untimed(await attemptTo(url, { ...rules }))).toEqual({
      isSuccess: false,
      status: null,
      body: null,
      error: "address_not_allowed",
      retryAfterMilliseconds: null,
    });
});

test("a name that does not resolve, or not within 3 s, is accepted; each attempt resolves it again", async () => {
  expect(await codeOf("https://absent.test/", rulesWith({}))).toBeUndefined();
  const silent = rulesWith({ resolve: () => new Promise(() => {}) });
  expect(await codeOf("https://silent.test/", silent)).toBeUndefined();
  expect(await attemptTo("https://absent.test/")).toMatchObject({ error: "name_not_found", status: null });
});

test("a name is resolved without the final dot, in lower case and in its ASCII form", async () => {
  const resolved: string[] = [];
  const resolve = async (name: string) => {
    resolved.push(name);
    return ["10.0.0.1", "8.8.8.8"];
  };
  for (const host of ["Example.COM", "example.com.", "exämple.com"])
    expect(await codeOf(`https://${host}/`, rulesWith({ resolve }))).toBeUndefined();
  expect(resolved).toEqual(["example.com", "example.com", "xn--exmple-cua.com"]);
});

test("an allowed network is allowed with https only, in each form of its addresses", async () => {
  const rules = rulesWith({ allow: "10.1.0.0/16, fd00:1::/32", names: { "internal.test": ["10.1.2.3"] } });
  for (const host of ["10.1.2.3", "0x0a010203", "[::ffff:10.1.2.3]", "[fd00:1::7]", "internal.test"]) {
    expect(await codeOf(`https://${host}/`, rules)).toBeUndefined();
    expect(await codeOf(`http://${host}/`, rules)).toBe("invalid_url");
    expect(await codeOf(`http://${host}/`, { ...rules, isInsecure: true })).toBe("not_allowed");
  }
  for (const host of ["10.2.0.1", "127.0.0.1", "[fd00:2::7]"])
    expect(await codeOf(`https://${host}/`, rules)).toBe("not_allowed");
});

test("insecure webhooks have loopback addresses with http and https, and no other address with http", async () => {
  const rules = rulesWith({
    isInsecure: true,
    names: { localhost: ["127.0.0.1"], "public.test": ["8.8.8.8"] },
  });
  for (const host of ["127.0.0.1:3000", "127.9.9.9", "[::1]:3000", "[::ffff:127.0.0.1]", "localhost:3000"])
    for (const protocol of ["http", "https"])
      expect(await codeOf(`${protocol}://${host}/`, rules)).toBeUndefined();
  for (const host of ["10.0.0.1", "169.254.169.254", "8.8.8.8", "0.0.0.0", "public.test"])
    expect(await codeOf(`http://${host}/`, rules)).toBe("not_allowed");
  expect(await codeOf("https://public.test/", rules)).toBeUndefined();
});
