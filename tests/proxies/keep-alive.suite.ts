import { expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { sendRequest } from "../binary/service.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { startLink } from "./link.ts";
import { proxiedService } from "./proxied-service.ts";
import { installedProxies, type ProxyName, startProxy } from "./proxy.ts";

setDefaultTimeout(120_000);

/** As many as nginx keeps connections (`keepalive 32`). */
const requestCount = 32;
const linkMilliseconds = 20;
/** Longer than the server kept idle connections with Bun's default. */
const pauseMilliseconds = 13_000;

test("Writes at the moment in which the server closes idle connections are not 502 behind a proxy, over a link of 20 ms", async () => {
  const statuses = await Promise.all(
    installedProxies.map(async (name) => [name, await statusesBehind(name)]),
  );
  expect(statuses).toEqual(installedProxies.map((name) => [name, [201]]));
});

/** The different statuses of writes behind a proxy whose connections to the server were idle before. */
async function statusesBehind(name: ProxyName): Promise<number[]> {
  const { url, key } = await proxiedService();
  const proxy = await startProxy(name, await startLink(url, linkMilliseconds));
  const createAll = () =>
    Promise.all(
      Array.from({ length: requestCount }, async () => {
        const body = { name: "Acme" };
        return (await sendRequest(proxy.url, key, "POST", "/api/v1/accounts", body)).status;
      }),
    );
  const statuses = await createAll();
  // The server closes it in the same moment as the connections of the proxy, which learns that 20 ms later.
  const closed = closeOfIdleConnection(url);
  await Promise.race([closed, Bun.sleep(pauseMilliseconds)]);
  return [...new Set([...statuses, ...(await createAll())])];
}

/** Resolves when the server closes a connection that is idle after a reply. */
function closeOfIdleConnection(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () =>
    socket.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"),
  );
  closeAfterTest(async () => socket.destroy());
  socket.on("data", () => {});
  return new Promise((resolve) => socket.on("close", () => resolve()));
}
