import type { Server } from "bun";

const serverKey = Symbol("server of the request");
const heldKey = Symbol("held request");
type HeldRequest = Request & { [serverKey]?: Server<undefined>; [heldKey]?: boolean };

/** The server that received a request, for `holdRequest`. */
export function setServer(request: HeldRequest, server: Server<undefined>): void {
  request[serverKey] = server;
}

/**
 * Sets the time limit of the connection until the response ends, for a request that waits for changes: the seconds in
 * which the client must read what was sent, at least; Bun adds up to 4. 0 for no limit.
 */
export function holdRequest(request: HeldRequest, seconds = 0): void {
  request[heldKey] = true;
  request[serverKey]?.timeout(request, seconds);
}

/** Whether the request has its own time limit. */
export function isHeld(request: HeldRequest): boolean {
  return request[heldKey] === true;
}
