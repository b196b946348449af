import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { createAuthority } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { attemptTo, type Receiver, receive, untimed } from "./receiver.ts";

const failed = { isSuccess: false, status: null, body: null, retryAfterMilliseconds: null };
const responseOf = (status: string, body = "", headers = "") =>
  `HTTP/1.1 ${status}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test("an attempt is one POST with the name in Host, the headers and the body", async () => {
  const receiver = await receive(responseOf("200 OK", "thanks"));
  const names = { "hooks.test": ["127.0.0.1"] };
  const url = `http://Hooks.test:${receiver.port}/a%20b/?c=d`;
  const result = await attemptTo(url, { names });
  expect(untimed(result)).toEqual({
    isSuccess: true,
    status: 200,
    body: "thanks",
    error: null,
    retryAfterMilliseconds: null,
  });
  expect(result.milliseconds).toBeWithin(0, 5_000);
  const [head = "", body] = receiver.requests.join("").split("\r\n\r\n");
  const [line, ...headers] = head.split("\r\n");
  expect(line).toBe("POST /a%20b/?c=d HTTP/1.1");
  expect(Object.fromEntries(headers.map((header) => header.toLowerCase().split(": ")))).toMatchObject({
    host: `hooks.test:${receiver.port}`,
    "webhook-id": "msg_1",
    "accept-encoding": "identity",
    "content-length": "2",
  });
  expect(body).toBe("{}");
  expect(receiver.connectionCount()).toBe(1);
});

test("each attempt has a connection of its own, which is closed after it", async () => {
  const keepsOpen = await receive((socket) => {
    socket.write(responseOf("200 OK"));
  });
  const url = `http://127.0.0.1:${keepsOpen.port}/`;
  for (let i = 0; i < 3; i += 1) {
    expect(await attemptTo(url)).toMatchObject({ isSuccess: true });
    await keepsOpen.closed();
  }
  expect(keepsOpen.connectionCount()).toBe(3);
});

test.each([
  ["200 OK", true, null],
  ["204 No Content", true, null],
  ["299 Other", true, null],
  ["301 Moved", false, "redirect"],
  ["302 Found", false, "redirect"],
  ["304 Not Modified", false, "redirect"],
  ["307 Temporary Redirect", false, "redirect"],
  ["308 Permanent Redirect", false, "redirect"],
  ["400 Bad Request", false, "status"],
  ["401 Unauthorized", false, "status"],
  ["410 Gone", false, "status"],
  ["500 Internal Server Error", false, "status"],
  ["999 Other", false, "status"],
])(
  "the status %s: success %p, error %p; nothing is sent twice or elsewhere",
  async (status, isSuccess, error) => {
    const other = await receive(responseOf("200 OK"));
    const location = `location: http://127.0.0.1:${other.port}/\r\n`;
    const receiver = await receive(responseOf(status, "", location));
    const result = await attemptTo(`http://127.0.0.1:${receiver.port}/`);
    expect(untimed(result)).toEqual({
      isSuccess,
      status: Number(status.slice(0, 3)),
      body: "",
      error,
      retryAfterMilliseconds: null,
    } as typeof result);
    expect([receiver.connectionCount(), other.connectionCount()]).toEqual([1, 0]);
  },
);

const now = Date.UTC(2026, 0, 2, 3, 4, 5);
const day = 86_400_000;

test.each([
  ["429", "120", 120_000],
  ["503", "0", 0],
  ["503", "Fri, 02 Jan 2026 03:05:05 GMT", 60_000],
  ["503", "Friday, 02-Jan-26 03:05:05 GMT", 60_000],
  ["503", "Fri Jan  2 03:05:05 2026", 60_000],
  ["503", "Fri, 02 Jan 2026 03:00:00 GMT", 0],
  ["429", "99999999999999999999", day],
  ["503", "Fri, 02 Jan 2099 03:05:05 GMT", day],
  ["429", "-1", null],
  ["429", "1.5", null],
  ["429", "soon", null],
  ["429", "2026-01-02", null],
  ["429", "Fri, 99 Jan 2026 03:05:05 GMT", null],
  ["500", "120", null],
  ["200", "120", null],
])("a %s with Retry-After %s: %p ms", async (status, value, milliseconds) => {
  const receiver = await receive(responseOf(`${status} X`, "", `retry-after: ${value}\r\n`));
  const result = await attemptTo(`http://127.0.0.1:${receiver.port}/`, { clock: () => now });
  expect(result).toMatchObject({ status: Number(status), retryAfterMilliseconds: milliseconds });
});

test("the certificate must have the name of the URL and an authority that is trusted", async () => {
  const authority = createAuthority("Authority");
  const receiver = await receive(responseOf("200 OK"), authority.issue("hooks.test"));
  const names = { "hooks.test": ["127.0.0.1"], "other.test": ["127.0.0.1"] };
  const trusted = { names, authority: authority.certificate };
  const send = (host: string, rules = trusted) => attemptTo(`https://${host}:${receiver.port}/`, rules);
  const success = { ...failed, isSuccess: true, status: 200, body: "", error: null };
  const rejected = { ...failed, error: "tls_failed" };
  // In this order: no session of an earlier connection makes a later one trusted.
  const results = [
    await send("hooks.test"),
    await send("HOOKS.test."),
    await send("other.test"),
    await send("127.0.0.1"),
    await send("hooks.test", { names, authority: createAuthority("Other").certificate }),
    await attemptTo(`https://hooks.test:${receiver.port}/`, { names }),
    await send("hooks.test"),
  ];
  expect<unknown>(results.map(untimed)).toEqual([
    ...[success, success],
    ...[rejected, rejected, rejected, rejected],
    success,
  ]);
  expect(receiver.requests).toHaveLength(3);
});

test("the certificate of an address as host must have the address", async () => {
  const authority = createAuthority("Authority");
  const receiver = await receive(responseOf("200 OK"), authority.issue("127.0.0.1"));
  const rules = { authority: authority.certificate, names: { "hooks.test": ["127.0.0.1"] } };
  const send = (host: string) => attemptTo(`https://${host}:${receiver.port}/`, rules);
  expect(await send("127.0.0.1")).toMatchObject({ status: 200 });
  expect(await send("hooks.test")).toMatchObject({ status: null, error: "tls_failed" });
});

test("of several addresses the first allowed one is used, and one of IPv6 if IPv4 is refused", async () => {
  const ipv4 = await receive(responseOf("200 OK", "4"));
  const ipv6 = await receive(responseOf("200 OK", "6"), undefined, "::1");
  const names = {
    "mixed.test": ["::1", "10.0.0.1", "169.254.169.254", "127.0.0.1"],
    "refused.test": ["127.0.0.2", "127.0.0.1"],
  };
  const send = (host: string, { port }: Receiver) => attemptTo(`http://${host}:${port}/`, { names });
  expect(await send("mixed.test", ipv4)).toMatchObject({ body: "4" });
  expect(await send("mixed.test", ipv6)).toMatchObject({ body: "6" });
  expect<unknown>(untimed(await send("refused.test", ipv4))).toEqual({
    ...failed,
    error: "connection_refused",
  });
  expect([ipv4.connectionCount(), ipv6.connectionCount()]).toEqual([1, 1]);
});

test("a request that may have arrived is not sent to a second address", async () => {
  const ipv6 = await receive(responseOf("200 OK"), undefined, "::1");
  const ipv4 = await receive((socket) => socket.end(), undefined, "127.0.0.1", ipv6.port);
  const names = { "both.test": ["127.0.0.1", "::1"] };
  const result = await attemptTo(`http://both.test:${ipv6.port}/`, { names });
  expect<unknown>(untimed(result)).toEqual({ ...failed, error: "connection_closed" });
  expect([ipv4.connectionCount(), ipv6.connectionCount()]).toEqual([1, 0]);
});

test("a closed port refuses the connection", async () => {
  const result = await attemptTo(`http://127.0.0.1:${await freePort()}/`);
  expect<unknown>(untimed(result)).toEqual({ ...failed, error: "connection_refused" });
});

test("the address that was checked is used: a name is resolved once for each attempt", async () => {
  const receiver = await receive(responseOf("200 OK"));
  let resolvedCount = 0;
  const resolve = async () => (resolvedCount++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"]);
  const url = `http://rebound.test:${receiver.port}/`;
  expect(await attemptTo(url, { resolve })).toMatchObject({ isSuccess: true });
  expect(resolvedCount).toBe(1);
  expect(await attemptTo(url, { resolve })).toMatchObject({ error: "address_not_allowed" });
});

test("the signal ends an attempt at once, also during the resolution, and closes its connection", async () => {
  const receiver = await receive(() => {});
  const url = `http://127.0.0.1:${receiver.port}/`;
  const stop = new AbortController();
  const resolving = attemptTo("https://silent.test/", {
    signal: stop.signal,
    resolve: () => new Promise(() => {}),
  });
  const sending = attemptTo(url, { signal: stop.signal });
  while (receiver.requests.length === 0) await Bun.sleep(2);
  stop.abort();
  for (const result of [await resolving, await sending, await attemptTo(url, { signal: stop.signal })]) {
    expect<unknown>(untimed(result)).toEqual({ ...failed, error: "aborted" });
    expect(result.milliseconds).toBeLessThan(5_000);
  }
  await receiver.closed();
  expect(receiver.connectionCount()).toBe(1);
});

test("an attempt leaves no listener at the signal of the server", async () => {
  const receiver = await receive(responseOf("200 OK"));
  const { signal } = new AbortController();
  const sending = attemptTo(`http://127.0.0.1:${receiver.port}/`, { signal });
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await sending;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
