import { closeSync, openSync } from "node:fs";
import type { Server } from "bun";
import { errorCode } from "../../db/errors.ts";
import { fastPollMilliseconds, pollMilliseconds } from "../../db/timer.ts";
import type { Address } from "../config.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import type { Fetch } from "../http/fetch.ts";
import { isHeld, setServer } from "../http/held-requests.ts";
import { streamEndOf } from "../http/replies/stream-text.ts";
import { type Log, oncePerMinute } from "../log.ts";
import { limitOfOpenFiles, maxOpenFiles } from "./open-files.ts";

/** How long an idle connection is kept while more are open. */
const shortSeconds = 10;

/**
 * Keeps idle connections for `seconds`, but for 10 s while the process has more open files than 4,096 or half of its limit.
 * They are counted once a second; where the system does not list them, there is no bound.
 */
export function createKeepAlive(seconds: number, maxFiles?: number) {
  let isCrowded = false;
  const timer = setInterval(async () => {
    // The module would slow down every start.
    const { readdir } = await import("node:fs/promises");
    const files = await readdir("/proc/self/fd").catch(() => []);
    maxFiles ??= Math.min(maxOpenFiles, Number(limitOfOpenFiles()) / 2 || maxOpenFiles);
    isCrowded = files.length > maxFiles;
  }, pollMilliseconds);
  timer.unref();
  return {
    /** How long a connection may be idle from now on. */
    seconds: () => (isCrowded ? Math.min(seconds, shortSeconds) : seconds),
    stop: () => clearInterval(timer),
  };
}

/** A body must arrive within this time, and a streamed reply make progress. Bun closes up to 3 s earlier or 1 s later. */
const defaultStallSeconds = 15;
/** Idle timeout during a DELETE, which may remove many rows. Bun has one only while a request without a body runs. */
const deleteTimeoutSeconds = 240;

/** `keepAliveSeconds` returns how long a connection may be idle after a reply. */
type Timeouts = { keepAliveSeconds: () => number; stallSeconds?: number };

/** Listens on the address. Throws OperatorError when the address is in use or cannot be bound. */
export function listen(
  { host, port }: Address,
  fetch: Fetch,
  { keepAliveSeconds, stallSeconds = defaultStallSeconds }: Timeouts,
): Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      fetch: fetchWithTimeouts,
      // Each request sets its own.
      idleTimeout: stallSeconds,
      // The body reader enforces the limit and replies with a problem; Bun's own 413 has no body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
  } catch (error) {
    throw explainListenError(errorCode(error), formatAddress(host, port));
  }

  /** Bun keeps a timeout of a request for the connection, also when the request has ended. */
  async function fetchWithTimeouts(request: Request, server: Server<undefined>): Promise<Response> {
    server.timeout(request, request.method === "DELETE" ? deleteTimeoutSeconds : stallSeconds);
    setServer(request, server);
    const response = await fetch(request);
    const streamEnd = streamEndOf(request);
    if (!streamEnd) server.timeout(request, keepAliveSeconds());
    else {
      if (!isHeld(request)) server.timeout(request, stallSeconds);
      streamEnd.then(() => server.timeout(request, keepAliveSeconds()));
    }
    return response;
  }
}

/** The error of an address that cannot be used. `flags` are those that set its port and its host. */
export function explainListenError(
  code: string,
  address: string,
  flags = { port: "--port", host: "--host" },
): OperatorError {
  if (code === "EADDRINUSE")
    return new OperatorError("address_in_use", `${address} is in use. Name another port with ${flags.port}.`);
  return new OperatorError(
    "address_unavailable",
    code === "EACCES"
      ? `${address} cannot be bound: permission denied. A port below 1024 needs CAP_NET_BIND_SERVICE. Name another with ${flags.port}.`
      : `${address} cannot be bound. Name another address with ${flags.host}.`,
  );
}

/** Throws OperatorError as `listen` does. Requests in the meantime get 503. */
export async function checkAddress(address: Address): Promise<void> {
  const fetch = () => new Response(null, { status: 503 });
  await listen(address, fetch, { keepAliveSeconds: () => 1 }).stop(true);
}

export function urlOf({ hostname = "", port }: Pick<Server<undefined>, "hostname" | "port">): string {
  return `http://${formatAddress(hostname === "*" ? "0.0.0.0" : hostname, port)}`;
}

export function formatAddress(host: string, port: number | undefined): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The pause in each turn of the event loop. It adds as much to the time of a reply. */
const pauseMilliseconds = 5;

/**
 * Without a free file descriptor, Bun tries to accept the same connection in every turn of the event loop and uses a
 * whole processor. Until one is free, each turn then has a pause; requests on open connections are still answered.
 * Logs this at most once a minute. Returns a function that ends it.
 */
export function limitAcceptRate(log: Log, canOpen = hasFreeDescriptor): () => void {
  let isStopped = false;
  const logExhaustion = oncePerMinute(() =>
    log.error("descriptors_exhausted", {
      detail: "New connections wait. Raise the limit of open files (LimitNOFILE, ulimit -n).",
    }),
  );
  let timer = setTimeout(check, fastPollMilliseconds);

  function check(): void {
    if (isStopped) return;
    if (canOpen()) {
      timer = setTimeout(check, fastPollMilliseconds);
      return;
    }
    logExhaustion();
    Bun.sleepSync(pauseMilliseconds);
    setImmediate(check);
  }

  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

function hasFreeDescriptor(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return true;
  } catch (error) {
    return !/^E[MN]FILE$/.test(errorCode(error));
  }
}
