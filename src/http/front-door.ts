import type { Tenant } from "../tenant.ts";
import type { Authenticate } from "./authentication.ts";
import { Paths, publicPaths, type Route } from "./paths.ts";
import { checkQuery, pathOf } from "./request-line.ts";

type Entrance = {
  request: Request;
  set: { headers: Record<string, string | number | undefined> };
  tenant: Tenant;
};

/**
 * What happens before any route, from the request line and the headers alone: Host sane (400), path known
 * (404), method allowed (405), key valid (401), query sane (400). A body has not been read then.
 */
export function frontDoor(routes: () => readonly Route[], authenticate: Authenticate) {
  let paths: Paths | undefined;
  return async (entrance: Entrance): Promise<void> => {
    const { request, set } = entrance;
    set.headers["x-request-id"] = requestId(request.headers);
    set.headers["x-content-type-options"] = "nosniff";
    set.headers["cache-control"] = "no-store";
    set.headers["content-type"] = "application/json";
    const path = pathOf(request);
    paths ??= new Paths(routes());
    const pattern = paths.find(request.method, path);
    if (publicPaths.has(pattern)) return;
    entrance.tenant = await authenticate(request.headers);
    checkQuery(request);
  };
}

function requestId(headers: Headers): string {
  const given = headers.get("x-request-id");
  return given !== null && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : crypto.randomUUID();
}
