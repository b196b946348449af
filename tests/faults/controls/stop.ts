import { setImmediate as nextTurn } from "node:timers/promises";
import type { Server } from "bun";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const exitsOnSignal: Variant = {
  name: "the process exits on the signal",
  source,
  replace: { "src/server/shutdown.ts": { drain: () => async () => process.exit(0) } },
};

export const cutsConnections: Variant = {
  name: "connections are closed on the signal, whatever is in progress on them",
  source,
  replace: {
    "src/server/shutdown.ts": {
      drain: () => async (server) => {
        await readArrived();
        await server.stop(true);
      },
    },
  },
};

/** A request that has arrived and was not read yet is closed with its connection. */
export const readsNoMore: Variant = {
  name: "what arrived before the signal is not read any more",
  source,
  replace: { "src/server/shutdown.ts": { drain: () => (server) => stopWithin(server, 5_000) } },
};

/** A client that sent half a body delays the end for longer than is allowed. */
export const waitsTooLong: Variant = {
  name: "requests in progress are waited for, for more than ten seconds",
  source,
  replace: {
    "src/server/listen.ts": {
      listen:
        () =>
        ({ host, port }, fetch) =>
          Bun.serve({ hostname: host, port, fetch, idleTimeout: 16 }),
    },
    "src/server/shutdown.ts": {
      drain: () => async (server) => {
        await readArrived();
        await stopWithin(server, 11_000);
      },
    },
  },
};

async function readArrived(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

async function stopWithin(server: Server<undefined>, milliseconds: number): Promise<void> {
  await Promise.race([server.stop(), Bun.sleep(milliseconds)]);
  await server.stop(true);
}
