import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { closeAfterTest } from "../support/cleanup.ts";
import { binary } from "./build.ts";
import { service } from "./service.ts";

/** The processor time of a process, in milliseconds; a clock tick has ten. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

test.concurrent("without a free file descriptor the server does not use a whole processor, and serves open connections", async () => {
  const limited = ["sh", "-c", 'ulimit -n 60 && exec "$0" "$@"', await binary()];
  const { server, url, send } = await service({}, limited);
  // Opens a connection that fetch uses again.
  expect((await send("GET", "/api/v1/accounts")).status).toBe(200);
  const sockets = await Promise.all(
    Array.from({ length: 100 }, () =>
      Bun.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port), socket: { data: () => {} } }),
    ),
  );
  closeAfterTest(async () => sockets.forEach((socket) => void socket.end()));
  await Bun.sleep(500);
  const start = processorTime(server.pid);
  const statuses: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    statuses.push((await send("POST", "/api/v1/accounts", { name: "Acme" })).status);
    await Bun.sleep(200);
  }
  expect(statuses).toEqual(Array(10).fill(201));
  // A loop without a pause takes more than 1,000 ms of these 2 s, also on a busy machine.
  expect(processorTime(server.pid) - start).toBeLessThan(600);
  for (const socket of sockets) socket.end();
  await Bun.sleep(500);
  expect((await fetch(`${url}/livez`, { keepalive: false })).status).toBe(200);
  const lines = server.stderr().match(/"event":"descriptors_exhausted"/g);
  expect(lines).toHaveLength(1);
}, 60_000);
