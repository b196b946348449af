import { expect, setDefaultTimeout, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { closeAfterTest } from "../support/cleanup.ts";
import { freePort } from "../support/free-port.ts";
import { documentedLines, installedProxies, type ProxyName, startProxy } from "./proxy.ts";

setDefaultTimeout(60_000);

/** Answers reads, and closes the connection of each write without a response. Ends after the test. */
async function startClosingServer() {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const [method = "", path] = bytes.toString("latin1").split(" ");
      if (path === "/readyz") socket.end("HTTP/1.0 200 OK\r\n\r\n");
      else if (method === "GET") socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      else if (/^[A-Z]+$/.test(method)) {
        received.push(method);
        socket.end();
      }
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  closeAfterTest(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, received };
}

/** The writes that the server received, of one of each method. */
async function receivedBehind(name: ProxyName, lines?: string): Promise<string[]> {
  const { url, received } = await startClosingServer();
  const proxy = await startProxy(name, url, lines);
  for (const method of ["POST", "PATCH"]) {
    // The connection to the server is kept, so that the write has one that was used before.
    expect(await (await fetch(proxy.url)).text()).toBe("ok");
    const reply = await fetch(proxy.url, { method, body: "{}" }).catch(() => undefined);
    expect([undefined, 502]).toContain(reply?.status);
  }
  return received;
}

test.each(installedProxies)("%s does not send a write again after the server received it", async (name) => {
  expect(await receivedBehind(name)).toEqual(["POST", "PATCH"]);
});

test.skipIf(!installedProxies.includes("haproxy"))(
  "Without disable-l7-retry, HAProxy sends a write again",
  async () => {
    const lines = documentedLines("haproxy").replace(/^.*disable-l7-retry.*\n/m, "");
    expect((await receivedBehind("haproxy", lines)).length).toBeGreaterThan(2);
  },
);
