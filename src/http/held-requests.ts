import type { Server } from "bun";

const serverKey = Symbol("server of the request");
const heldKey = Symbol("held request");
type HeldRequest = Request & { [serverKey]?: Server<undefined>; [heldKey]?: boolean };

/** The server that received a request, for `holdRequest`. */
export function setServer(request: HeldRequest, server: Server<undefined>): void {
  request[serverKey] = server;
}

/** Removes the time limit of the connection until the response ends: the request waits for changes. */
export function holdRequest(request: HeldRequest): void {
  request[heldKey] = true;
  request[serverKey]?.timeout(request, 0);
}

/** Whether the time limit of the connection was removed. */
export function isHeld(request: HeldRequest): boolean {
  return request[heldKey] === true;
}
