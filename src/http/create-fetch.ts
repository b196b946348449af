import { acceptsGzip } from "./body/content-coding.ts";
import { maxSmallBodyBytes } from "./body/read-bytes.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { Fetch } from "./fetch.ts";
import { withHost } from "./probes.ts";
import { compress } from "./replies/compress-replies.ts";
import { answerHead } from "./replies/head-replies.ts";
import { largeReplyOf } from "./replies/large-replies.ts";
import { beginRecord, type ReplyListener } from "./request-record.ts";

const methodsWithBody = new Set(["POST", "PUT", "PATCH"]);

type FetchOptions = {
  budget?: ByteBudget;
  delayMilliseconds?: number;
  /** Called when the response to a request begins. `isTimed`: the records have where the time went, too. */
  recording?: { listeners: readonly ReplyListener[]; isTimed: boolean } | undefined;
};

/**
 * What is before the app, in one function, because each wrapper around it costs every request: HEAD, the byte
 * budget, large replies, compression, records, and the delay of rejections of large bodies, without which a caller that sends such
 * a body again after each rejection would use the whole thread.
 */
export function createFetch(app: Fetch, { recording, ...options }: FetchOptions = {}): Fetch {
  const { budget, delayMilliseconds = 0 } = options;
  return async function fetch(request) {
    const startedAt = performance.now();
    const record = recording && beginRecord(request, recording);
    const { method, headers, url } = request;
    let response: Response;
    if (url.startsWith("/")) response = await app(withHost(request));
    else if (method === "HEAD") response = await answerHead(request, createFetch(app, options));
    else {
      response = await (budget && methodsWithBody.has(method) ? budget.run(request, app) : app(request));
      if (response.status >= 400 && delayMilliseconds > 0 && isLarge(request))
        await delayRejection(request, response, delayMilliseconds);
      const isGzipAccepted = acceptsGzip(headers.get("accept-encoding"));
      const large = largeReplyOf(request, response, isGzipAccepted);
      if (large) response = await large;
      else if (isGzipAccepted) response = await compress(response);
    }
    if (record) {
      const milliseconds = performance.now() - startedAt;
      for (const listener of recording.listeners) listener({ request, response, record, milliseconds });
    }
    return response;
  };
}

/** Whether the body is large, or its size is unknown. */
function isLarge({ method, headers }: Request): boolean {
  if (method === "GET") return false;
  if (Number(headers.get("content-length") ?? 0) > maxSmallBodyBytes) return true;
  return headers.has("transfer-encoding") || headers.has("content-encoding");
}

/** Delays a rejection that was sent before the body was read, and 401, 413 and 503. */
async function delayRejection(request: Request, { status }: Response, milliseconds: number): Promise<void> {
  if (request.bodyUsed && status !== 401 && status !== 413 && status !== 503) return;
  // Bun stores what arrives of a body, unless it is cancelled. It cannot be when the caller has disconnected.
  if (!request.bodyUsed) await request.body?.cancel().catch(() => {});
  // Random, so that the connections of a caller do not send again at the same time.
  await Bun.sleep(milliseconds * (0.5 + Math.random()));
}
