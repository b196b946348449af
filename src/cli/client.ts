import type { Engine } from "../../db/engine.ts";
import { DatabaseInUse, errorCode } from "../../db/errors.ts";
import type { Storage, StorageOptions } from "../../db/storage.ts";
import { fastPollMilliseconds, startTimeoutMilliseconds } from "../../db/timer.ts";
import { readConnections } from "../config.ts";
import { OperatorError, type OperatorErrorCode } from "../core/settings/operator-error.ts";
import type { Fetch } from "../http/fetch.ts";
import { organizationHeader, probeUrl, versionHeader } from "../operator/request.ts";
import { isNoServer, operatorSocketPath } from "../server/operator-socket.ts";
import { storageOf } from "../server/storage.ts";
import { version } from "../version.ts";

/**
 * How a command opens the database where no server has it open: `read` for reading only, `create` also without a file,
 * `exclusive` with the lock of a server, and `server` only where the database is on a server of its own.
 */
type Access = "read" | "write" | "create" | "exclusive" | "server";

export type RequestOptions = {
  method?: "POST" | "PUT" | "PATCH" | "DELETE";
  /** The name or the id. */
  organization?: string | undefined;
  body?: object;
};
/** Sends a request to the routes of `operator/app.ts`. Throws OperatorError for a reply that is an error. */
export type Send = (path: string, options?: RequestOptions) => Promise<Response>;

export async function jsonOf<T>(response: Promise<Response>): Promise<T> {
  // Safe: a server of the same version replied.
  return (await response).json() as Promise<T>;
}

type ClientOptions = {
  /** The time in which a server that accepts a connection replies, before a request is sent. */
  timeoutMilliseconds?: number;
  /** In this process. */
  storage?: Partial<StorageOptions>;
  runDueJobs?: (engine: Engine) => Promise<unknown>;
};

/**
 * Sends the requests of `work` to the server that has the file open, through its socket; without one, and with a database
 * on a server, handles them in this process. Throws what `work` throws, OperatorError and UnusableDatabase.
 */
export async function withClient<T>(
  database: string,
  access: Access,
  work: (send: Send) => Promise<T>,
  options: ClientOptions = {},
): Promise<T> {
  const storage = await storageOf(database, readConnections({}));
  const socket = storage.file === undefined ? undefined : operatorSocketPath(storage.file);
  let local: { handle: Fetch; close: () => Promise<void> } | undefined;
  let hasServer = false;

  async function sendToServer(url: string, init: RequestInit): Promise<Response | undefined> {
    if (socket === undefined) return undefined;
    const response = await requestServer(socket, url, init, options.timeoutMilliseconds).catch(
      (error: unknown) => {
        // The message is about one change that must not be made twice.
        if (hasServer) return undefined;
        throw error;
      },
    );
    hasServer ||= response !== undefined;
    return response;
  }

  async function request(url: string, init: RequestInit): Promise<Response> {
    if (local) return local.handle(new Request(url, init));
    const response = await sendToServer(url, init);
    if (response) return response;
    if (hasServer) throw new OperatorError("server_unreachable", "The server does not reply any more.");
    if (access === "server" && socket)
      throw new OperatorError(
        "server_unreachable",
        `No server of ${storage.name} is running. Start it first.`,
      );
    try {
      local = await openLocal(storage, access, options);
    } catch (error) {
      // A server that is starting has the lock of the file before its socket.
      if (socket === undefined || access === "read") throw error;
      for (let waited = 0; waited < startTimeoutMilliseconds; waited += fastPollMilliseconds) {
        const late = await sendToServer(url, init);
        if (late) return late;
        if (!(error instanceof DatabaseInUse)) break;
        await Bun.sleep(fastPollMilliseconds);
      }
      throw error;
    }
    return local.handle(new Request(url, init));
  }

  try {
    return await work(async (path, { method, organization, body } = {}) => {
      const response = await request(`http://localhost${path}`, {
        method: method ?? "GET",
        headers: {
          [versionHeader]: version,
          ...(organization !== undefined && {
            [organizationHeader]: encodeURIComponent(organization.toWellFormed()),
          }),
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (response.ok) return response;
      // Safe: every version of the operator's app replies with such an error.
      const { error } = (await response.json()) as { error: { code: OperatorErrorCode; message: string } };
      throw new OperatorError(error.code, error.message);
    });
  } finally {
    await local?.close();
  }
}

async function openLocal(storage: Storage, access: Access, options: ClientOptions) {
  const engine =
    access === "read"
      ? // Safe: what only reads uses nothing else of an engine.
        ((await storage.openReader({ clock: Date.now })) as Engine)
      : // Only serve and migrate upgrade a database.
        await storage.open({
          clock: Date.now,
          canCreate: access === "create",
          isExclusive: access === "exclusive",
          canMigrate: false,
          ...options.storage,
        });
  // Loaded here, because the routes take time to load.
  const { createOperatorApp } = await import("../operator/app.ts");
  const { reactions } = await import("../reactions.ts");
  const runDueJobs = async () => options.runDueJobs?.(engine);
  const log = { info() {}, error() {} };
  const app = createOperatorApp({ engine, reactions, log, runDueJobs });
  return { handle: app.handle, close: () => engine.close() };
}

const defaultTimeoutMilliseconds = 10_000;

/** The reply of the server, or undefined when none listens. */
async function requestServer(
  socket: string,
  url: string,
  init: RequestInit,
  timeoutMilliseconds = defaultTimeoutMilliseconds,
): Promise<Response | undefined> {
  try {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    await fetch(probeUrl, { unix: socket, keepalive: false, signal });
    // A request may take longer than any timeout. On a kept connection, Bun would send it again after the server's end.
    return await fetch(url, { ...init, unix: socket, keepalive: false, timeout: false });
  } catch (error) {
    if (isNoServer(error)) return undefined;
    if (error instanceof Error && error.name === "TimeoutError")
      throw new OperatorError(
        "server_unreachable",
        `A process accepts connections on ${socket} but does not reply. Nothing was changed: restart the server, or stop it, and try again.`,
      );
    throw new OperatorError(
      "server_unreachable",
      `The server did not reply on ${socket} (${errorCode(error)}). The change may have been made. Check with \`keys list\` or \`organizations list\`.`,
    );
  }
}
