import type { Server } from "bun";
import type { Address } from "../config.ts";
import { OperatorError } from "../core/operator-error.ts";

export type Fetch = (request: Request) => Response | Promise<Response>;

/** A connection that sends nothing for this long is closed. */
const idleTimeoutSeconds = 10;

/** Listens on the address. Throws OperatorError when the address is in use or cannot be bound. */
export function listen({ host, port }: Address, fetch: Fetch): Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      fetch,
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
}

/** Throws OperatorError as `listen` does. Requests in the meantime get 503. */
export async function checkAddress(address: Address): Promise<void> {
  await listen(address, () => new Response(null, { status: 503 })).stop(true);
}

export function urlOf({ hostname = "", port }: Server<undefined>): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
