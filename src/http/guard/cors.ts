import type { Fetch } from "../fetch.ts";
import { pathOf } from "./request-line.ts";
import { isIngestPath } from "./route-table.ts";

/** The header of preflights that names the method. */
const requestedMethod = "access-control-request-method";
const allowedHeaders = [
  "authorization",
  "content-encoding",
  "content-type",
  "idempotency-key",
  "prefer",
  "x-api-key",
  "x-request-id",
];
/** Of replies, besides those that scripts may always read. */
const exposedHeaders = [
  "dry-run",
  "idempotent-replayed",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "x-request-id",
];
/** The longest time that Chromium accepts. */
const maxAgeSeconds = 7_200;

/**
 * Returns `fetch` with CORS for the paths that receive events, so that pages of these origins can send them: `*` is
 * every origin. Preflights of these origins are answered without a key. Replies on these paths have `Vary: Origin`. All
 * other requests, and all requests when there are no origins, are passed on unchanged.
 */
export function withCors(fetch: Fetch, origins: readonly string[]): Fetch {
  if (origins.length === 0) return fetch;
  const isAllowed = (origin: string) => origins.includes("*") || origins.includes(origin);
  return async (request) => {
    if (!receivesEvents(request)) return fetch(request);
    const origin = request.headers.get("origin");
    if (origin === null || !isAllowed(origin)) return withVary(await fetch(request));
    const allowOrigin = { "access-control-allow-origin": origin };
    if (request.method === "OPTIONS" && request.headers.has(requestedMethod)) return preflight(allowOrigin);
    const response = withVary(await fetch(request));
    response.headers.set("access-control-allow-origin", origin);
    response.headers.set("access-control-expose-headers", exposedHeaders.join(", "));
    return response;
  };
}

function receivesEvents(request: Request): boolean {
  try {
    const path = pathOf(request);
    return isIngestPath(path) || path === "/api/v1/events";
  } catch {
    // An invalid Host or address: the request guard rejects it.
    return false;
  }
}

function preflight(allowOrigin: Record<string, string>): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...allowOrigin,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": allowedHeaders.join(", "),
      "access-control-max-age": String(maxAgeSeconds),
      "cache-control": "no-store",
      vary: "Origin",
    },
  });
}

/** Caches must not reuse the reply for another origin. */
function withVary(response: Response): Response {
  response.headers.append("vary", "Origin");
  return response;
}
