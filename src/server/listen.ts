import type { Server } from "bun";
import type { Address } from "../config.ts";
import { OperatorError } from "../core/operator-error.ts";
import type { Fetch } from "../http/fetch.ts";

/** A connection that sends nothing for this long is closed. */
const defaultIdleTimeoutSeconds = 10;
/**
 * The same while a DELETE runs: an account may have many rows. Bun has no timeout while a request runs whose body was
 * read, but one for a request without a body.
 */
const deleteTimeoutSeconds = 240;

/** Listens on the address. Throws OperatorError when the address is in use or cannot be bound. */
export function listen(
  { host, port }: Address,
  fetch: Fetch,
  idleTimeoutSeconds = defaultIdleTimeoutSeconds,
): Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      fetch: (request, server) =>
        request.method === "DELETE" ? fetchDelete(request, server) : fetch(request),
      idleTimeout: idleTimeoutSeconds,
      // The body reader enforces the limit and replies with a problem; Bun's own 413 has no body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
      throw new OperatorError("address_in_use", `${host}:${port} is in use. Name another port with --port.`);
    throw new OperatorError(
      "address_unavailable",
      `${host}:${port} cannot be bound. Name another address with --host.`,
    );
  }

  async function fetchDelete(request: Request, server: Server<undefined>): Promise<Response> {
    server.timeout(request, deleteTimeoutSeconds);
    const response = await fetch(request);
    // Bun would keep the longer timeout for the reply and the next request.
    server.timeout(request, idleTimeoutSeconds);
    return response;
  }
}

/** Throws OperatorError as `listen` does. Requests in the meantime get 503. */
export async function checkAddress(address: Address): Promise<void> {
  await listen(address, () => new Response(null, { status: 503 })).stop(true);
}

export function urlOf({ hostname = "", port }: Server<undefined>): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
