import { Elysia } from "elysia";
import type { Tenant } from "../core/tenant.ts";
import { type Authenticate, readSecret, unauthorized } from "./authentication.ts";
import { deriveParsedBody, type ParsedBody } from "./body.ts";
import { checkQuery, pathOf } from "./request-line.ts";
import { publicPaths, type Route, RouteTable } from "./route-table.ts";

type PreRequestContext = { request: Request; set: { headers: Record<string, string | number | undefined> } };

/** The one path whose key may stand in the body: most of Segment's SDKs send it there, and nowhere else. */
const bodyKeyPath = "/v1/batch";

const tenants = new WeakMap<Request, Tenant>();
const deferredAuthentication = new WeakMap<Request, Authenticate>();

/**
 * What happens before any route, from the request line and the headers alone: Host sane (400), path known
 * (404), method allowed (405), key valid (401), query sane (400). A body has not been read then.
 */
export function requestGuard(routes: () => readonly Route[], authenticate: Authenticate) {
  let paths: RouteTable | undefined;
  return async ({ request, set }: PreRequestContext): Promise<void> => {
    set.headers["x-request-id"] = requestId(request.headers);
    set.headers["x-content-type-options"] = "nosniff";
    set.headers["cache-control"] = "no-store";
    set.headers["content-type"] = "application/json";
    const path = pathOf(request);
    paths ??= new RouteTable(routes());
    const place = paths.find(request.method, path);
    if (publicPaths.has(place.pattern)) return;
    const secret = readSecret(request.headers);
    if (secret === "" && place.pattern === bodyKeyPath) deferredAuthentication.set(request, authenticate);
    else tenants.set(request, await authenticate(secret));
    checkQuery(request, place);
  };
}

/**
 * What every group of routes begins with: whoever asks, as `tenant`. A request that did not come in by the
 * front door is `unauthorized`.
 */
export function tenantRoutes<const Prefix extends string>(prefix: Prefix) {
  return new Elysia({ prefix, strictPath: true, normalize: false }).derive(({ request }) => ({
    tenant: tenantOf(request),
  }));
}

/** The same for `pathOfKeyInBody`: without a key in the headers, the body's `writeKey` is it. */
export function tenantRoutesWithBodyKey() {
  return new Elysia({ strictPath: true, normalize: false })
    .derive(deriveParsedBody)
    .derive(async ({ request, parsedBody }) => ({
      tenant: (await deferredAuthentication.get(request)?.(writeKeyIn(parsedBody))) ?? tenantOf(request),
    }));
}

function writeKeyIn({ body }: ParsedBody): string {
  return "writeKey" in body && typeof body.writeKey === "string" ? body.writeKey : "";
}

function tenantOf(request: Request): Tenant {
  const tenant = tenants.get(request);
  if (!tenant) throw unauthorized();
  return tenant;
}

function requestId(headers: Headers): string {
  const given = headers.get("x-request-id");
  // A key that was sent in the wrong header is not repeated, nor logged.
  const isTaken = given !== null && /^[A-Za-z0-9._-]{1,64}$/.test(given) && !/ak_/i.test(given);
  return isTaken ? given : crypto.randomUUID();
}
