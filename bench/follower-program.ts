/**
 * What follows the changes of an organization in the benchmark, in a process of its own: `read PORT KEY COUNT` reads
 * streams, `receive` is the endpoint of webhooks. The first line of its output is the port of the endpoint, or 0. Each line
 * of input is answered by a line with a `FollowerCount`.
 */

import { createInterface } from "node:readline";
import type { Socket } from "bun";
import { messageOf } from "./message.ts";

/** Since the start of the process. */
export type FollowerCount = {
  /** Changes that were received. */
  changes: number;
  /** Streams that the server has closed; each was opened again. */
  closed: number;
  /** Processor time. */
  milliseconds: number;
};

const counted = { changes: 0, closed: 0 };
const mark = "\nid: ";
const lastChunk = "0\r\n\r\n";

/** Opens a stream. Resolves when the response begins. An event that two chunks share is not counted. */
async function openStream(port: number, key: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(socket, chunk) {
        if (chunk.includes("HTTP/1.1 ")) chunk.includes(" 200 ") ? resolve() : reject(new Error(`${chunk}`));
        for (let at = chunk.indexOf(mark); at !== -1; at = chunk.indexOf(mark, at + 1)) counted.changes += 1;
        if (chunk.subarray(-lastChunk.length).toString("latin1") === lastChunk) socket.end();
      },
      close() {
        counted.closed += 1;
        reject(new Error("a stream was closed"));
        openStream(port, key).catch(() => {});
      },
      error: (_, error) => reject(error),
    },
  }).then((socket: Socket) =>
    socket.write(`GET /api/v1/changes/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`),
  );
  await promise;
}

/** Returns the port. */
function receive(): number {
  const response = { status: 204 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      counted.changes += 1;
      return new Response(null, response);
    },
  });
  return server.port ?? 0;
}

function count(): FollowerCount {
  const { user, system } = process.cpuUsage();
  return { ...counted, milliseconds: (user + system) / 1_000 };
}

async function begin([mode, port, key = "", streams]: string[]): Promise<number> {
  if (mode === "receive") return receive();
  for (let i = 0; i < Number(streams); i += 1) await openStream(Number(port), key);
  return 0;
}

if (import.meta.main)
  try {
    console.log(await begin(process.argv.slice(2)));
    for await (const _ of createInterface({ input: process.stdin })) console.log(JSON.stringify(count()));
    process.exit();
  } catch (error) {
    console.error(messageOf(error));
    process.exit(1);
  }
