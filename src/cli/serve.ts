import type { Server } from "bun";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { type Engine, openDatabase } from "../../db/sqlite/engine.ts";
import { createApp } from "../app.ts";
import { type Config, readConfig } from "../config.ts";
import { fold } from "../core/folding.ts";
import { startJobs } from "../jobs/scheduler.ts";
import { jsonLog, type Log } from "../log.ts";
import { version } from "../version.ts";
import { type Command, expectArguments, print } from "./command.ts";

/** How long, in milliseconds, requests under way may take to end once the service is told to stop. */
const grace = 5_000;
/** Turns of the event loop in which a connection that came before the signal is taken, and its request read. */
const lastTurns = 3;
/** Seconds after which a connection that sends nothing is closed. */
const idleTimeout = 10;

export const serveOptions = {
  port: { type: "string", about: "the port to serve on, 0 for any (PORT; default 3000)" },
  host: { type: "string", about: "the address to serve on (HOST; default 127.0.0.1)" },
  "event-days": { type: "string", about: "DAYS for which usage events are kept (EVENT_DAYS; default 35)" },
  "log-requests": { type: "boolean", about: "log each request, not failures alone (LOG_REQUESTS=true)" },
} as const;

export const serveCommand: Command = {
  name: "serve",
  summary: "Serves the API until it is told to stop (SIGTERM, SIGINT).",
  usage: ["serve [--port 3000] [--host 127.0.0.1]"],
  options: serveOptions,
  async run({ words, flags }) {
    expectArguments(words, 0);
    await serve(readConfig(flags), async (url) =>
      print(flags.json ? JSON.stringify({ version, url }) : `accountd ${version} serves ${url}`),
    );
  },
};

/**
 * Serves until a signal comes, and resolves when all is answered, flushed and closed. `ready` is called
 * with the address once requests are answered. Throws when the database or the port cannot be had.
 */
export async function serve(
  config: Config,
  ready: (url: string, store: Engine) => Promise<void>,
): Promise<void> {
  const log = jsonLog((line) => process.stderr.write(line), Date.now);
  const upgraded = (migrations: string[], copy: string) =>
    log.info("migrated", { migrations: migrations.join(", "), copy });
  const store = openDatabase(config.database, {
    now: Date.now(),
    create: true,
    exclusive: true,
    fold,
    upgraded,
  });
  let stopUpkeep = async (): Promise<void> => {};
  try {
    const app = createApp({ store, clock: Date.now, log });
    const server = listen(config, config.logRequests ? logged(app.fetch, log) : app.fetch);
    const signal = nextSignal();
    const url = addressOf(server);
    stopUpkeep = startJobs({ store, clock: Date.now, log, eventDays: config.eventDays });
    log.info("started", { version, url, database: config.database });
    await ready(url, store);
    log.info("stopping", { signal: await signal });
    await stop(server);
  } finally {
    await stopUpkeep();
    await store.close();
  }
  log.info("stopped");
}

type Fetch = (request: Request) => Response | Promise<Response>;

function listen({ host, port }: Config, fetch: Fetch): Server<undefined> {
  try {
    // The largest body is judged by the reader of bodies, which answers with a problem; the server's own
    // limit would answer with nothing.
    return Bun.serve({
      hostname: host,
      port,
      fetch,
      idleTimeout,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") throw new Error(`${host}:${port} is in use. Name another port with --port.`);
    throw new Error(`${host}:${port} cannot be served on. Name another address with --host.`);
  }
}

function addressOf({ hostname = "", port }: Server<undefined>): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve(signal));
  });
}

/** No new connections; those with a request under way may end, those that only hold one open are cut off. */
async function stop(server: Server<undefined>): Promise<void> {
  // `server.stop` closes connections of which nothing was read yet, though a whole request may have arrived.
  for (let turn = 0; turn < lastTurns; turn += 1) await yieldToEventLoop();
  await Promise.race([server.stop(), Bun.sleep(grace)]);
  await Promise.race([server.stop(true), Bun.sleep(1_000)]);
}

function logged(fetch: Fetch, log: Log): Fetch {
  return async (request) => {
    const start = performance.now();
    const response = await fetch(request);
    const path = loggable(request.url.slice(request.url.indexOf("/", "http://x".length)));
    const milliseconds = Math.round((performance.now() - start) * 1000) / 1000;
    const requestId = response.headers.get("x-request-id");
    log.info("request", { requestId, method: request.method, path, status: response.status, milliseconds });
    return response;
  };
}

/** The path without the query and without whatever else callers made up: it may be a key, sent to the wrong place. */
function loggable(target: string): string {
  const segments = (target.split("?")[0] ?? "").split("/");
  return segments.map((one) => (/^(?:[a-z.-]{0,24}|v\d|\d{1,16})$/.test(one) ? one : "…")).join("/");
}
