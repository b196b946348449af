import type { Log } from "../log.ts";
import type { Fetch } from "./listen.ts";

/** Logs one line for every request: method, path, status, duration and request id. */
export function withAccessLog(fetch: Fetch, log: Log): Fetch {
  return async (request) => {
    const start = performance.now();
    const response = await fetch(request);
    const milliseconds = Math.round((performance.now() - start) * 1000) / 1000;
    log.info("request", {
      requestId: response.headers.get("x-request-id"),
      method: request.method,
      path: loggablePath(request.url.slice(request.url.indexOf("/", "http://x".length))),
      status: response.status,
      milliseconds,
    });
    return response;
  };
}

/** The path without the query. Segments that a caller chose become `…`: one of them may be a misplaced key. */
export function loggablePath(target: string): string {
  const segments = (target.split("?")[0] ?? "").split("/");
  return segments
    .map((segment) => (/^(?:[a-z.-]{0,24}|v\d|\d{1,16})$/.test(segment) ? segment : "…"))
    .join("/");
}
