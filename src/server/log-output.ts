import type { Fetch } from "../http/fetch.ts";
import { type Route, RouteTable } from "../http/guard/route-table.ts";
import type { Log } from "../log.ts";

type Output = { write(text: string, onWritten: () => void): unknown };

/** The bytes of log lines that wait for the reader of standard error, at most. */
const defaultMaxBytes = 4_194_304;

/**
 * Returns a function that writes lines to `output`, but drops them while too many bytes wait for a slow reader.
 * `onDropped` is called with the number of dropped lines as soon as the reader continues.
 */
export function writeBounded(
  output: Output,
  onDropped: (count: number) => void,
  maxBytes = defaultMaxBytes,
): (line: string) => void {
  let waitingBytes = 0;
  let droppedCount = 0;
  return (line) => {
    const bytes = Buffer.byteLength(line);
    if (waitingBytes + bytes > maxBytes) {
      droppedCount += 1;
      return;
    }
    waitingBytes += bytes;
    output.write(line, () => {
      waitingBytes -= bytes;
      if (waitingBytes > 0 || droppedCount === 0) return;
      const count = droppedCount;
      droppedCount = 0;
      onDropped(count);
    });
  };
}

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
