import { expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { getServers, setServers } from "node:dns";
import { once } from "node:events";
import { createWebhookRules } from "../../src/webhooks/send/address-rules.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { rulesWith } from "./receiver.ts";

const { resolve } = createWebhookRules(rulesWith({}));

/** A name server for this process: `good.test` has the address 192.0.2.7; it answers no query of another name. */
async function serveNames(): Promise<void> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    if (!query.includes("good")) return;
    const end = query.indexOf("test") + 9;
    const answersIpv4 = query[end - 3] === 1;
    const head = Buffer.from(query.subarray(0, end));
    // RFC 1035: a response, without additional records.
    head.set([0x81, 0x80, 0, 1, 0, answersIpv4 ? 1 : 0, 0, 0, 0, 0], 2);
    const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 192, 0, 2, 7];
    socket.send(answersIpv4 ? Buffer.concat([head, Uint8Array.from(record)]) : head, port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const previous = getServers();
  setServers([`127.0.0.1:${socket.address().port}`]);
  closeAfterTest(() => {
    setServers(previous);
    socket.close();
  });
}

test("names whose servers are silent do not delay another name", async () => {
  await serveNames();
  for (let i = 0; i < 40; i += 1) resolve(`silent${i}.test`).catch(() => {});
  const begunAt = performance.now();
  expect(await resolve("good.test")).toEqual(["192.0.2.7"]);
  expect(performance.now() - begunAt).toBeLessThan(2_000);
});

test("localhost is resolved without a name server", async () => {
  expect(await resolve("localhost")).toContain("127.0.0.1");
});
