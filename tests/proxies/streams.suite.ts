import { expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { logOf, service } from "../binary/service.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { program } from "./proxied-service.ts";
import { documentedLines, installedProxies, type ProxyName, startProxy } from "./proxy.ts";

setDefaultTimeout(60_000);

/** The server sends a comment after 15 s without an event. */
const quietMilliseconds = 24_000;

const maxMilliseconds = 10_000;

/** The documented lines with another time for a response without data than 60 s. Caddy has no such time. */
const withTimeout: Record<Exclude<ProxyName, "caddy">, (lines: string, seconds: number) => string> = {
  nginx: (lines, seconds) => `proxy_read_timeout ${seconds}s;\n${lines}`,
  haproxy: (lines, seconds) => lines.replace(/(timeout (?:client|server)) 60s/g, `$1 ${seconds}s`),
  apache: (lines, seconds) => `Timeout ${seconds}\n${lines}`,
};

/** A server, a proxy in front of it, and a stream of changes through the proxy. */
async function streamBehind(name: ProxyName, lines?: string) {
  const { url, key, server, send } = await service({ METRICS: "127.0.0.1:0" }, program);
  const proxy = await startProxy(name, url, lines);
  const request = `GET /api/v1/changes/stream HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\n\r\n`;
  const socket = connect(proxy.port, "127.0.0.1", () => socket.write(request));
  closeAfterTest(async () => socket.destroy());
  let text = "";
  let isClosed = false;
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("close", () => {
    isClosed = true;
  });
  socket.on("error", () => {});
  await until(() => text.includes(": connected"));
  const metrics: string = logOf(server).find(({ event }) => event === "started").metrics;
  return {
    /** Creates an account, and resolves when its event has arrived, with the milliseconds after the response. */
    create: async (name: string): Promise<number> => {
      await send("POST", "/api/v1/accounts", { name });
      const createdAt = performance.now();
      await until(() => text.includes(name) || isClosed);
      return isClosed ? Number.POSITIVE_INFINITY : performance.now() - createdAt;
    },
    disconnect: () => socket.destroy(),
    isFollowed: async () => (await (await fetch(metrics)).text()).includes("accountd_streams 1"),
    send,
  };
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + maxMilliseconds;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error("not done in time");
    await Bun.sleep(10);
  }
}

test.each(installedProxies)("%s sends each event of a stream at once", async (name) => {
  const { create } = await streamBehind(name);
  for (const account of ["first", "second", "third"]) expect(await create(account)).toBeLessThan(1_000);
});

test("The comments keep a stream open longer than the timeouts of proxies, and a timeout below 15 s cuts it", async () => {
  const seconds = [20, 10];
  const limited = installedProxies.filter((name) => name !== "caddy");
  const cases = limited.flatMap((name) => seconds.map((timeout) => ({ name, timeout })));
  const isOpen = await Promise.all(
    cases.map(async ({ name, timeout }) => {
      const { create } = await streamBehind(name, withTimeout[name](documentedLines(name), timeout));
      await Bun.sleep(quietMilliseconds);
      return { name, timeout, isOpen: Number.isFinite(await create("late")) };
    }),
  );
  expect(isOpen).toEqual(cases.map((each) => ({ ...each, isOpen: each.timeout === 20 })));
});

test.each(installedProxies)("A client of %s that disconnects ends its stream at the server", async (name) => {
  const { disconnect, isFollowed, send } = await streamBehind(name);
  expect(await isFollowed()).toBe(true);
  disconnect();
  await until(async () => {
    // HAProxy and Apache notice it when they send something.
    if (name === "haproxy" || name === "apache") await send("POST", "/api/v1/accounts", { name: "Acme" });
    return !(await isFollowed());
  });
});

test.skipIf(!installedProxies.includes("nginx"))(
  "A client that disconnects from nginx with proxy_ignore_client_abort leaves its stream at the server",
  async () => {
    const lines = `proxy_ignore_client_abort on;\n${documentedLines("nginx")}`;
    const { disconnect, isFollowed } = await streamBehind("nginx", lines);
    disconnect();
    await Bun.sleep(1_000);
    expect(await isFollowed()).toBe(true);
  },
);
