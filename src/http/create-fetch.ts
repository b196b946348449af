import type { BodyBudget } from "./body/body-budget.ts";
import { acceptsGzip } from "./body/content-coding.ts";
import type { Fetch } from "./fetch.ts";
import { withHost } from "./probes.ts";
import { compress } from "./replies/compress-replies.ts";
import { answerHead } from "./replies/head-replies.ts";

const methodsWithBody = new Set(["POST", "PUT", "PATCH"]);
const maxSmallBodyBytes = 16_384;

/**
 * What is before the app, in one function: HEAD, the budget of bodies, compression, and the delay of rejections of large
 * bodies, without which a caller that sends such a body again after each rejection would use the whole thread.
 */
export function createFetch(
  app: Fetch,
  { budget, delayMilliseconds = 0 }: { budget?: BodyBudget; delayMilliseconds?: number } = {},
): Fetch {
  return function fetch(request) {
    const { method, headers, url } = request;
    if (url.startsWith("/")) return app(withHost(request));
    if (method === "HEAD") return answerHead(request, fetch);
    let reply = budget && methodsWithBody.has(method) ? budget.run(request, app) : app(request);
    if (delayMilliseconds > 0 && isLarge(request)) reply = delayRejection(request, reply, delayMilliseconds);
    return acceptsGzip(headers.get("accept-encoding")) ? compress(reply) : reply;
  };
}

/** Whether the body is large, or its size is unknown. */
function isLarge({ method, headers }: Request): boolean {
  if (method === "GET") return false;
  if (Number(headers.get("content-length") ?? 0) > maxSmallBodyBytes) return true;
  return headers.has("transfer-encoding") || headers.has("content-encoding");
}

/** Delays a reply that was sent before the body was read, and 401, 413 and 503. */
async function delayRejection(
  request: Request,
  reply: Response | Promise<Response>,
  milliseconds: number,
): Promise<Response> {
  const response = await reply;
  const { status } = response;
  if (status < 400 || (request.bodyUsed && status !== 401 && status !== 413 && status !== 503))
    return response;
  // Bun stores what arrives of a body, unless it is cancelled. It cannot be when the caller has disconnected.
  if (!request.bodyUsed) await request.body?.cancel().catch(() => {});
  // Random, so that the connections of a caller do not send again at the same time.
  await Bun.sleep(milliseconds * (0.5 + Math.random()));
  return response;
}
