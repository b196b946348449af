import { Elysia } from "elysia";
import type { Tenant } from "../tenant.ts";
import { type Authenticate, unauthorized } from "./authentication.ts";
import { Paths, publicPaths, type Route } from "./paths.ts";
import { checkQuery, pathOf } from "./request-line.ts";

type Entrance = { request: Request; set: { headers: Record<string, string | number | undefined> } };

const letIn = new WeakMap<Request, Tenant>();

/**
 * What happens before any route, from the request line and the headers alone: Host sane (400), path known
 * (404), method allowed (405), key valid (401), query sane (400). A body has not been read then.
 */
export function frontDoor(routes: () => readonly Route[], authenticate: Authenticate) {
  let paths: Paths | undefined;
  return async ({ request, set }: Entrance): Promise<void> => {
    set.headers["x-request-id"] = requestId(request.headers);
    set.headers["x-content-type-options"] = "nosniff";
    set.headers["cache-control"] = "no-store";
    set.headers["content-type"] = "application/json";
    const path = pathOf(request);
    paths ??= new Paths(routes());
    const place = paths.find(request.method, path);
    if (publicPaths.has(place.pattern)) return;
    letIn.set(request, await authenticate(request.headers));
    checkQuery(request, place.parameters);
  };
}

/**
 * What every group of routes begins with: whoever asks, as `tenant`. A request that did not come in by the
 * front door is `unauthorized`.
 */
export function routesBelow(prefix: string) {
  return new Elysia({ prefix, strictPath: true, normalize: false }).derive(({ request }) => ({
    tenant: tenantOf(request),
  }));
}

function tenantOf(request: Request): Tenant {
  const tenant = letIn.get(request);
  if (!tenant) throw unauthorized();
  return tenant;
}

function requestId(headers: Headers): string {
  const given = headers.get("x-request-id");
  return given !== null && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : crypto.randomUUID();
}
