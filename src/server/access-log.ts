import type { Fetch } from "../http/fetch.ts";
import { type Route, RouteTable } from "../http/guard/route-table.ts";
import type { Log } from "../log.ts";

/** Logs one line for every request: method, path, status, duration and request id. */
export function withAccessLog(fetch: Fetch, routes: readonly Route[], log: Log): Fetch {
  const table = new RouteTable(routes);
  return async (request) => {
    const start = performance.now();
    const response = await fetch(request);
    const milliseconds = Math.round((performance.now() - start) * 1000) / 1000;
    const target = request.url.slice(request.url.indexOf("/", "http://x".length));
    log.info("request", {
      requestId: response.headers.get("x-request-id"),
      method: request.method,
      path: table.loggablePath(target.split("?")[0] ?? ""),
      status: response.status,
      milliseconds,
    });
    return response;
  };
}
