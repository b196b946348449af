import { type Route, RouteTable } from "../http/guard/route-table.ts";
import type { RecordedReply, ReplyListener } from "../http/request-record.ts";
import type { LeveledLog, LogLevel } from "../log.ts";
import { traceparentOf } from "./traceparent.ts";

/** A slower request has a line with the parts of its time. */
const slowMilliseconds = 100;
type AccessLogOptions = {
  routes: readonly Route[];
  log: LeveledLog;
  clientOf: (request: Request) => string;
};

/**
 * Logs one line for every request. It never has a key, a value of the query, a body or an e-mail address: path segments
 * that a caller chose are `…`.
 */
export function createAccessLog({ routes, log, clientOf }: AccessLogOptions): ReplyListener {
  const table = new RouteTable(routes);
  return (reply) => {
    const { request, response, record, milliseconds } = reply;
    const { status, headers } = response;
    const target = request.url.slice(request.url.indexOf("/", "http://x".length));
    const traceparent = traceparentOf(request.headers.get("traceparent"));
    const { route = null, code, organizationId, keyId } = record;
    log[levelOf(status)]("request", {
      requestId: headers.get("x-request-id"),
      ...(traceparent !== undefined && { traceparent }),
      method: request.method,
      route,
      path: table.loggablePath(target.split("?")[0] ?? ""),
      status,
      ...(code !== undefined && { code }),
      milliseconds: rounded(milliseconds),
      ...(milliseconds > slowMilliseconds && partsOf(reply)),
      ...(organizationId !== undefined && { organizationId, keyId }),
      client: clientOf(request),
      ...bytesOf(reply),
    });
  };
}

/** A warning is a request that its caller has to change. */
function levelOf(status: number): LogLevel {
  if (status >= 500) return "error";
  return status >= 400 ? "warn" : "info";
}

function partsOf({ record, milliseconds }: RecordedReply): Record<string, number> {
  const { body = 0, queue = 0, database = 0 } = record.times?.milliseconds ?? {};
  const parts = { body, queue, database, reply: milliseconds - body - queue - database };
  return Object.fromEntries(
    Object.entries(parts).map(([part, time]) => [`${part}Milliseconds`, rounded(time)]),
  );
}

/** Absent for a stream, whose size is not known yet. */
function bytesOf({ request, response, record }: RecordedReply): { bytes?: number } {
  if (request.method === "HEAD" || response.body === null) return { bytes: 0 };
  const length = record.byteCount ?? Number(response.headers.get("content-length") ?? Number.NaN);
  return Number.isNaN(length) ? {} : { bytes: length };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1_000) / 1_000;
}
