import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import type { Server } from "bun";
import type { Engine } from "../../db/engine.ts";
import { createApp } from "../../src/app.ts";
import { listen } from "../../src/server/listen.ts";
import { world } from "../support/world.ts";

setDefaultTimeout(60_000);
const servers: Server<undefined>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

const idleTimeoutSeconds = 1;
/** Bun closes an idle connection up to 4 s late. */
const closedAfterSeconds = idleTimeoutSeconds + 5;

/** A server whose writes take longer than an idle connection stays open. `send` resolves when the server closes it. */
async function slowServer() {
  const { engine, jobs, first, account } = await world();
  for (const name of ["Acme", "Globex"]) await account({ name });
  const slow: Engine = {
    ...engine,
    async write(organizationId, fn, options) {
      await Bun.sleep(closedAfterSeconds * 1_000);
      return engine.write(organizationId, fn, options);
    },
  };
  const app = createApp({ engine: slow, jobs, log: { info: () => {}, error: () => {} } });
  const timeouts = { keepAliveSeconds: () => idleTimeoutSeconds, stallSeconds: idleTimeoutSeconds };
  const server = listen({ host: "127.0.0.1", port: 0 }, app.fetch, timeouts);
  servers.push(server);
  const { port = 0 } = server;

  return {
    send(method: string, path: string, headers: string[], body: string) {
      const lines = [`${method} ${path} HTTP/1.1`, "Host: localhost", `x-api-key: ${first.key}`, ...headers];
      const { promise, resolve } = Promise.withResolvers<{ text: string; seconds: number }>();
      const start = performance.now();
      const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`));
      let text = "";
      let repliedAt = start;
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        text += chunk;
        repliedAt = performance.now();
      });
      socket.on("close", () => resolve({ text, seconds: (performance.now() - repliedAt) / 1_000 }));
      return promise;
    },
  };
}

const path = "/api/v1/accounts";
const json = "content-type: application/json";

test("a write that takes longer than the idle timeout is replied; then, and before its body, the timeout is short", async () => {
  const { send } = await slowServer();
  const body = '{"name":"New"}';
  const [created, updated, deleted, half] = await Promise.all([
    send("POST", path, [json, `content-length: ${body.length}`], body),
    send("PATCH", `${path}/1`, [json, "transfer-encoding: chunked"], '9\r\n{"mrr":1}\r\n0\r\n\r\n'),
    send("DELETE", `${path}/2`, [], ""),
    send("POST", path, [json, "content-length: 1000"], body),
  ]);
  expect(created.text).toStartWith("HTTP/1.1 201 ");
  expect(updated.text).toStartWith("HTTP/1.1 200 ");
  expect(deleted.text).toStartWith("HTTP/1.1 204 ");
  expect(half.text).not.toContain("HTTP/1.1 2");
  for (const { seconds } of [created, updated, deleted, half])
    expect(seconds).toBeLessThan(closedAfterSeconds);
});
